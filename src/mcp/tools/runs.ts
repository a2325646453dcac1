import { randomUUID } from "node:crypto";
import * as z from "zod";
import { flatten, missionTree } from "../../client/mission-tree";
import { agentWorkflowId } from "../../core/base/ids";
import type { JsonObject } from "../../core/base/json";
import { knownAgent } from "../../project/known-parts";
import { shortModelNames } from "../../project/short-model-names";
import { checkAgentMayRecord } from "../client-features/right-to-decide";
import { pollUntil } from "../client-features/wait";
import { sessionAgent } from "../context/session-agent";
import { type Call, CHANGE, LONGEST_CALL_MS, READ, RUN, tool } from "../context/tool";
import { askWorkflow } from "../results/errors";
import { effectsAnswer, errorOfTree, logText } from "../results/mission-texts";
import { type RunProgress, runAnswer, runProgress } from "../results/run-answer";
import { EffectData, JournalRowData, missionId, Waiting } from "../results/schemas";

/** The shared code of the tools that return a run. A call never waits for long; the run continues without it. */

const waitSeconds = z
  .number()
  .min(0)
  .max(LONGEST_CALL_MS / 1000)
  .describe("Longest wait for the end");
const runId = z.string().min(1).describe("Run id, as run_agent answers it");

const Handle = z.object({ tool: z.string(), arguments: z.looseObject({}) });
const Run = z.looseObject({
  runId: z.string(),
  workflowId: z.string(),
  status: z.enum(["running", "waiting", "completed", "failed", "cancelled"]),
  /** How to ask again, while it runs. */
  handle: Handle.optional(),
  /** The result of an ended run: `return`, or `fail` with its reason. */
  step: z.looseObject({}).optional(),
  blocked: z.string().optional(),
  waiting: z.unknown().optional(),
  reviews: z.array(Waiting).optional(),
  /** Why a failed run failed. */
  error: z.string().optional(),
});

async function waitForRun(id: string, call: Call, waitMs: number) {
  let last: RunProgress = { status: "running" };
  const settled = async () => {
    const state = await runProgress(call.client, agentWorkflowId(id));
    last = state;
    return state.status === "running" ? null : state;
  };
  const state = await pollUntil(call, waitMs, settled);
  return runAnswer(id, state ?? (await withBlocked(last, id, call)));
}

/** What an agent below the run lacks, or a task queue that nobody serves: the run itself does not know it. */
async function withBlocked(last: RunProgress, id: string, { client }: Call): Promise<RunProgress> {
  if (last.blocked !== undefined) return last;
  const [first] = await client.blocked(agentWorkflowId(id));
  return first === undefined ? last : { ...last, blocked: `blocked: ${first.text}. ${first.help}` };
}

const RunInput = z.strictObject({
  agent: z.string().min(1).describe("Name of one of the project's agents"),
  context: z.looseObject({}).default({}).describe("Input of the agent"),
  id: z.string().min(1).describe("Run id; the same call again answers with that run").optional(),
  waitSeconds: waitSeconds.default(20),
});
type RunArguments = z.infer<typeof RunInput>;

export const runAgentTool = tool({
  name: "run_agent",
  title: "Run an agent",
  description:
    "Starts a mission: one of the project's agents on a context. Waits a little for its end; `status: running` has the handle to ask again (get_run). The mission continues.",
  input: RunInput,
  data: Run,
  scope: "start",
  hints: RUN,
  view: "mission",
  errors: ["agent_not_found", "id_in_use", "invalid_id", "payload_too_large", "validation_error"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ waitSeconds: seconds, ...asked }, call) =>
    waitForRun(await startRun(asked, call), call, seconds * 1000),
  begin: async (args, call) => agentWorkflowId(await startRun(args, call)),
});

/** @throws NavigatorError `agent_not_found`, `validation_error` for a context that does not fit */
async function startRun(
  { agent: name, context, id }: Pick<RunArguments, "agent" | "context" | "id">,
  { client, extra, serverContext }: Pick<Call, "client" | "extra" | "serverContext">,
): Promise<string> {
  const agent = knownAgent(serverContext.project, name);
  const run = await client.startAgent({
    agent,
    context: context as JsonObject,
    untrusted_context: true,
    id: id ?? randomUUID(),
    model: serverContext.model,
    requested_by: sessionAgent({ extra, serverContext }).id,
    llm_registry: shortModelNames(serverContext.project.models ?? {}),
  });
  return run.id;
}

export const getRunTool = tool({
  name: "get_run",
  title: "One run of an agent",
  description: "The state or result of a mission. Waits for its end with `waitSeconds`.",
  input: z.strictObject({ runId, waitSeconds: waitSeconds.default(0) }),
  data: Run,
  hints: READ,
  view: "mission",
  errors: ["not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: ({ runId: id, waitSeconds: seconds }, call) => waitForRun(id, call, seconds * 1000),
});

export const getJournalTool = tool({
  name: "get_journal",
  title: "Journal of a mission",
  description: "The records of a mission in order, from its history. A task has those of its agent runs (`runs`).",
  input: z.strictObject({ id: missionId }),
  data: z.object({
    workflowId: z.string(),
    rows: z.array(JournalRowData),
    runs: z.array(z.object({ workflowId: z.string(), rows: z.array(JournalRowData) })),
    error: z.string().optional(),
  }),
  hints: READ,
  errors: ["not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, { client }) => {
    const at = agentWorkflowId(given);
    const tree = await askWorkflow(at, () => missionTree(client, at));
    const [own, ...runs] = flatten(tree).map(({ workflow_id, projection }) => ({
      workflowId: workflow_id,
      rows: projection.rows,
    }));
    return { ...own, runs, ...errorOfTree(tree) };
  },
});

export const getMissionLogTool = tool({
  name: "get_mission_log",
  title: "Mission Log",
  description: "The Mission Log of a mission, or of every run of a task, as text.",
  input: z.strictObject({ id: missionId }),
  data: z.object({ workflowId: z.string(), missionLog: z.string(), error: z.string().optional() }),
  hints: READ,
  view: "mission",
  errors: ["not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, { client }) => {
    const workflowId = agentWorkflowId(given);
    const tree = await askWorkflow(workflowId, () => missionTree(client, workflowId));
    return { workflowId, missionLog: logText(tree), ...errorOfTree(tree) };
  },
});

export const getEffectsTool = tool({
  name: "get_effects",
  title: "Effects of a mission",
  description:
    "The effects of a mission or task: each once, with its state (done, refused, failed, unknown, undone) and its key. Unknown ones come first.",
  input: z.strictObject({ id: missionId }),
  data: z.object({
    workflowId: z.string(),
    summary: z.string(),
    effects: z.array(EffectData),
    leftOut: z.int().optional(),
    error: z.string().optional(),
  }),
  hints: READ,
  view: "mission",
  errors: ["not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, { client }) => {
    const workflowId = agentWorkflowId(given);
    return askWorkflow(workflowId, () => effectsAnswer(client, workflowId));
  },
});

export const recordDecisionTool = tool({
  name: "record_decision",
  title: "Record a decision",
  description:
    "Records a decision in the journal of a running or waiting mission. Refused without `navigator mcp --may decide`, because the session is an agent. Only `overwrite` replaces a record.",
  input: z.strictObject({
    id: missionId,
    journalId: z.string().min(1).describe("E.g. payment_confirmed_42"),
    value: z.unknown().describe("Any JSON value"),
    by: z.string().min(1).describe("Omit it: an agent decides under its own name").optional(),
    note: z.string().describe("Why").optional(),
    overwrite: z.boolean().describe("Replace an existing record").optional(),
  }),
  data: z.object({ row: JournalRowData }),
  scope: "decide",
  hints: CHANGE,
  errors: ["not_found", "agents_may_not_decide", "wrong_kind", "already_exists"],
  run: async ({ id: given, journalId, value, by, ...rest }, call) => {
    checkAgentMayRecord(by, call);
    const { client } = call;
    const decision = { id: journalId, value: value as never, by: sessionAgent(call).id, ...rest };
    return { row: await askWorkflow(agentWorkflowId(given), () => client.agent(given).recordDecision(decision)) };
  },
});
