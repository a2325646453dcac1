import { randomUUID } from "node:crypto";
import { WorkflowFailedError, type WorkflowHandle } from "@temporalio/client";
import { ApplicationFailure, type UpdateDefinition } from "@temporalio/common";
import { type AnyAgent, type StepOf, stepBySchema } from "../core/agent/definition/typed-agent";
import { type Step, withTrace } from "../core/agent/result/step";
import { isStep } from "../core/agent/run/chain";
import { defined } from "../core/base/defined";
import type { Paused } from "../core/base/input/pause";
import type { Json, JsonObject } from "../core/base/json";
import { asNavigatorError, isAbsent, NavigatorError, valueOrThrow } from "../core/base/navigator-error";
import type { EffectEntry } from "../core/effects/entry";
import type { Definition } from "../core/graph/definition/schema";
import type { Advance, AdvanceAnswer, Task } from "../core/graph/task/task";
import { lastStepFailure } from "../core/graph/task/task-failure";
import { type Projection, projectJournal } from "../core/history/read/project";
import { failureText } from "../core/history/read/workflow-end";
import { withoutChanges } from "../core/journal/changes";
import { type JournalDecision, signedRecord } from "../core/journal/decision-input";
import type { RecordView } from "../core/journal/view";
import type { Decision, Review } from "../core/review/review";
import type { PrivateKey } from "../node/identity/keys";
import { signDecision } from "../node/identity/sign-decision";
import type { agentRun, navigatorTask } from "../workflows";
import type { AgentRunStatus } from "../workflows/agent-run-input";
import * as messages from "../workflows/messages";
import { isTaskResult } from "../workflows/start/kept-result";
import { checkSendable } from "../workflows/start/sendable";
import { askQuery, askServed, workerAnswers } from "./ask-query";
import { ask } from "./errors";
import { exportHistory, missionEnd } from "./history";
import { cancelRun, type EndedBy, pauseMission, reasonText, resumeMission } from "./run-control";
import { type TerminatedTree, terminateRun } from "./terminate";

/** How a decision is sent. */
export interface Signing {
  /** The private key of who decides, or of a service that vouches for the person; see `loggedIn`. Default: it is not signed. */
  key?: PrivateKey;
  /** The same id again is the same decision: it is made once. Default: a new one. */
  updateId?: string;
}

/**
 * Queries and decisions of a mission or a task that asks people. A method that Temporal or the workflow refuses throws
 * a `NavigatorError` with the code of the refusal.
 */
export class ReviewedHandle<T extends typeof agentRun | typeof navigatorTask = typeof agentRun | typeof navigatorTask> {
  constructor(
    readonly id: string,
    readonly workflow: WorkflowHandle<T>,
  ) {}

  /** The reviews, open and closed, the oldest first. */
  reviews(): Promise<Review[]> {
    return askQuery(this.workflow, messages.reviewsQuery);
  }
  /**
   * What was done to the world so far, in the order of the calls. A workflow gets the effects of a run below it when that
   * run ends.
   */
  effects(): Promise<EffectEntry[]> {
    return askQuery(this.workflow, messages.effectsQuery);
  }
  /**
   * Decides a review. Gives the review, which stays open until its quorum agrees.
   *
   * @param options.key signs the decision, with the seal of the review as it is now, unless the decision has the seal of what
   *   the person saw (approvals reference, section 4)
   * @throws NavigatorError `review_not_found`, `already_decided`, `not_an_assignee`, `invalid_decision` and others
   *   (engine reference, section 6)
   */
  async decide(decision: Decision, options: Signing = {}): Promise<Review> {
    checkSendable("the decision", decision, { exactIntegers: true });
    const sent = options.key === undefined ? decision : await this.signed(decision, options.key);
    const { updateId } = options;
    return this.whileOpen(() =>
      this.workflow.executeUpdate(messages.decide, { args: [sent], ...defined({ updateId }) }),
    );
  }
  /** Sends the same as a plain Temporal signal: it returns no answer; a bad one is counted, not refused. */
  async signalDecide(decision: Decision): Promise<void> {
    checkSendable("the decision", decision, { exactIntegers: true });
    return this.whileOpen(() => this.workflow.signal(messages.decideSignal, decision));
  }
  /**
   * Asks it to stop, with everything below it. What it did stays done: see `effects`. It returns when the server has the
   * request.
   *
   * @throws NavigatorError `not_found`, `already_over`
   */
  cancel(endedBy: Partial<EndedBy> = {}): Promise<void> {
    return cancelRun(this.workflow, senderOf(endedBy));
  }
  /**
   * Ends it at once, without asking it: nothing is cleaned up, and a call under way may still happen. All runs below it end, too,
   * also where it has ended before. No worker is needed.
   *
   * @returns the runs below it that ended, and those that are left
   * @throws NavigatorError `not_found`, `already_over`
   */
  terminate(endedBy: Partial<EndedBy> = {}): Promise<TerminatedTree> {
    return terminateRun(this.workflow, senderOf(endedBy));
  }
  /**
   * Pauses it: it begins no new model call, tool call, agent or undo until it is resumed, and neither do the runs below
   * it. Open calls end, and their results are kept. People may continue to decide; their decisions act afterwards.
   * Returns who paused it: a second pause changes nothing.
   *
   * @throws NavigatorError `not_found`, `already_over`; `no_worker` within seconds: then nothing was sent, and nothing
   *   acts later; `wrong_kind` for a workflow that is no mission
   */
  async pause(endedBy: Partial<EndedBy> = {}): Promise<Paused | null> {
    return (await pauseMission(this.workflow, senderOf(endedBy))).paused;
  }
  /**
   * Resumes it after a pause.
   *
   * @throws NavigatorError as for `pause`, and `not_paused`
   */
  async resume(endedBy: Partial<EndedBy> = {}): Promise<void> {
    await resumeMission(this.workflow, senderOf(endedBy));
  }
  private async signed(decision: Decision, key: PrivateKey): Promise<Decision> {
    const seal = decision.seal ?? (await this.reviews()).find(({ id }) => id === decision.review)?.seal;
    return signDecision({ ...decision, ...defined({ seal }) }, key);
  }

  /** A workflow that has ended takes no messages. The caller learns why it failed. */
  protected async whileOpen<R>(call: () => Promise<R>): Promise<R> {
    try {
      return await ask(call);
    } catch (error) {
      throw isAbsent(error) ? await this.withItsFailure(error as NavigatorError) : error;
    }
  }

  private async withItsFailure(error: NavigatorError): Promise<NavigatorError> {
    const end = await missionEnd(this.workflow).catch(() => null);
    if (end?.fail === undefined) return error;
    const { code: reason, hint, details } = error;
    const message = `${error.message} It failed: ${failureText(end.fail)}`;
    return asNavigatorError({ reason, message, details }, { hint, cause: error });
  }
}

/**
 * One mission: its Step, journal and Mission Log, and the decisions that people record in it (agent reference, section
 * 18.12). Queries work while the mission runs and after it ended. Errors are `NavigatorError`.
 */
export class AgentHandle<Return = Json> extends ReviewedHandle<typeof agentRun> {
  /** @param agent whose schema of the return reads the results; absent: they are JSON */
  constructor(
    id: string,
    workflow: WorkflowHandle<typeof agentRun>,
    private readonly agent?: AnyAgent,
  ) {
    super(id, workflow);
  }

  /**
   * Waits until the mission is over, however long that takes, and gives its Step. A failed mission fails its workflow,
   * and its Step is given all the same: see `fail`.
   *
   * @throws NavigatorError `agent_lost` for a mission that has no Step: somebody cancelled or terminated it;
   *   `validation_error` for a return that does not fit the agent's schema
   */
  async result(): Promise<StepOf<Return>> {
    const step = withTrace(await waitForStep(this.workflow));
    return valueOrThrow(await stepBySchema(this.agent ?? "", step)) as StepOf<Return>;
  }
  /** Whether the mission runs, waits for somebody, or is over, and in which turn it is (1-based). */
  status(): Promise<AgentRunStatus> {
    return askQuery(this.workflow, messages.statusQuery);
  }
  /** The Step as it would be if the mission ended now. */
  step(): Promise<Step> {
    return askQuery(this.workflow, messages.stepQuery);
  }
  /** The records of the journal, the oldest first. Large values are left out: see `wholeJournal`. */
  journal(): Promise<RecordView[]> {
    return askQuery(this.workflow, messages.journalQuery);
  }
  /** The journal with every value, by record id; null when the mission has no journal. */
  wholeJournal(): Promise<JsonObject | null> {
    return askQuery(this.workflow, messages.wholeJournalQuery);
  }
  /** The Mission Log, as the agent reads it (agent reference, section 10.2). */
  missionLog(): Promise<string> {
    return askQuery(this.workflow, messages.missionLogQuery);
  }
  /** The plan's checklist as Markdown; "" for an agent without a plan (agent reference, section 10.3). */
  progress(): Promise<string> {
    return askQuery(this.workflow, messages.progressQuery);
  }
  /**
   * Records a decision in the journal, and resumes a waiting mission. Returns the record.
   *
   * @throws NavigatorError `invalid_decision`, or `already_exists` when the id is taken and `overwrite` is not set;
   *   `unverified_decision` and others where a signature is needed
   */
  async recordDecision(decision: JournalDecision, { key, updateId }: Signing = {}): Promise<RecordView> {
    const sent = await this.signedFor(decision, key);
    return this.whileOpen(() =>
      this.workflow.executeUpdate(messages.recordDecision, { args: [sent], ...defined({ updateId }) }),
    );
  }
  /** For senders that cannot wait for an answer: the mission counts a bad decision instead of refusing it. */
  async signalDecision(decision: JournalDecision, { key }: { key?: PrivateKey } = {}): Promise<void> {
    const sent = await this.signedFor(decision, key);
    return this.whileOpen(() => this.workflow.signal(messages.recordDecisionSignal, sent));
  }

  private async signedFor(decision: JournalDecision, key: PrivateKey | undefined): Promise<JournalDecision> {
    checkSendable("the decision", decision, { exactIntegers: true });
    if (key === undefined) return decision;
    const { time, nonce, signature } = await signDecision(signedRecord(this.workflow.workflowId, decision), key);
    return { ...decision, ...defined({ time, nonce, signature }) };
  }
  /** Journal, Mission Log and timeline, computed from the exported history. No worker is needed. */
  async projection(): Promise<Projection> {
    return projectJournal(await exportHistory(this.workflow));
  }
}

/**
 * One task on a graph: where it is, and how it is moved by hand (graph reference, section 4). Errors are
 * `NavigatorError`.
 */
export class TaskHandle extends ReviewedHandle<typeof navigatorTask> {
  /** Waits until the task has ended and gives it as it ended. A failed task fails its workflow, and is given all the same. */
  result(): Promise<Task> {
    return endedResult(this.workflow, isTaskResult);
  }
  /** The task as it is now. */
  show(): Promise<Task> {
    return askQuery(this.workflow, messages.taskQuery);
  }
  /**
   * The definition that the task runs on.
   *
   * @throws NavigatorError `workflow_not_found` when the task was loaded before its workflow
   */
  async definition(): Promise<Definition> {
    const definition = await askQuery(this.workflow, messages.definitionQuery);
    if (definition === null)
      throw new NavigatorError("workflow_not_found", `The workflow of task "${this.id}" is not loaded.`);
    return definition;
  }
  /**
   * Reports the result of the present step, which moves the task. Gives what `advance_task` answers. A call that names
   * the `version` of the last answer moves once, however often it is sent.
   *
   * @param request id of the call: two calls with the same id are one
   * @param lists `soon`: lists are updated once a second for a task that moves faster, while a worker lives; `at_once`:
   *   of this move now
   * @throws NavigatorError `step_changed`, `stale_version`, `task_closed`, `task_paused`, `task_in_hitl`,
   *   `invalid_result` and others (graph reference, section 4)
   */
  advance(step: Advance, request?: string, lists: "soon" | "at_once" = "soon"): Promise<AdvanceAnswer> {
    return this.update(messages.advance, lists === "soon" ? [step, { sent_at: Date.now() }] : [step], request);
  }
  /**
   * As for a mission.
   *
   * @throws NavigatorError as for a mission, and `task_closed` when the task has ended
   */
  override decide(decision: Decision, options: Signing = {}): Promise<Review> {
    return super.decide(decision, options);
  }
  /**
   * Ends the task at its current step, with its agent, its reviews and the tasks that it started. Without a worker the server keeps
   * the request: it acts when one starts.
   *
   * @throws NavigatorError `task_closed`
   */
  override async cancel(endedBy: Partial<EndedBy> = {}): Promise<void> {
    if (!(await workerAnswers(this.workflow))) return this.signalCancel(endedBy);
    await this.update(messages.cancelTask, [{ note: reasonText(senderOf(endedBy)) }]);
  }
  /** The same as a plain Temporal signal: no worker is asked, and it acts when one works. @throws NavigatorError `task_closed` */
  signalCancel(endedBy: Partial<EndedBy> = {}): Promise<void> {
    const note = { note: reasonText(senderOf(endedBy)) };
    return this.whileOpen(() => this.workflow.signal(messages.cancelTaskSignal, note));
  }
  /**
   * Stops the task where it is. An agent that works there continues, and its outcome is dropped: after the pause the
   * step continues from its journal.
   *
   * @throws NavigatorError `task_closed`, `no_worker`
   */
  override async pause(endedBy: Partial<EndedBy> = {}): Promise<null> {
    const note = { note: reasonText(senderOf(endedBy)) };
    await askServed(this.workflow, () => this.update(messages.pauseTask, [note]));
    return null;
  }
  /** Resumes the paused task. @throws NavigatorError `not_paused`, `task_closed`, `no_worker` */
  override async resume(): Promise<void> {
    await askServed(this.workflow, () => this.update(messages.resumeTask, []));
  }
  /** As `signalDecide`. */
  signalDecision(decision: Decision): Promise<void> {
    return this.signalDecide(decision);
  }

  /** Any update of a task, by its definition in `workflows/messages`. */
  async update<Ret, Args extends unknown[]>(
    definition: UpdateDefinition<Ret, Args>,
    args: Args,
    request: string = randomUUID(),
  ): Promise<Ret> {
    for (const arg of args) checkSendable(`what "${definition.name}" is given`, arg);
    const { workflow } = this;
    // One id for all attempts of `ask`: a move that happened is answered, not made again.
    const options = { args: args as never, updateId: request };
    return this.whileOpen(() =>
      workflow.executeUpdate<Ret, [unknown, ...unknown[]]>(definition as never, options as never),
    );
  }

  /** A task that has ended takes no updates. The caller learns how it ended, instead of that it does not exist. */
  protected override async whileOpen<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await ask(call);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      const task = await this.show().catch(() => undefined);
      if (task === undefined) throw error;
      const { status, currentStep } = task;
      const why = status === "FAILED" ? lastStepFailure(task) : undefined;
      const cause = why === undefined ? "" : ` The message of its last failed step: ${why.reason}: ${why.message}`;
      throw new NavigatorError("task_closed", `Task "${this.id}" has ended: ${status} at "${currentStep}".${cause}`, {
        details: { status, currentStep },
        cause: error,
      });
    }
  }
}

/** A program that states no name. */
const senderOf = ({ by = "the application", note }: Partial<EndedBy>): EndedBy => ({ by, note });

/** Waits for the Step of a run as its workflow keeps it, failed or not. */
export async function waitForStep(run: { result(): Promise<Step> }): Promise<Step> {
  return withoutChanges(await endedResult(run, isStep));
}

/** Waits for the result of a workflow. If it failed, the details of its failure contain the result. */
export function endedResult<T>(
  run: { result(): Promise<T> },
  isResult: (details: unknown) => details is T,
): Promise<T> {
  return ask(async () => {
    try {
      return await run.result();
    } catch (error) {
      const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
      const result = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
      if (isResult(result)) return result;
      throw error;
    }
  });
}
