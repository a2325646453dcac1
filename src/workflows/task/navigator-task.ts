import {
  allHandlersFinished,
  CancellationScope,
  ContinueAsNew,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  upsertSearchAttributes,
  uuid4,
  workflowInfo,
} from "@temporalio/workflow";
import { usageOfStep } from "../../core/agent/budget/usage-of-step";
import type { AgentEnd } from "../../core/agent/run/host";
import { bareId } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { type RunFormat, sameFormat } from "../../core/base/run-format";
import { withoutEffects } from "../../core/effects/given-ledger";
import { MissionLedger } from "../../core/effects/mission-ledger";
import { undoScopes } from "../../core/effects/undo/undo-scopes";
import type { AgentWork, NextAction, Report, Reports, TaskEffect } from "../../core/graph/task/machine/actions";
import { readTaskSetup } from "../../core/graph/task/machine/read-task-setup";
import { TaskMachine } from "../../core/graph/task/machine/task-machine";
import { TaskMessages } from "../../core/graph/task/machine/task-messages";
import { TaskState } from "../../core/graph/task/machine/task-state";
import { withRecentMoves } from "../../core/graph/task/recent-moves";
import type { Task } from "../../core/graph/task/task";
import { taskFailure } from "../../core/graph/task/task-failure";
import type { EscalationNotification } from "../../core/review/notification";
import { definitionCalls } from "../activity-calls";
import { BlockedCalls } from "../blocked-calls";
import { OwnChain } from "../chain/own-chain";
import { checkedInput } from "../checked-input";
import { effectLines } from "../effect-lines";
import { asApplicationFailure, failedRun } from "../failures";
import { historyIsFull, historyIsLong, IdleSignals, LONG_RUN_TASK_TIMEOUT_MS } from "../history-limits";
import { continuedMemo } from "../inbox/shown-inbox";
import { usageMemo } from "../inbox/usage-memo";
import { LastingAgent } from "../lasting-agent";
import type { NavigatorTaskInput } from "../navigator-task-input";
import { Outbox, sendAlert } from "../outbox";
import { whenReset } from "../sdk/resets";
import { takeUnreadableSignals } from "../sdk/unreadable-signals";
import { taskAttributes } from "../search-attributes";
import { undoOnWorker } from "../undo/undo-effect";
import { Interruption } from "../waits/interruption";
import { beginChild, dropChild, ownTask, ParentReporter, type TaskWorkflowFunction } from "./child-tasks";
import { fitTaskInput, taskTooLong } from "./continue-as-new-input";
import { type ListeningTask, listen } from "./listen";
import { ShownTask } from "./shown-task";

/**
 * Runs one task on one graph: moves it node by node, counts retries, opens reviews, runs agents and begins tasks for
 * branches and subflows (engine reference, section 7). The core decides the next action; this workflow does it and
 * reports the outcome. The result is the task at its end. A failed task fails its workflow, with the task as the
 * details of the failure.
 */
export async function navigatorTask(raw: NavigatorTaskInput): Promise<Task> {
  takeUnreadableSignals();
  const input = checkedInput<NavigatorTaskInput>(raw, (given, origin) =>
    readTaskSetup(given, { id: bareId("task", workflowInfo().workflowId), now: Date.now(), ...origin }),
  );
  const workflow = new TaskWorkflow(input);
  listen(workflow);
  return workflow.untilEnd();
}

/** Drives one task: does the actions of the task machine, and publishes the changes. */
class TaskWorkflow implements ListeningTask {
  readonly state: TaskState;
  readonly messages: TaskMessages;
  readonly machine: TaskMachine;
  private readonly shown: ShownTask;
  private readonly outbox: Outbox;
  private readonly chain: OwnChain;
  private readonly parent: ParentReporter;
  /** The running agent, as long as the task needs it. */
  private agentScope: CancellationScope | null = null;
  private readonly format: RunFormat;
  /** How many messages wait for the work that follows from them. */
  settling = 0;
  private readonly blocked = new BlockedCalls(() => {});
  private readonly idle = new IdleSignals();
  /** Signals have made the history long while the task waits. */
  private readonly moveOn = new Interruption();

  constructor(input: NavigatorTaskInput) {
    this.format = sameFormat(input);
    const now = () => Date.now();
    const { workflowId: mission } = workflowInfo();
    const ledger = new MissionLedger(input.effects ?? { mission, lane: "" }, input.carried?.effects);
    this.state = new TaskState(input, input.carried, ledger, uuid4);
    const { reviews, used } = this.state;
    this.parent = new ParentReporter(ledger, () => used.total());
    this.outbox = new Outbox(reviews, () => this.noteUndelivered());
    this.outbox.resume();
    this.messages = new TaskMessages(this.state, now, uuid4);
    this.machine = new TaskMachine(this.state, { workflowId: workflowInfo().workflowId, now });
    // Here and not in `run`: after its worker was lost, an update may reach the task before its run has begun, and must
    // find it as it would have a moment later.
    this.chain = new OwnChain(input.carried?.chain, this.state.reviews.all());
    const head = () => this.chain.attributes();
    this.shown = new ShownTask(this.state.view(), input.carried === undefined, head);
    this.parent.report(this.state.view());
    whenReset(() => {
      this.chain.reset();
      ledger.doubtAll();
    });
  }

  async untilEnd(): Promise<Task> {
    try {
      return await this.run();
    } catch (error) {
      // The next run publishes the position again.
      if (!(error instanceof ContinueAsNew)) this.shown.settle();
      throw error;
    }
  }

  private async run(): Promise<Task> {
    const { state, machine } = this;
    await this.untilAnswered();
    for (;;) {
      state.changed();
      this.publish();
      await this.raise(machine.alert());
      if (machine.over) break;
      await this.stay();
      if (historyIsLong()) await this.continueAsNew();
    }
    await condition(() => this.isQuiet);
    await this.chain.close(this.usageMemo());
    const fail = state.view().removed ? null : taskFailure(state.task);
    if (fail !== null) throw failedRun(fail, state.task as unknown as Json);
    return state.task;
  }

  /**
   * Waits until messages that came before the run are answered, or wait for the run themselves. A worker that does not have the
   * task in memory may get its start and its first message together, and gets them one after the other when it replays:
   * answer and work must have the same order in both.
   */
  private async untilAnswered(): Promise<void> {
    const isAnswered = () => allHandlersFinished() || this.settling > 0;
    if (!isAnswered()) await condition(isAnswered);
  }

  /** The usage of its agents and branches; empty for a task that only people and programs moved. */
  private usageMemo(): { [field: string]: unknown } {
    const used = this.state.used.total();
    return used.turns === 0 ? {} : usageMemo(used, this.state.ledger.all());
  }

  /** Publishes changes. It must be called after every change of the task, before anything else happens. */
  publish(sentAt?: number): void {
    this.chain.reviews(this.state.reviews.all());
    for (const effect of this.state.takeEffects()) this.carryOut(effect, sentAt);
  }

  /** Stays at a node and does the node's work, until something moves the task or changes it in place. */
  private async stay(): Promise<void> {
    const actions = this.machine.stay();
    let next = actions.next();
    this.publish();
    while (!next.done) {
      const report = await this.perform(next.value);
      // Right after a local activity the clock may differ on a replay.
      if (next.value.kind !== "find_definition") this.chain.advanceClock();
      next = actions.next(report);
      this.publish();
    }
  }

  private perform(action: NextAction): Promise<Report> {
    switch (action.kind) {
      case "wait":
        return this.waitUntil(action);
      case "run_agent":
        return this.runAgent(action.work);
      case "await_agent":
        return this.awaitAgent(action);
      case "begin_children":
        for (const { setup } of action.children) this.chain.branchBegins(ownTask(setup.task.id));
        return Promise.all(action.children.map((child) => beginChild(child, this.format)));
      case "find_definition":
        return definitionCalls().findDefinition(action.workflow);
      case "undo":
        return this.undo(action);
      case "fail":
        throw asApplicationFailure(action.fail);
    }
  }

  private undo({ lanes, because }: Extract<NextAction, { kind: "undo" }>): Promise<Reports["undo"]> {
    return undoScopes(this.state.ledger, lanes, (one) => undoOnWorker(this.blocked, one, { because }));
  }

  /** The effects of an agent if only its id is known. */
  private get lost() {
    return { effects: { mission: this.state.ledger.mission, lane: "" } };
  }

  receivedDecision(): void {
    this.chain.advanceClock();
  }

  receivedSignal(): void {
    if (this.idle.add()) this.moveOn.raise();
  }

  /**
   * Whether the time has come before the wait was over. A task that is flooded with signals continues as new during the
   * wait.
   */
  private async waitUntil({ until, over }: Extract<NextAction, { kind: "wait" }>): Promise<boolean> {
    // A message that is answered later may need what comes after this wait.
    const ends = () => over() || (this.moveOn.isOn && this.isQuiet);
    for (;;) {
      if (until === null) await condition(ends);
      else if (!(await condition(ends, Math.max(1, until - Date.now())))) return true;
      if (over()) return false;
      if (!this.isQuiet) continue;
      this.moveOn.clear();
      await this.continueAsNew();
      this.idle.stay();
    }
  }

  /** No message and no report is under way. */
  private get isQuiet(): boolean {
    return allHandlersFinished() && !this.parent.busy;
  }

  private runAgent({ step, attempt, workflowId, input }: AgentWork): Promise<Reports["run_agent"]> {
    const { name = "" } = input.agent;
    const child = {
      workflowId,
      name: input.agent.name ?? step,
      summary: `${step}, attempt ${attempt}: agent ${name}`.trim(),
    };
    return this.whileNeeded(workflowId, () => this.lasting(LastingAgent.start(child, { ...input, ...this.format })));
  }

  private awaitAgent({ workflowId, needed }: Extract<NextAction, { kind: "await_agent" }>) {
    const ended = this.whileNeeded(workflowId, () => this.lasting(LastingAgent.find(workflowId, this.lost)));
    if (!needed) this.dropAgent();
    return ended;
  }

  /** The end of an agent; null if the task no longer needs it. */
  private async whileNeeded(workflowId: string, work: () => Promise<AgentEnd>): Promise<Reports["run_agent"]> {
    const scope = new CancellationScope();
    this.agentScope = scope;
    try {
      const ended = await scope.run(work);
      this.chain.agentEnded(workflowId, ended);
      if (ended.step.ok) this.state.used.add(usageOfStep(ended.step.value));
      return ended;
    } catch (error) {
      // Only a cancellation by the task itself is ignored.
      if (!isCancellation(error) || this.agentScope === scope) throw error;
      return null;
    }
  }

  /**
   * Waits for the end of an agent. A task that is flooded with signals continues as new during the wait, and the next
   * run waits for the agent.
   */
  private lasting(agent: LastingAgent): Promise<AgentEnd> {
    const scope = this.agentScope;
    // The agent itself is cancelled with the scope around this one, and its end is awaited.
    return CancellationScope.nonCancellable(async () => {
      for (;;) {
        const ended = await agent.endUnless(this.moveOn);
        if (ended !== null) return ended;
        await condition(() => this.isQuiet);
        this.moveOn.clear();
        if (this.agentScope === scope) await this.continueAsNew();
        this.idle.stay();
      }
    });
  }

  private dropAgent(): void {
    const scope = this.agentScope;
    this.agentScope = null;
    scope?.cancel();
  }

  private noteUndelivered(): void {
    this.state.changed();
    this.publish();
  }

  private carryOut(effect: TaskEffect, sentAt?: number): void {
    switch (effect.kind) {
      case "show":
        this.parent.report(effect.view);
        return this.shown.show(effect.view, effectLines(this.state.ledger.all()), this.usageMemo(), sentAt);
      case "notify":
        return this.outbox.send(effect.event, effect.review);
      case "drop_child":
        return dropChild(effect.task_id);
      case "cancel_agent":
        return this.dropAgent();
      case "reloaded":
        return upsertSearchAttributes(taskAttributes(effect.task, effect.order));
    }
  }

  /** An end with `alert` or `ticket` sends a notification (engine reference, section 7; graph reference, section 4.1). */
  private async raise(alert: EscalationNotification | null): Promise<void> {
    if (alert === null) return;
    for (let lost = await sendAlert(alert); lost > 0; lost--) this.state.countUndelivered();
  }

  /** Returns only if the state is too large for one payload. Then the task keeps its history, as long as the server does. */
  private async continueAsNew(): Promise<void> {
    if (!this.isQuiet) await condition(() => this.isQuiet);
    const { setup, task } = this.state;
    const next: NavigatorTaskInput = {
      ...setup,
      ...withoutEffects(setup.effects),
      ...this.format,
      task,
      carried: { ...this.state.continueState(), ...this.chain.continueState() },
    };
    const fitting = fitTaskInput(next);
    if (fitting !== null) {
      const options = { workflowTaskTimeout: LONG_RUN_TASK_TIMEOUT_MS, ...continuedMemo(this.usageMemo()) };
      return makeContinueAsNewFunc<TaskWorkflowFunction>(options)(fitting);
    }
    // Past the server's limit the task would be terminated, and have no result.
    if (historyIsFull()) throw failedRun(taskTooLong(next), withRecentMoves(task, 0) as unknown as Json);
  }
}
