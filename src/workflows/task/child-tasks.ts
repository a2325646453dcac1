import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common";
import { getExternalWorkflowHandle, ParentClosePolicy, startChild, workflowInfo } from "@temporalio/workflow";
import type { MissionUsage } from "../../core/agent/budget/mission-usage";
import { shownDetails, shownSummary } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { projectOf, workflowIdFor } from "../../core/base/ids";
import { checkChildId } from "../../core/base/input/id-rule";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../../core/base/limits";
import { type RunFormat, sameFormat } from "../../core/base/run-format";
import type { MissionLedger } from "../../core/effects/mission-ledger";
import { type Child, type ChildReport, childReportOf } from "../../core/graph/task/fork";
import type { ChildStart, VisibleTask } from "../../core/graph/task/machine/actions";
import type { Task } from "../../core/graph/task/task";
import { HANDED_BACK } from "../../core/journal/changes";
import { valueOrReject } from "../failures";
import * as messages from "../messages";
import type { NavigatorTaskInput } from "../navigator-task-input";
import { formatAttributes, taskAttributes } from "../search-attributes";

/** Tasks that start other tasks and wait for them, as workflows (graph reference, sections 9.1 and 9.3). */

/** The workflow `navigatorTask`, as seen by workflows that start it. */
export type TaskWorkflowFunction = (input: NavigatorTaskInput) => Promise<Task>;

/**
 * Starts a child that outlives its parent. If a task with this id exists, the orchestrator has loaded it, and the parent
 * waits for that one.
 *
 * @param parent has the conventions that the child gets
 */
export async function beginChild({ branch, setup }: ChildStart, parent: RunFormat): Promise<Child> {
  const { task, order, definition } = setup;
  valueOrReject(checkChildId(ownTask(task.id)));
  try {
    await startChild<TaskWorkflowFunction>("navigatorTask", {
      workflowId: ownTask(task.id),
      args: [{ ...setup, ...sameFormat(parent) }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      typedSearchAttributes: [...taskAttributes(task, order), ...formatAttributes(parent)],
      staticSummary: shownSummary(`${branch}: task on ${task.workflowType}`),
      staticDetails: shownDetails(definition?.description ?? ""),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return { id: task.id, branch, state: "open", verdict: null };
}

/** Cancels a child that is not needed any more. A child that is over gets no signal. */
export function dropChild(taskId: string): void {
  getExternalWorkflowHandle(ownTask(taskId))
    .signal(messages.cancelTaskSignal, { note: "the task that it belongs to continued without it" })
    .catch(() => {});
}

/** Reports the state of this task to the task that waits for it, after each change. */
export class ParentReporter {
  private sending = false;
  private lastPosition = "";
  private outbox: ChildReport | null = null;

  /**
   * @param ledger what the task has done
   * @param used what it has used
   */
  constructor(
    private readonly ledger: MissionLedger,
    private readonly used: () => MissionUsage,
  ) {}

  /** There is still a report to send. */
  get busy(): boolean {
    return this.sending;
  }

  report({ task, removed, undoing, undo_on_failure }: VisibleTask): void {
    const { parentTaskId } = task;
    if (parentTaskId === undefined || removed || undoing) return;
    const report = { ...childReportOf(task), ...defined({ undo_on_failure }) };
    const position = `${report.state} ${report.verdict}`;
    if (position === this.lastPosition) return;
    this.lastPosition = position;
    const used = this.used();
    const reportedUsage = used.turns === 0 ? {} : { used };
    this.outbox =
      report.state !== "over" ? report : { ...report, ...reportedUsage, [HANDED_BACK]: this.ledger.handedBack() };
    if (!this.sending) void this.send(parentTaskId);
  }

  /** One signal at a time, because two signals that are sent together may arrive in the wrong order. */
  private async send(parentTaskId: string): Promise<void> {
    this.sending = true;
    for (let report = this.outbox; report !== null; report = this.outbox) {
      this.outbox = null;
      await reportTo(parentTaskId, report);
    }
    this.sending = false;
  }
}

/** A parent that does not exist (the orchestrator loaded only a branch) gets no report. */
async function reportTo(parent: string, report: ChildReport): Promise<void> {
  await getExternalWorkflowHandle(ownTask(parent))
    .signal(messages.childReport, report)
    .catch(() => {});
}

/** A task of the project that this workflow belongs to. */
export const ownTask = (id: string): string => workflowIdFor("task", id, projectOf(workflowInfo().workflowId));
