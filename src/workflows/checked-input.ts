import { workflowInfo } from "@temporalio/workflow";
import type { Result } from "../core/base/failure";
import { isObject } from "../core/base/is-object";
import type { RunFormat } from "../core/base/run-format";
import { valueOrReject } from "./failures";
import { formatOf } from "./run-format";

/**
 * The input of a workflow that any client may have started, with the conventions of the run. A wrong one ends the workflow at once
 * with `invalid_input`, and each missing field gets its default. The input of a run that continues as new is used as it is: it was checked.
 * That of a child is checked like all others, because a workflow of any application may have started it.
 *
 * @param read a pure function of the input. `knownFields`: whether it knows all fields that the starter knows
 * @throws NavigatorError `unknown_run_format`, for the workflow task alone: see `formatOf`
 */
export function checkedInput<T extends RunFormat>(
  raw: unknown,
  read: (raw: unknown, knownFields: boolean) => Result<T>,
): T {
  const format = formatOf(raw);
  if (workflowInfo().continuedFromExecutionRunId !== undefined) return raw as unknown as T;
  const named = isObject(raw) && raw.format !== undefined;
  return { ...valueOrReject(read(raw, !named)), ...format };
}
