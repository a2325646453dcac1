import { jsonBytes } from "../../core/base/bytes";
import type { Failure } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import { withMovesIn } from "../../core/graph/task/recent-moves";
import type { NavigatorTaskInput } from "../navigator-task-input";

/** The input of a task that continues as new must fit into one payload, also after the moves of the next run. */

/** Above this size a task drops its oldest moves: it only counts them. */
export const MAX_CONTINUED_BYTES = MAX_PAYLOAD_BYTES / 2;
const MAX_MOVES_BYTES = MAX_CONTINUED_BYTES / 2;

const bytesOf = (input: NavigatorTaskInput): number => jsonBytes(input as unknown as Json);

/** The input of the next run, without its oldest moves if it is large; null if it is too large without them. */
export function fitTaskInput(input: NavigatorTaskInput): NavigatorTaskInput | null {
  if (bytesOf(input) <= MAX_CONTINUED_BYTES) return input;
  const { task, outputs } = withMovesIn(input.task, MAX_MOVES_BYTES);
  const earlier = { ...input.outputs, ...outputs };
  const light = { ...input, task, ...(Object.keys(earlier).length === 0 ? {} : { outputs: earlier }) };
  return bytesOf(light) <= MAX_PAYLOAD_BYTES ? light : null;
}

/** Returns the failure of a task that can neither continue nor continue as new. */
export function taskTooLong(input: NavigatorTaskInput): Failure {
  const bytes = bytesOf(input);
  return {
    reason: "payload_too_large",
    message: `The task's history is nearly as long as a server takes, and the task's state is ${bytes} bytes; ${MAX_PAYLOAD_BYTES} may be passed to a new run. Its context, the journals of its agents and the outputs of its steps should have references instead of data.`,
    details: { bytes, limit: MAX_PAYLOAD_BYTES },
  };
}
