import type { NavigatorActivities } from "../core/calls/activities";
import type { ChunkListeners, ModelResolver } from "../models";
import type { ToolRegistry } from "../tools";
import { findAgentEnd, type ResultClient, watchOwners } from "./agent-end";
import { callModel, priceModels } from "./call-model";
import { describeTools, toolActivities } from "./call-tool";
import { askGuard, type GuardClient, tellingGuard, tellingGuardOfUndo } from "./claim-effect";
import { ConversationCache } from "./conversation-cache";
import { findEffects, type HistoryClient } from "./find-effects";
import { type EscalationTools, notify } from "./notify";
import { undoActivities } from "./plan-undo";
import { fetchConversation, findDefinition, type QueryClient } from "./workflow-queries";

export type { QueryClient } from "./workflow-queries";

export interface ActivitiesOptions {
  models: ModelResolver;
  tools: ToolRegistry;
  /** Listeners that may hear answers as they are generated, by name. */
  onChunk?: ChunkListeners | undefined;
  /** Asks workflows for conversations that this worker does not hold, and for their ends. */
  client: QueryClient & ResultClient & HistoryClient & GuardClient;
  /** Webhook that is notified of reviews. */
  notifyUrl?: string | undefined;
  /** Tools that are called at ends with `alert` and `ticket`. */
  escalations?: EscalationTools | undefined;
  /**
   * How long a run waits for a worker that has the tool or model that a call needs, in milliseconds. 0 (default here) =
   * the call fails at once.
   */
  blockedTimeoutMs?: number | undefined;
}

/** The activities of one worker. Each has one effect. They also work as local activities. */
export function createActivities(options: ActivitiesOptions): NavigatorActivities {
  const { models, tools, client, onChunk = {}, notifyUrl, escalations = {}, blockedTimeoutMs = 0 } = options;
  const watched = watchOwners(client);
  const calls = toolActivities(tools, blockedTimeoutMs);
  return {
    callModel: watched(callModel(models, new ConversationCache(fetchConversation(client)), onChunk, blockedTimeoutMs)),
    callTool: watched(tellingGuard(client)(calls.callTool)),
    lookUpEffect: watched(calls.lookUpEffect),
    undoEffect: watched(tellingGuardOfUndo(client)(calls.undoEffect)),
    claimEffect: watched(askGuard(client)),
    describeTools: describeTools(tools, blockedTimeoutMs),
    priceModels: priceModels(models, blockedTimeoutMs),
    notify: notify(notifyUrl, tools, escalations),
    findDefinition: findDefinition(client),
    findAgentEnd: findAgentEnd(client),
    findEffects: findEffects(client),
    ...undoActivities(client),
  };
}
