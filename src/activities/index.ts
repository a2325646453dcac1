import type { NavigatorActivities } from "../core/calls/activities";
import type { ProjectDocuments } from "../core/calls/document";
import { NO_PEOPLE } from "../core/review/people/people-file";
import type { ChunkListeners, ModelResolver } from "../models";
import type { PrivateKey } from "../node/identity/keys";
import { knownSecrets } from "../node/secrets/known-secrets";
import type { StreamStore } from "../node/streams/stream-store";
import type { ToolRegistry } from "../tools";
import { findAgentEnd, type ResultClient, watchOwners } from "./agent-end";
import { priceModels } from "./call-model";
import { describeTools, toolActivities } from "./call-tool";
import { type ApprovalClient, checkApproval } from "./check-approval";
import { askGuard, type GuardClient, reportingGuard, reportingGuardOfUndo } from "./claim-effect";
import { ConversationCache } from "./conversation-cache";
import { findEffects, type HistoryClient } from "./find-effects";
import { type EscalationTools, notifyActivities } from "./notify";
import { createNotifier, type Notifier } from "./notify/notifier";
import { undoActivities } from "./plan-undo";
import { readKeptCalls } from "./read-kept-calls";
import { type CallsWorker, runCalls } from "./run-calls";
import { RunningCalls } from "./running-calls/running-calls";
import { headSigner, signingHeads, signLedgerHead } from "./sign-ledger-head";
import { decisionVerifier, type ReadPeople } from "./verify-decision";
import { fetchConversation, findDefinition, type QueryClient } from "./workflow-queries";

export type { QueryClient } from "./workflow-queries";

export interface ActivitiesOptions {
  models: ModelResolver;
  tools: ToolRegistry;
  /** The people who decide. Default: nobody is known, and names are taken as they are given. */
  people?: ReadPeople | undefined;
  /** Signs where the chains of runs end. Without it they stay unsigned. */
  ledgerKey?: PrivateKey | undefined;
  /** Listeners that may receive answers as they are generated, by name. */
  onChunk?: ChunkListeners | undefined;
  /** Keeps the text of answers while it comes, for readers. Default: it is not kept. */
  streams?: StreamStore | undefined;
  /** Asks workflows for conversations that this worker has not cached, and for their ends. */
  client: QueryClient & ResultClient & HistoryClient & GuardClient & ApprovalClient;
  /** Large texts and files by reference, for tools. Default: there are none. */
  documents?: ProjectDocuments | undefined;
  /** Notifies people of reviews, alerts and tickets. Default: only the log. */
  notifier?: Notifier | undefined;
  /** Tools that are called at ends with `alert` and `ticket`. */
  escalations?: EscalationTools | undefined;
  /**
   * How long a run waits for a worker that has the tool or model that a call needs, in milliseconds. 0 (default here) =
   * the call fails at once.
   */
  blockedTimeoutMs?: number | undefined;
  /** `false`: each call of a program is alone. Default: true. */
  sequences?: boolean | undefined;
}

/** The activities of one worker. Each has one effect. They also work as local activities. */
export function createActivities(options: ActivitiesOptions): NavigatorActivities {
  const {
    models,
    tools,
    client,
    streams,
    onChunk = {},
    notifier = createNotifier({}),
    escalations = {},
    blockedTimeoutMs = 0,
    sequences = true,
  } = options;
  const watched = watchOwners(client);
  const people = options.people ?? (() => NO_PEOPLE);
  const sign = headSigner(options.ledgerKey);
  const worker: CallsWorker = {
    ...{ models, sign, streams, tools, sequences, documents: options.documents, running: new RunningCalls() },
    conversations: new ConversationCache(fetchConversation(client)),
    listeners: onChunk,
    wait_ms: blockedTimeoutMs,
  };
  const calls = toolActivities({ ...worker, approvalProblem: checkApproval(client, people) });
  return withoutSecretsInErrors({
    runCalls: watched(runCalls(worker)),
    readKeptCalls,
    callTool: watched(signingHeads(sign)(reportingGuard(client)(calls.callTool))),
    lookUpEffect: watched(calls.lookUpEffect),
    undoEffect: watched(reportingGuardOfUndo(client)(calls.undoEffect)),
    claimEffect: watched(askGuard(client)),
    describeTools: describeTools(worker),
    signLedgerHead: signLedgerHead(options.ledgerKey),
    priceModels: priceModels(models, blockedTimeoutMs),
    verifyDecisions: decisionVerifier(people),
    ...notifyActivities(notifier, tools, escalations),
    findDefinition: findDefinition(client),
    findAgentEnd: findAgentEnd(client),
    findEffects: findEffects(client),
    ...undoActivities(client),
  });
}

/** Messages and stack traces of failures are no payloads: the guard of the data converter does not see them. */
function withoutSecretsInErrors(activities: NavigatorActivities): NavigatorActivities {
  const masked =
    (call: (...args: unknown[]) => Promise<unknown>) =>
    (...args: unknown[]) =>
      call(...args).catch((error: unknown) => {
        throw knownSecrets.maskError(error);
      });
  const entries = Object.entries(activities).map(([name, call]) => [name, masked(call as never)]);
  return Object.fromEntries(entries) as unknown as NavigatorActivities;
}
