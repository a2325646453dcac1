import { randomUUID } from "node:crypto";
import * as z from "zod";
import { agentWorkflowId } from "../../core/base/ids";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { type RunState, runState } from "../answers/run-state";
import { Waiting } from "../answers/schemas";
import { lookUntil } from "../asking/wait";
import type { ServerParts } from "../server-context";
import { type Call, LONGEST_CALL_MS, READ, RUN, tool } from "../tool";

/** Missions: one agent, run once. A call never waits for long; the run goes on without it. */

const waitSeconds = z
  .number()
  .min(0)
  .max(LONGEST_CALL_MS / 1000)
  .describe("How long to wait for the end before answering with what there is");
const runId = z.string().min(1).describe("Run id, as run_agent answers it");

const Handle = z.object({ tool: z.string(), arguments: z.looseObject({}) });
const Run = z.looseObject({
  runId: z.string(),
  workflowId: z.string(),
  status: z.enum(["running", "waiting", "completed", "failed"]),
  /** How to ask again, while it is not over. */
  handle: Handle.optional(),
  /** What a run that is over gave: `return`, or `fail` with its reason. */
  step: z.looseObject({}).optional(),
  waiting: z.unknown().optional(),
  reviews: z.array(Waiting).optional(),
});

const RunInput = z.strictObject({
  agent: z.string().min(1).describe("Name of one of the project's agents"),
  context: z.looseObject({}).default({}).describe("Input of the agent"),
  id: z.string().min(1).describe("Run id; the same id again answers with that run and repeats nothing").optional(),
  waitSeconds: waitSeconds.default(20),
});

export type RunArguments = z.infer<typeof RunInput>;

export const runAgent = tool({
  name: "run_agent",
  title: "Run an agent",
  description:
    "Starts a mission: one of the project's agents on a context. Waits a little for its end; `status: running` comes with the handle to ask again (get_run). The mission goes on in any case.",
  input: RunInput,
  data: Run,
  hints: RUN,
  errors: ["agent_not_found", "payload_too_large"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ waitSeconds: seconds, ...asked }, call) => watched(await startRun(asked, call), call, seconds * 1000),
});

/** @throws NavigatorError `agent_not_found` */
export async function startRun(
  { agent: name, context, id }: Pick<RunArguments, "agent" | "context" | "id">,
  { client, parts }: Pick<Call, "client" | "parts">,
): Promise<string> {
  const agent = agentOf(name, parts);
  const run = await client.startAgent({
    agent,
    context: context as JsonObject,
    id: id ?? randomUUID(),
    model: parts.model,
  });
  return run.id;
}

function agentOf(name: string, { project: { agents } }: ServerParts) {
  if (Object.hasOwn(agents, name)) return agents[name] as (typeof agents)[string];
  const names = Object.keys(agents);
  throw new NavigatorError("agent_not_found", `The project has no agent "${name}".`, {
    hint: names.length === 0 ? "It has no agents: see navigator.config." : `Agents: ${names.join(", ")}`,
    details: { agents: names },
  });
}

export const getRun = tool({
  name: "get_run",
  title: "One run of an agent",
  description: "How a mission stands, or what it gave. Waits for its end if told to.",
  input: z.strictObject({ runId, waitSeconds: waitSeconds.default(0) }),
  data: Run,
  hints: READ,
  errors: ["run_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: ({ runId: id, waitSeconds: seconds }, call) => watched(id, call, seconds * 1000),
});

async function watched(id: string, call: Call, waitMs: number) {
  const settled = async () => {
    const state = await runState(call.client, agentWorkflowId(id));
    return state.status === "running" ? null : state;
  };
  const state = await lookUntil(call, waitMs, settled);
  return runAnswer(id, state ?? { status: "running" });
}

/** What is answered of a run, now or when a client asks for the result of its task. */
export function runAnswer(id: string, state: RunState) {
  const over = state.status === "completed" || state.status === "failed";
  const handle = { tool: "get_run", arguments: { runId: id } };
  return { runId: id, workflowId: agentWorkflowId(id), ...state, ...(over ? {} : { handle }) };
}
