import { randomUUID } from "node:crypto";
import { ActivityNotFoundError, type Client, type ScheduleHandle } from "@temporalio/client";
import { type ChatAnswer, chatAnswer, chatMission } from "../core/agent/chat/chat-mission";
import type { AgentDefinition } from "../core/agent/definition/definition";
import type { AnyAgent, ReturnOf } from "../core/agent/definition/typed-agent";
import { defined } from "../core/base/defined";
import { failed, ok, type Result } from "../core/base/failure";
import {
  agentWorkflowId,
  isTopTask,
  newBareId,
  type ProjectName,
  taskWorkflowId,
  workflowIdIn,
} from "../core/base/ids";
import { checkedId } from "../core/base/input/id-rule";
import { checkedProject, startableProject, taskQueueOf } from "../core/base/input/project";
import type { Json } from "../core/base/json";
import { isAbsent, NavigatorError } from "../core/base/navigator-error";
import { presentFormat } from "../core/base/run-format";
import type { Message } from "../core/calls/host";
import type { PeopleFile } from "../core/review/people/people-file";
import type { PrivateKey } from "../node/identity/keys";
import { sendWholeCharacters } from "../node/sdk-internals/whole-texts";
import type { agentRun, navigatorTask } from "../workflows";
import type { NavigatorTaskInput } from "../workflows/navigator-task-input";
import { type AgentRunOptions, agentRunInput } from "../workflows/start/agent-input";
import type { Fairness, WorkShare } from "../workflows/start/priority";
import { checkedTask, checkSendable, type TaskToRun } from "../workflows/start/sendable";
import { startOfAgent, startOfTask } from "../workflows/start/work-start";
import { type BlockedRun, readBlocked } from "./blocked";
import { type DecidedReview, decideTogether, type SameDecision, type SeenReview } from "./decide-all";
import { ask } from "./errors";
import { AgentHandle, ReviewedHandle, TaskHandle } from "./handles";
import { exportHistory, exportRuns } from "./history";
import { type Inbox, readInbox } from "./inbox";
import { type InboxListOptions, type InboxPage, readInboxPage } from "./inbox-page";
import { missionHistories } from "./mission-tree";
import { type PlanHandle, PlanStarter, type StartPlan } from "./plan-client";
import type { RetriedMission, RetryOptions } from "./retry-mission";
import { type ScheduleAgent, scheduleAgent } from "./schedule";
import {
  type Backfilled,
  type BackfillSpan,
  backfillSchedule,
  type ScheduleOverlap,
  type TriggeredRun,
  triggerSchedule,
} from "./schedule-runs";
import { startOnce } from "./start-once";
import { type MissionUndo, missionUndo, type UndoOptions } from "./undo";

/** The project of a client, and its task queue. */
export interface ClientPlace {
  /** null: none. */
  project: ProjectName;
  /** Default: `navigator-PROJECT`. */
  taskQueue?: string;
}

/** A mission to start. Other fields are limits and options of the run (`budget`, `token_limit`, ...). */
export type StartAgent<A extends AnyAgent = AnyAgent> = AgentRunOptions<A> & StartOptions;

interface StartOptions extends WorkShare {
  /** Run id, without `/` (docs/library.md, "Ids"); the workflow id is `agent/<id>`. */
  id?: string;
  /**
   * What a second start with the same id does. Default: it finds the first run if it asks for the same (agent, context,
   * journal, model and options), and is refused with `id_in_use` otherwise. true: it finds the run in any case.
   */
  join?: boolean;
}

/** A task to start on a graph, with everything it needs. */
export interface StartTask extends TaskToRun {
  /** Whose work it is, for the server's turns. Default: the project, without one the task's issue. */
  fairness?: Fairness;
  /** As for a run. A task that was made at another time is still the same. */
  join?: boolean;
}

/**
 * Starts missions, tasks, plans and schedules, and gives handles on those that exist. It sets all workflow ids, search
 * attributes and start options. Errors are `NavigatorError` with a `code` and, where something can be done, a `hint`.
 */
export class NavigatorClient {
  /** The project whose work this client starts, finds and lists; null = none: the names have no project. */
  readonly project: ProjectName;
  /** Where its workers look for work. */
  readonly taskQueue: string;

  /**
   * @param place the project, by its name: its ids begin with it, and its task queue is `navigator-NAME` unless another
   *   is given. A text is a task queue, without a project.
   * @throws NavigatorError `bad_project` for a name that is not letters, digits and `-`
   */
  constructor(
    readonly temporal: Client,
    place: ClientPlace | string,
  ) {
    sendWholeCharacters();
    const { project, taskQueue } = typeof place === "string" ? { project: null, taskQueue: place } : place;
    this.project = checkedProject(project);
    this.taskQueue = taskQueue ?? taskQueueOf(this.project);
  }

  /**
   * Starts a mission, or finds the one of this id that was started with the same, running or over.
   *
   * @throws NavigatorError `invalid_input`, `invalid_agent` with every mistake; `invalid_id`, `bad_project`, `id_in_use`, `invalid_input`,
   *   `payload_too_large`; `no_worker`, `server_error`.
   */
  async startAgent<A extends AnyAgent>(options: StartAgent<A>): Promise<AgentHandle<ReturnOf<A>>> {
    const { id: given = randomUUID(), join, priority, fairness, ...run } = options as StartAgent;
    startableProject(this.project);
    const id = checkedId("a run", newBareId("agent", given, this.project));
    const input = agentRunInput(run);
    await startOnce<typeof agentRun>(this.temporal, "agentRun", {
      ...startOfAgent(id, this.project, input, defined({ priority, fairness })),
      taskQueue: this.taskQueue,
      join,
    });
    return this.agent(id, options.agent);
  }

  /** Creates or changes a Temporal Schedule: the server starts the runs by the clock. */
  scheduleAgent<A extends AnyAgent>(options: ScheduleAgent<A>): Promise<ScheduleHandle> {
    return scheduleAgent(this, options as ScheduleAgent);
  }

  /**
   * Starts a run of a schedule now, and returns its outcome. Nothing is started if the mission of the period is there,
   * or if the run before has not ended and the schedule's overlap is `skip`.
   *
   * @param options `overlap`: instead of the schedule's own
   * @throws NavigatorError `not_found`
   */
  triggerSchedule(id: string, options: { overlap?: ScheduleOverlap } = {}): Promise<TriggeredRun> {
    return triggerSchedule(this, id, options);
  }

  /**
   * Starts the runs of a schedule that were due in a time that is over and are not there.
   *
   * @throws NavigatorError `confirmation_required` if the namespace's retention is over for some of them, unless
   *   `never_ran` confirms that these never ran; `not_found`, `invalid_input`
   */
  backfillSchedule(id: string, span: BackfillSpan): Promise<Backfilled> {
    return backfillSchedule(this, id, span);
  }

  /**
   * One more message in a conversation with an agent in text mode (agent reference, section 15). The answer's
   * `messages` are what the next call takes.
   */
  async chat(
    agent: AgentDefinition,
    message: string,
    options: Pick<StartAgent, "model"> & Partial<StartAgent> & { messages?: Message[] },
  ): Promise<ChatAnswer> {
    const { messages = [], ...given } = options;
    const run = await this.startAgent({ ...given, ...chatMission(agent, message, messages) });
    return chatAnswer(await run.result());
  }

  /**
   * A handle on a run by its run id or its whole workflow id (children of tasks have long ones).
   *
   * @param agent from `defineAgent`, with the schema of the return: the result has its type
   */
  agent<A extends AnyAgent = AgentDefinition>(id: string, agent?: A): AgentHandle<ReturnOf<A>> {
    const workflow = this.temporal.workflow.getHandle<typeof agentRun>(agentWorkflowId(id, this.project));
    return new AgentHandle(id, workflow, agent);
  }

  /**
   * Starts a task on a graph, or finds the one of this id that was started with the same, running or over.
   *
   * @throws NavigatorError `invalid_task` with every mistake; `id_in_use`, `invalid_input`, `payload_too_large`; `no_worker`, `server_error`
   */
  async startTask({ join, fairness, ...options }: StartTask): Promise<TaskHandle> {
    const input: NavigatorTaskInput = { ...presentFormat(), ...checkedTask(options) };
    startableProject(this.project);
    await startOnce<typeof navigatorTask>(this.temporal, "navigatorTask", {
      ...startOfTask(this.project, input, defined({ fairness })),
      taskQueue: this.taskQueue,
      join,
    });
    return this.task(input.task.id);
  }

  /** A handle on a task by its id. Nothing is asked of the server yet. */
  task(id: string): TaskHandle {
    return new TaskHandle(id, this.temporal.workflow.getHandle<typeof navigatorTask>(taskWorkflowId(id, this.project)));
  }

  /**
   * Starts a plan, or finds the one of this id that was started with the same, running or over.
   *
   * @throws NavigatorError `invalid_plan` with every issue, `invalid_input`
   */
  startPlan(plan: StartPlan): Promise<PlanHandle> {
    return new PlanStarter(this).start(plan);
  }

  /** A handle on a plan by its run id. Nothing is asked of the server yet. */
  plan(id: string): PlanHandle {
    return new PlanStarter(this).handle(id);
  }

  /**
   * Tries a mission again that has ended. The new one takes over what is finished: records, results of a plan's tasks, and
   * effects, so nothing that was done is done a second time (effects reference, section 11).
   *
   * @param workflowId of what a user started: `agent/x`, `task/x`, `plan/x`
   * @throws NavigatorError `not_found`, `still_running`, `already_over`, `wrong_kind`, and `confirmation_required` where nobody
   *   knows whether calls were made: `accept_unknown`
   */
  async retry(workflowId: string, options: RetryOptions = {}): Promise<RetriedMission> {
    const { retryMission } = await import("./retry-mission");
    return retryMission(this, workflowId, options);
  }

  /**
   * What would be undone of a mission, and then the undoing: `const undo = await client.undo("agent/x")`, look at
   * `undo.plan`, `await undo.run()`. Exactly the plan that was looked at is undone, or nothing.
   *
   * @param workflowId of what a user started: `agent/x`, `task/x`, `plan/x`
   * @throws NavigatorError `not_found`, `invalid_id`
   */
  undo(workflowId: string, options: UndoOptions = {}): Promise<MissionUndo> {
    return missionUndo(this, workflowId, options);
  }

  /** A handle on any workflow that asks people, by its whole workflow id: a task, a mission, a nested agent. */
  reviewed(workflowId: string): ReviewedHandle {
    const id = workflowIdIn(this.project, workflowId);
    if (isTopTask(id)) return this.task(id);
    return new ReviewedHandle(id, this.temporal.workflow.getHandle(id));
  }

  /**
   * Decides reviews of equal calls: of the same tool, each with the choice. Each decision has the seal of its review,
   * is signed and sent separately, and the answer lists each outcome.
   *
   * @throws NavigatorError `invalid_input` for reviews that are not equal, `review_not_found`: then nothing was sent
   */
  decideAll(
    reviews: readonly SeenReview[],
    decision: SameDecision,
    signing: { key?: PrivateKey } = {},
  ): Promise<DecidedReview[]> {
    return decideTogether(this, reviews, decision, signing);
  }

  /** The open reviews of all running work, of one workflow (`task/x`), or of a workflow and all runs below it (`within`). */
  openReviews({ workflow, within }: { workflow?: string; within?: string } = {}): Promise<Inbox> {
    const whole = (id: string | undefined) => (id === undefined ? undefined : workflowIdIn(this.project, id));
    return readInbox(this, { only: whole(workflow), within: whole(within) });
  }

  /**
   * Everything that waits for a person, page by page, the oldest first: reviews, parked missions, and runs that lack
   * something. It is read from the server alone: no worker is needed.
   *
   * @throws NavigatorError `invalid_input`
   */
  inbox(options: InboxListOptions = {}): Promise<InboxPage> {
    return readInboxPage(this, options);
  }

  /**
   * The runs that are blocked, because no worker has the tool, model or key that a call needs; of all work, or of one
   * workflow and the runs below it. They continue automatically when a worker has it.
   */
  blocked(workflowId?: string): Promise<BlockedRun[]> {
    return readBlocked(this, workflowId);
  }

  /** Gives the result of a tool with `completesLater`, by the token of its call: any JSON value. */
  async completeTool(token: string, value: Json): Promise<void> {
    checkSendable("the result of the tool", value);
    return this.finishTool(token, ok(value));
  }

  /** The same for a call that failed: the program gets a `tool_error`. */
  failTool(token: string, message: string): Promise<void> {
    return this.finishTool(token, failed("tool_error", message, { code: "tool_error" }));
  }

  private async finishTool(token: string, answer: Result<Json>): Promise<void> {
    const bytes = Buffer.from(token, "base64");
    if (!/^[A-Za-z0-9+/_-]{16,}=*$/.test(token))
      throw new NavigatorError(
        "invalid_input",
        "That is not the token of a tool call: the token is the text that the tool was given.",
        { details: { path: "token" } },
      );
    try {
      await this.temporal.activity.complete(bytes, answer);
    } catch (error) {
      if (!(error instanceof ActivityNotFoundError)) throw error;
      throw new NavigatorError(
        "already_over",
        "No call waits for this answer: the call was answered, was cancelled or timed out.",
        { details: { path: "token", kind: "call" } },
      );
    }
  }

  /** The histories of all runs of any workflow, oldest first: more than one where it continued as new. */
  async runs(workflowId: string): Promise<Json[]> {
    return exportRuns(this.temporal, workflowIdIn(this.project, workflowId));
  }

  /** The history of any workflow, as exported JSON. */
  async history(workflowId: string): Promise<Json> {
    return exportHistory(this.temporal.workflow.getHandle(workflowIdIn(this.project, workflowId)));
  }

  /**
   * The ledger of a mission and of everything below it: its records, effects and decisions as text that anybody can check
   * (approvals reference, section 6). It is read from the histories: no worker is asked.
   *
   * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`
   * @param people of the project, whose public keys stand in the export; null = none
   */
  async ledger(workflowId: string, people: PeopleFile | null = null): Promise<string> {
    const [{ exportLedger }, histories] = await Promise.all([
      import("../core/history/export/export-ledger"),
      missionHistories(this, workflowId),
    ]);
    const workflow_id = workflowIdIn(this.project, workflowId);
    return exportLedger({ ...histories, workflow_id }, { made_at: Date.now(), people });
  }

  /** Whether there is a workflow with this id, running or over. */
  async has(workflowId: string): Promise<boolean> {
    try {
      await ask(() => this.temporal.workflow.getHandle(workflowIdIn(this.project, workflowId)).describe());
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }
}
