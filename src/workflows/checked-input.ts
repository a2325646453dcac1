import { workflowInfo } from "@temporalio/workflow";
import type { Result } from "../core/base/failure";
import type { InputOrigin } from "../core/base/input/workflow-input";
import { isObject } from "../core/base/is-object";
import type { RunFormat } from "../core/base/run-format";
import { valueOrReject } from "./failures";
import { formatOf } from "./run-format";

/**
 * The input of a workflow, with the conventions of the run. A wrong one ends the workflow at once with `invalid_input`, and each
 * missing field gets its default.
 *
 * @param read a pure function of the input and its origin
 * @throws NavigatorError `unknown_run_format`, for the workflow task alone: see `formatOf`
 */
export function checkedInput<T extends RunFormat>(
  raw: unknown,
  read: (raw: unknown, origin: Required<InputOrigin>) => Result<T>,
): T {
  const format = formatOf(raw);
  return { ...valueOrReject(read(raw, { knownFields: isUnnamed(raw), continued: isContinued() })), ...format };
}

/** Any workflow can continue as a run of ours, and the server as well: for a cron schedule or a retry policy. */
export const isContinued = (): boolean => workflowInfo().continuedFromExecutionRunId !== undefined;

/** Whether an input names no conventions: a plain client has written it, whose unknown fields are mistakes. */
export const isUnnamed = (raw: unknown): boolean => !isObject(raw) || raw.format === undefined;
