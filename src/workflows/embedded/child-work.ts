import {
  ApplicationFailure,
  type SearchAttributePair,
  TemporalFailure,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
} from "@temporalio/common";
import { ParentClosePolicy, startChild } from "@temporalio/workflow";
import { shownDetails, shownSummary } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import type { ProjectName } from "../../core/base/ids";
import { startableProject } from "../../core/base/input/project";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../../core/base/limits";
import { NavigatorError } from "../../core/base/navigator-error";
import { rootCause } from "../failures";
import { INTENT_MEMO } from "../start/intent";
import type { WorkShare } from "../start/priority";
import type { ShareOfStart, WorkStart } from "../start/work-start";

/** Missions, tasks and plans as children of workflows that are not Navigator's. */

/** How work of Navigator is started from another workflow. */
export interface ChildWorkOptions extends WorkShare {
  /** The project that it belongs to: its id begins with it. Default: none. Clients list it with the same project. */
  project?: string;
  /** The task queue whose workers run it. Default: the task queue of this workflow, whose worker has the plugin. */
  taskQueue?: string;
  /**
   * What Temporal does with the child when this workflow ends first: `REQUEST_CANCEL` (default), `ABANDON` (it
   * continues), or `TERMINATE`, which leaves it no time to end the work that it has begun.
   */
  parentClosePolicy?: "REQUEST_CANCEL" | "ABANDON" | "TERMINATE";
  /** The application's own search attributes. */
  searchAttributes?: SearchAttributePair[];
  /** A memo of yours. Its field `intent` is Navigator's. */
  memo?: { [field: string]: unknown };
}

/** The options of `runAgent` and the others, without those of the child workflow. */
export function withoutChildOptions<T extends ChildWorkOptions>(options: T) {
  const { project, taskQueue, parentClosePolicy, searchAttributes, memo, priority, fairness, ...rest } = options;
  return {
    child: defined({ project, taskQueue, parentClosePolicy, searchAttributes, memo, priority, fairness }),
    rest,
  };
}

/** Returns a child's share of busy workers: the given one, else that of the calling workflow. */
export const shareOfChild = ({ priority, fairness }: ChildWorkOptions): ShareOfStart => ({
  isChild: true,
  ...defined({ priority, fairness }),
});

/** The project of a child. @throws NavigatorError `bad_project` */
export const projectOfChild = ({ project }: ChildWorkOptions): ProjectName => startableProject(project ?? null);

/** Starts it. Each id is used once, as by a client. @throws NavigatorError `id_in_use` */
export async function startChildWork<Result, Input>(
  type: string,
  { workflowId, args, typedSearchAttributes, staticSummary, staticDetails, priority, intent, named }: WorkStart<Input>,
  { taskQueue, parentClosePolicy = "REQUEST_CANCEL", searchAttributes = [], memo = {} }: ChildWorkOptions,
) {
  try {
    return await startChild<(input: Input) => Promise<Result>>(type, {
      workflowId,
      args: args as never,
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      parentClosePolicy: ParentClosePolicy[parentClosePolicy],
      typedSearchAttributes: [...typedSearchAttributes, ...searchAttributes],
      memo: { ...memo, [INTENT_MEMO]: intent },
      staticSummary: shownSummary(staticSummary),
      staticDetails: shownDetails(staticDetails),
      ...defined({ taskQueue, priority }),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new NavigatorError("id_in_use", `There is a ${named.what} with the id "${named.id}" already.`, {
      hint: "Give each piece of work a unique id, or none.",
      details: { id: named.id },
    });
  }
}

/**
 * An error of Navigator as a failure of the workflow that called: its code is the failure's `type`. Any other kind of error
 * would make the SDK run the workflow task again, for ever.
 */
export async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NavigatorError) || error instanceof TemporalFailure) throw error;
    const { message, code, details, hint } = error;
    throw ApplicationFailure.create({
      message: hint === undefined ? message : `${message} ${hint}`,
      type: code,
      nonRetryable: true,
      details: [details ?? {}],
      cause: error,
    });
  }
}

/** The result of a child. One that failed has its result in the details of its failure, and it is given all the same. */
export async function keptResult<T>(
  result: () => Promise<T>,
  isResult: (details: unknown) => details is T,
): Promise<T> {
  try {
    return await result();
  } catch (error) {
    const cause = rootCause(error);
    const kept = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    if (isResult(kept)) return kept;
    throw error;
  }
}
