import type { Connection } from "@temporalio/client";

/** The features that Temporal reports: GetSystemInfo, and the namespace. A field that an older server does not know is absent. */
interface ServerCapabilities {
  supportsSchedules?: boolean | null;
  encodedFailureAttributes?: boolean | null;
  upsertMemo?: boolean | null;
  nexus?: boolean | null;
  eagerWorkflowStart?: boolean | null;
  syncUpdate?: boolean | null;
  workerPollCompleteOnShutdown?: boolean | null;
}

/** Something that a server may lack. */
export interface Feature {
  name: string;
  has(capabilities: ServerCapabilities): boolean;
  /** Navigator cannot do its work without it. */
  isNeeded?: true;
  /** What a server without it means for Navigator, and what helps. */
  without: string;
}

/** What Navigator uses of a server, where servers differ: by their version, or by the settings of a cluster. */
const FEATURES: readonly Feature[] = [
  {
    name: "workflow updates",
    has: ({ syncUpdate }) => syncUpdate === true,
    isNeeded: true,
    without:
      "People cannot decide, and tasks cannot be moved. On a cluster set frontend.enableUpdateWorkflowExecution to true; else upgrade the server.",
  },
  {
    name: "changes of the memo",
    has: ({ upsertMemo }) => upsertMemo === true,
    isNeeded: true,
    without: "Missions cannot show what they wait for and what they used. Upgrade the server.",
  },
  {
    name: "schedules",
    has: ({ supportsSchedules }) => supportsSchedules === true,
    without: "Nothing can be started by the clock. On a cluster set frontend.enableSchedules to true.",
  },
  {
    name: "encoded failures",
    has: ({ encodedFailureAttributes }) => encodedFailureAttributes === true,
    without: "With an encryption key, messages of errors stay in the clear. Upgrade the server.",
  },
  {
    name: "Nexus",
    has: ({ nexus }) => nexus === true,
    without: "Other namespaces cannot start missions here (docs/embedding.md). All else works.",
  },
  {
    name: "eager start of workflows",
    has: ({ eagerWorkflowStart }) => eagerWorkflowStart === true,
    without: "A start takes a round trip more. All works.",
  },
  {
    name: "polls that end with their worker",
    has: ({ workerPollCompleteOnShutdown }) => workerPollCompleteOnShutdown === true,
    without:
      "A call that the server gives to a worker in the moment in which it stops is noticed as lost by a time limit only, and about an irreversible one a person is asked. Workers of `navigator worker` wait a second for such calls.",
  },
];

/** The features that a server lacks. */
export const lackingFeatures = (capabilities: ServerCapabilities): Feature[] =>
  FEATURES.filter(({ has }) => !has(capabilities));

/** Asks a server and a namespace what they can. */
export async function capabilitiesOf(
  { workflowService }: Pick<Connection, "workflowService">,
  namespace: string,
): Promise<ServerCapabilities> {
  const [{ capabilities }, { namespaceInfo }] = await Promise.all([
    workflowService.getSystemInfo({}),
    workflowService.describeNamespace({ namespace }),
  ]);
  return { ...capabilities, ...namespaceInfo?.capabilities };
}
