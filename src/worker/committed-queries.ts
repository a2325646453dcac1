import { type coresdk, temporal } from "@temporalio/proto";
import type { NativeConnection, Worker } from "@temporalio/worker";
import type { Workflow, WorkflowCreateOptions, WorkflowCreator } from "@temporalio/worker/lib/workflow/interface";
import { UNCOMMITTED_TASK } from "../core/base/error-codes";

type Activation = coresdk.workflow_activation.IWorkflowActivation;
type Completion = coresdk.workflow_completion.IWorkflowActivationCompletion;
type Reads = Pick<NativeConnection, "workflowService">;

const {
  EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
  EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
} = temporal.api.enums.v1.EventType;
/** What ends a workflow in the middle of a task: nothing comes behind it. */
const ENDS: unknown[] = [EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED, EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT];
/** The SDK's core gives this id to a query that comes by itself, and not with a workflow task. */
const ALONE = "legacy_query";
/** Of the history, from its end: what it has since a workflow task is mostly less. */
const PAGE = 10;

/**
 * Has a worker answer queries only from what is in the history. A query that comes by itself can reach a worker which does not have the
 * workflow, while another one, killed perhaps, has its workflow task. The SDK then runs the workflow over all events, those of the open task
 * too, and keeps it. The next task goes on from there: its commands are in an order, and with times, that no replay comes to, and the
 * workflow stands still with `TMPRL1100`. Here such a query fails with `UNCOMMITTED_TASK` (`askQuery` asks again), and with that the SDK forgets the
 * workflow. The price is one look at the history for the first query after a workflow task (docs/decisions/0058).
 */
export function answerFromCommitted(worker: Worker): void {
  if (guarded.has(worker)) return;
  guarded.add(worker);
  const { workflowCreator, connection, options } = worker as unknown as {
    workflowCreator: WorkflowCreator | undefined;
    connection: Reads;
    options: { namespace: string; identity: string };
  };
  if (workflowCreator === undefined) return;
  const create = workflowCreator.createWorkflow.bind(workflowCreator);
  workflowCreator.createWorkflow = async (made) =>
    new CommittedAnswers(await create(made), new TaskHistory(connection, options, made));
}

/** A plugin that is given to the connection and to the worker is asked twice. */
const guarded = new WeakSet<Worker>();

/** Whether this worker has answered a workflow task, as the history of a run has it. */
export class TaskHistory {
  private readonly execution: temporal.api.common.v1.IWorkflowExecution;

  constructor(
    private readonly connection: Reads,
    private readonly worker: { namespace: string; identity: string },
    { info }: Pick<WorkflowCreateOptions, "info">,
  ) {
    this.execution = { workflowId: info.workflowId, runId: info.runId };
  }

  /**
   * What another worker has answered it may have answered otherwise: with messages that came with the task.
   *
   * @param started the event with which it began: that of its answer stands right behind it
   */
  async hasAnswer(started: number): Promise<boolean> {
    const { workflowService } = this.connection;
    const { namespace, identity } = this.worker;
    for (let nextPageToken: Uint8Array | undefined; ; ) {
      const page = await workflowService.getWorkflowExecutionHistoryReverse({
        namespace,
        execution: this.execution,
        maximumPageSize: PAGE,
        nextPageToken,
      });
      const events = page.history?.events ?? [];
      if (nextPageToken === undefined && ENDS.includes(events[0]?.eventType)) return true;
      const behind = events.find(({ eventId }) => Number(eventId) === started + 1);
      if (behind !== undefined)
        return (
          behind.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED &&
          behind.workflowTaskCompletedEventAttributes?.identity === identity
        );
      const last = events.at(-1);
      if (last === undefined || Number(last.eventId) <= started) return false;
      nextPageToken = page.nextPageToken;
    }
  }
}

/** A workflow in a worker. */
export class CommittedAnswers implements Workflow {
  /** The last event that it has seen with something to do, unless that is known to be answered in the history. */
  private unsure: number | undefined;

  constructor(
    private readonly workflow: Workflow,
    private readonly history: Pick<TaskHistory, "hasAnswer">,
  ) {}

  async activate(activation: Activation): Promise<Completion> {
    const jobs = activation.jobs ?? [];
    if (jobs.every(({ queryWorkflow }) => queryWorkflow != null)) {
      const isAlone = jobs.some(({ queryWorkflow }) => queryWorkflow?.queryId === ALONE);
      if (isAlone && this.unsure !== undefined) {
        if (!(await this.history.hasAnswer(this.unsure))) return refusal(activation);
        this.unsure = undefined;
      }
      return this.workflow.activate(activation);
    }
    const completion = await this.workflow.activate(activation);
    // What is replayed is in the history. A task with nothing but refused updates never gets there, and changes nothing.
    if (activation.isReplaying === true) this.unsure = undefined;
    else if (!refusesAll(jobs, completion)) this.unsure = activation.historyLength ?? 0;
    return completion;
  }

  getAndResetSinkCalls(): ReturnType<Workflow["getAndResetSinkCalls"]> {
    return this.workflow.getAndResetSinkCalls();
  }

  dispose(): Promise<void> {
    return this.workflow.dispose();
  }
}

const refusal = ({ runId }: Activation): Completion => ({ runId, failed: { failure: { message: UNCOMMITTED_TASK } } });

function refusesAll(jobs: NonNullable<Activation["jobs"]>, { successful }: Completion): boolean {
  const commands = successful?.commands ?? [];
  const refused = commands.filter(({ updateResponse }) => updateResponse?.rejected != null);
  return jobs.every(({ doUpdate }) => doUpdate != null) && refused.length > 0 && refused.length === commands.length;
}
