import * as z from "zod";
import { agentWorkflowId } from "../../../core/base/ids";
import { pollUntil } from "../../client-features/wait";
import { type Call, LONGEST_CALL_MS } from "../../context/tool";
import { type RunProgress, runAnswer, runProgress } from "../../results/run-state";
import { Waiting } from "../../results/schemas";

/** The shared code of the tools that return a run. A call never waits for long; the run continues without it. */

export const waitSeconds = z
  .number()
  .min(0)
  .max(LONGEST_CALL_MS / 1000)
  .describe("Longest wait for the end");
export const runId = z.string().min(1).describe("Run id, as run_agent answers it");

const Handle = z.object({ tool: z.string(), arguments: z.looseObject({}) });
export const Run = z.looseObject({
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

export async function waitForRun(id: string, call: Call, waitMs: number) {
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
