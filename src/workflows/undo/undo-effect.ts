import { isCancellation } from "@temporalio/workflow";
import { defined } from "../../core/base/defined";
import type { Result } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import type { UndoEffectInput } from "../../core/calls/activities";
import type { Owner } from "../../core/calls/owner";
import { undoKey } from "../../core/effects/effect-key";
import type { UndoStep } from "../../core/effects/undo/undo-plan";
import { blockedUndoCalls, undoCalls } from "../activity-calls";
import { type BlockedCalls, NotConfigured, notConfigured, unlessItFails } from "../blocked-calls";
import { toolCallFailure } from "../failures";

/**
 * Takes one effect back. The call is tried again after a lost worker, with the same key, and waits for a worker that has
 * the tool. A failure has the code `unknown_outcome` when the answer was lost after all attempts.
 *
 * @param owner the task or plan that the run works for, if it would outlive it
 * @param because what of the mission asked for it; absent in an undo of the whole mission
 */
export async function undoOnWorker(
  blocked: BlockedCalls,
  step: UndoStep,
  {
    agent = null,
    owner,
    because,
  }: { agent?: string | null; owner?: Owner | undefined; because?: string | undefined } = {},
): Promise<Result<Json>> {
  const { key, tool, args, result, task, turn, task_queue } = step;
  const input: UndoEffectInput = {
    name: tool,
    args,
    result,
    idempotency_key: undoKey(key),
    call_key: key,
    agent,
    task: task ?? null,
    turn,
    ...defined({ owner, because }),
  };
  const summary = `undo ${tool}${because === undefined ? "" : `: ${because}`}`;
  try {
    return await blocked.served({
      call: () => undoCalls(summary, task_queue).undoEffect(input),
      untilServed: (limit) =>
        unlessItFails(() => blockedUndoCalls(summary, task_queue).undoEffect({ ...input, blocked_ms: limit })),
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (error instanceof NotConfigured) return notConfigured(error);
    return toolCallFailure(tool, error);
  }
}
