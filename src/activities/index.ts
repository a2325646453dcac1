import { conversationOwner } from "../core/base/ids";
import type { Conversation, NavigatorActivities } from "../core/calls/effects";
import type { ChunkListeners, ModelResolver } from "../models";
import { knownPrices } from "../models/known-prices";
import type { ToolRegistry } from "../tools";
import { callModel } from "./call-model";
import { callTool } from "./call-tool";
import { ConversationCache, type FetchConversation } from "./conversation-cache";
import { describeTools } from "./describe-tools";
import { findDefinition } from "./find-definition";
import { type EscalationTools, notify } from "./notify";

/** The part of a Temporal client that activities use: a `Client` is one. */
export interface QueryClient {
  workflow: { getHandle(workflowId: string, runId?: string): { query(name: string): Promise<unknown> } };
}

export interface ActivitiesOptions {
  models: ModelResolver;
  tools: ToolRegistry;
  /** Who may hear answers as they come, by name. */
  onChunk?: ChunkListeners | undefined;
  /** Asks workflows for conversations that this worker does not hold. */
  client: QueryClient;
  /** Webhook that hears of reviews. */
  notifyUrl?: string | undefined;
  /** Tools that ends with `alert` and `ticket` call. */
  escalations?: EscalationTools | undefined;
}

/** The activities of one worker: one effect each, thin. They also work as local activities. */
export function createActivities(options: ActivitiesOptions): NavigatorActivities {
  const { models, tools, client, onChunk = {}, notifyUrl, escalations = {} } = options;
  return {
    callModel: callModel(models, new ConversationCache(fetchFrom(client)), onChunk),
    callTool: callTool(tools),
    describeTools: describeTools(tools),
    priceModels: async (names) => knownPrices(models, names),
    notify: notify(notifyUrl, tools, escalations),
    findDefinition: findDefinition(client),
  };
}

function fetchFrom(client: QueryClient): FetchConversation {
  return async (key) => {
    const { workflowId, runId } = conversationOwner(key);
    const handle = client.workflow.getHandle(workflowId, runId);
    return (await handle.query("conversation")) as { version: number; conversation: Conversation };
  };
}
