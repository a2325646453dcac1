import { patched } from "@temporalio/workflow";
import { isObject } from "../core/base/is-object";
import { NavigatorError } from "../core/base/navigator-error";
import { FLAGS, presentFormat, type RunFormat, sameFormat, unknownFormat } from "../core/base/run-format";

/**
 * The conventions that a run keeps: those of its input. A plain Temporal client does not name them; its run gets those of the
 * worker that begins it, and a marker in the history notes each flag.
 *
 * @throws NavigatorError `unknown_run_format`: see `givenFormat`
 */
export function formatOf(raw: unknown): RunFormat {
  const given = givenFormat(raw);
  if (given.format !== undefined) return given;
  return presentFormat(Object.keys(FLAGS).filter((flag) => patched(flag)));
}

/**
 * The conventions that an input names, for a workflow without own paths by flags as well: a later version may give it some.
 *
 * @throws NavigatorError `unknown_run_format`. It fails the workflow task, not the run: nothing gets into the history, the server
 *   gives the task out again after a growing pause, and a worker that knows the conventions takes it.
 */
export function givenFormat(raw: unknown): RunFormat {
  const given: RunFormat = isObject(raw) ? raw : {};
  const unknown = unknownFormat(given);
  if (unknown !== null)
    throw new NavigatorError("unknown_run_format", `This run has ${unknown}, which this worker does not know.`);
  return sameFormat(given);
}
