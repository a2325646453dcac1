import { ApplicationFailure } from "@temporalio/common";
import { isCancellation } from "@temporalio/workflow";
import { failed, ok, type Result } from "../core/base/failure";
import { rootCause } from "./failures";

/**
 * What a child gave. One that ends without a result (it was terminated, its worker lacks what it needs) is a failure
 * for its parent to handle, never the end of the parent. Cancellation passes.
 */
export async function childResult<T>(workflowId: string, run: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await run());
  } catch (error) {
    if (isCancellation(error)) throw error;
    const cause = rootCause(error);
    const reason = cause instanceof ApplicationFailure && cause.type ? cause.type : "agent_lost";
    return failed(reason, cause.message, { workflow_id: workflowId });
  }
}
