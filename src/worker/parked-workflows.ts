import type { coresdk } from "@temporalio/proto";
import type { NativeConnection } from "@temporalio/worker";
import type { Workflow, WorkflowCreateOptions } from "@temporalio/worker/lib/workflow/interface";
import { ALONE } from "./committed-queries";

type Activation = coresdk.workflow_activation.IWorkflowActivation;
type Job = coresdk.workflow_activation.IWorkflowActivationJob;
type Completion = coresdk.workflow_completion.IWorkflowActivationCompletion;

/** Navigator's own. Others are the business of those who wrote them. */
export const OWN_TYPES: ReadonlySet<string> = new Set([
  "agentRun",
  "scheduledAgent",
  "effectGuard",
  "planRun",
  "navigatorTask",
  "taskTree",
  "undoRun",
  "workflowDefinition",
]);

/** A workflow that waits stays in memory for so long after the last thing that happened to it. */
const STAYS_MS = 10_000;
/** The same for each of its events: it waits for at least a hundred times as long as it takes to read it again. */
const STAYS_MS_PER_EVENT = 50;
/** Evictions under way at a time. */
const AT_ONCE = 4;
const EVICT = "navigatorEvict";

/** What the workflows of one worker share. */
export interface ParkedOptions {
  connection: Pick<NativeConnection, "workflowService">;
  namespace: string;
  /** Default: as above. */
  staysMs?: (events: number) => number;
}

/**
 * Takes workflows that wait out of a worker's memory, each by a query to itself. The SDK has no other way: what fails a query that comes by
 * itself is forgotten (`ParkedWorkflow`), and nothing of it gets into a history.
 */
export class ParkedWorkflows {
  private readonly waiting = new Set<ParkedWorkflow>();
  private open = 0;

  constructor(private readonly options: ParkedOptions) {}

  staysMs(events: number): number {
    const { staysMs = (many: number) => Math.max(STAYS_MS, many * STAYS_MS_PER_EVENT) } = this.options;
    return staysMs(events);
  }

  /** Something has happened to it, or it is gone. */
  keep(workflow: ParkedWorkflow): void {
    this.waiting.delete(workflow);
  }

  evict(workflow: ParkedWorkflow): void {
    this.waiting.add(workflow);
    void this.work();
  }

  private async work(): Promise<void> {
    if (this.open >= AT_ONCE) return;
    this.open += 1;
    for (const workflow of this.waiting) {
      this.waiting.delete(workflow);
      await this.ask(workflow);
    }
    this.open -= 1;
  }

  private async ask(workflow: ParkedWorkflow): Promise<void> {
    const { connection, namespace } = this.options;
    const { execution } = workflow;
    try {
      await connection.workflowService.queryWorkflow({ namespace, execution, query: { queryType: EVICT } });
    } catch {
      // Its failure is what evicts it. Where the server could not be asked, it is asked later.
    }
    workflow.wait();
  }
}

/**
 * A workflow in a worker, which leaves its memory when nothing has happened for some time, unless its activities are at work. The next message or timer has it
 * read from its history again, as after a restart (docs/decisions/0065).
 */
export class ParkedWorkflow implements Workflow {
  readonly execution: { workflowId: string; runId: string };
  private readonly isOwn: boolean;
  private activities = 0;
  private events = 0;
  private timer: NodeJS.Timeout | undefined;
  private isGone = false;

  constructor(
    private readonly workflow: Workflow,
    { workflowId, runId, workflowType }: WorkflowCreateOptions["info"],
    private readonly parked: ParkedWorkflows,
  ) {
    this.execution = { workflowId, runId };
    this.isOwn = OWN_TYPES.has(workflowType);
  }

  async activate(activation: Activation): Promise<Completion> {
    const jobs = activation.jobs ?? [];
    const evictions = jobs.filter(({ queryWorkflow }) => queryWorkflow?.queryType === EVICT);
    // A query that comes by itself is the only job. With a workflow task there may be others.
    if (evictions[0]?.queryWorkflow?.queryId === ALONE) return evicted(activation);
    this.stay();
    const others = evictions.length === 0 ? activation : { ...activation, jobs: jobs.filter(isNot(evictions)) };
    const completion =
      others.jobs?.length === 0 && evictions.length > 0
        ? { runId: activation.runId, successful: {} }
        : await this.workflow.activate(others);
    this.events = activation.historyLength ?? this.events;
    this.activities += begun(completion) - jobs.filter(({ resolveActivity }) => resolveActivity != null).length;
    this.wait();
    return evictions.length === 0 ? completion : withRefusals(completion, evictions);
  }

  /** Leaves the memory after some time in which nothing happens. */
  wait(): void {
    if (this.isGone || !this.isOwn || this.activities > 0) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.parked.evict(this), this.parked.staysMs(this.events));
    this.timer.unref();
  }

  private stay(): void {
    clearTimeout(this.timer);
    this.parked.keep(this);
  }

  getAndResetSinkCalls(): ReturnType<Workflow["getAndResetSinkCalls"]> {
    return this.workflow.getAndResetSinkCalls();
  }

  dispose(): Promise<void> {
    this.isGone = true;
    this.stay();
    return this.workflow.dispose();
  }
}

const evicted = ({ runId }: Activation): Completion => ({
  runId,
  failed: { failure: { message: "The workflow waits, and leaves the memory of its worker." } },
});

const isNot = (evictions: readonly Job[]) => (job: Job) => !evictions.includes(job);

/** Activities, also local ones, that the workflow has begun now. */
function begun({ successful }: Completion): number {
  const commands = successful?.commands ?? [];
  return commands.filter(({ scheduleActivity, scheduleLocalActivity }) => scheduleActivity ?? scheduleLocalActivity)
    .length;
}

/** Something else happens meanwhile: it is not evicted now. */
function withRefusals(completion: Completion, evictions: readonly Job[]): Completion {
  if (completion.successful == null) return completion;
  const refusals = evictions.map(({ queryWorkflow }) => ({
    respondToQuery: { queryId: queryWorkflow?.queryId, failed: { message: "The workflow is at work." } },
  }));
  return {
    ...completion,
    successful: { ...completion.successful, commands: [...(completion.successful.commands ?? []), ...refusals] },
  };
}
