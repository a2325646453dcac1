import { CancellationScope, isCancellation } from "@temporalio/workflow";
import { failed, type Result } from "../../core/base/failure";

/**
 * Races work against an absolute deadline in ms since 1970 (agent reference, section 18.4). What is given up is
 * cancelled: a tool in flight may have had its effect.
 */
export async function beforeDeadline<T>(
  deadline_ms: number | undefined,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  if (deadline_ms === undefined) return work();
  const late = failed("mission_timeout", "The mission's time limit has passed; what was under way is given up.");
  const left = deadline_ms - Date.now();
  if (left <= 0) return late;
  const scope = new CancellationScope({ cancellable: true, timeout: left });
  try {
    return await scope.run(work);
  } catch (error) {
    // Somebody else's cancellation passes.
    if (isCancellation(error) && Date.now() >= deadline_ms) return late;
    throw error;
  }
}
