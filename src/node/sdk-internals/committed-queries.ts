import { type coresdk, temporal } from "@temporalio/proto";
import type { NativeConnection, Worker } from "@temporalio/worker";
import type { Workflow, WorkflowCreateOptions, WorkflowCreator } from "@temporalio/worker/lib/workflow/interface";
import { UNCOMMITTED_TASK } from "../../core/base/error-codes";

type Activation = coresdk.workflow_activation.IWorkflowActivation;
type Completion = coresdk.workflow_completion.IWorkflowActivationCompletion;
type Reads = Pick<NativeConnection, "workflowService">;

const {
  EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
  EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
} = temporal.api.enums.v1.EventType;
/** Events that end a workflow in the middle of a task: no event follows them. */
const ENDS: unknown[] = [EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED, EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT];
/** The id that the SDK's core gives to a query that comes without a workflow task. */
export const ALONE = "legacy_query";
/** Events that are read at a time, from the end of the history: mostly more than it has since the last workflow task. */
const PAGE = 10;

/**
 * Makes a worker answer queries only from the history. A query without a workflow task can reach a worker that has not cached the
 * workflow, while another worker, perhaps a killed one, has its workflow task. The SDK then replays all events, also those of the
 * uncompleted task, and caches the result. The next task continues from there with an order of commands, and with times, that no
 * replay reaches: the workflow stops with `TMPRL1100`. Here such a query fails with `UNCOMMITTED_TASK`, which makes the SDK evict the
 * workflow, and `askQuery` asks again. The first query after a workflow task reads the end of the history for this (decision 58).
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

/** The SDK calls a plugin twice that the connection and the worker have. */
const guarded = new WeakSet<Worker>();

/** The workflow tasks of a run that this worker has completed, from the history. */
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
   * Whether this worker has completed the workflow task that began with the event `started`. The completion is the next event. Another
   * worker may have completed the task differently, with messages that came with the task.
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
      const completion = events.find(({ eventId }) => Number(eventId) === started + 1);
      if (completion !== undefined)
        return (
          completion.eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED &&
          completion.workflowTaskCompletedEventAttributes?.identity === identity
        );
      const last = events.at(-1);
      if (last === undefined || Number(last.eventId) <= started) return false;
      nextPageToken = page.nextPageToken;
    }
  }
}

/** A workflow in a worker that refuses queries while its last workflow task is not in the history. */
export class CommittedAnswers implements Workflow {
  /** The last event of a workflow task that may not be completed in the history. */
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
    // A replayed task is in the history. A task with refused updates only never gets there, and changes nothing.
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
