import { workflowInfo } from "@temporalio/workflow";
import type { Result } from "../core/base/failure";
import { isObject } from "../core/base/is-object";
import type { RunFormat } from "../core/base/run-format";
import { valueOrReject } from "./failures";
import { formatOf } from "./run-format";

/**
 * The input of a workflow that any client may have started. A wrong one ends the workflow at once with `invalid_input`, and
 * what is left out gets its default. Three inputs are used as they are: of a run of an earlier version, which must replay;
 * of a run that continues as new; and of a child whose parent is Navigator's own, and was checked.
 *
 * @param read a pure function of the input. `knownFields`: whether it knows all fields that the starter knows.
 * `format`: the conventions that the run keeps
 */
export function checkedInput<T extends RunFormat>(
  raw: unknown,
  read: (raw: unknown, knownFields: boolean, format: number) => Result<T>,
): T {
  const { continuedFromExecutionRunId, parent } = workflowInfo();
  if (continuedFromExecutionRunId !== undefined) return raw as T;
  const own = isObject(raw) ? (raw as RunFormat) : {};
  const named = own.format !== undefined;
  if (named && parent !== undefined) return raw as T;
  const format = formatOf(own);
  if (format === 1 && !named) return raw as T;
  return { ...valueOrReject(read(raw, !named, format)), format };
}
