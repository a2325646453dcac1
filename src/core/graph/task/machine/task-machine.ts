import type { AgentDefinition } from "../../../agent/definition/definition";
import type { Failure } from "../../../base/failure";
import { stepOfRun } from "../../../base/ids";
import type { Json, JsonObject } from "../../../base/json";
import { undoneText, withoutTasks } from "../../../effects/undo/undo-scopes";
import type { EscalationNotification } from "../../../review/notification";
import { type Definition, type Node, nodeKind, workOf } from "../../definition/schema";
import type { Begins } from "../../nodes/node-kind";
import type { ChildReport } from "../fork";
import { advanceTask, type Task, type TaskStatus } from "../task";
import { escalationReview, gateReview, outputText } from "../task-reviews";
import { edgesText } from "../undo-over-edges";
import { type Actions, act, type Reports } from "./actions";
import { beginAgentWork, outcomeOf, withUndoNote } from "./agent-work";
import { alertingMove, alertOf } from "./alert";
import { ChildStay } from "./child-stay";
import { isAsked, passReviewTime } from "./decisions";
import type { TaskState } from "./task-state";

/** What the core needs from the workflow of a task. */
export interface TaskHost {
  /** The task's workflow id: ids of its agents' runs begin with it. */
  workflowId: string;
  /** Ms since 1970. */
  now(): number;
}

/**
 * Decides how a task moves along its graph: it returns the next actions, and continues with their reported results
 * (engine reference, section 7; graph reference, sections 4 and 9). It does nothing itself: the workflow
 * `navigatorTask` does.
 */
export class TaskMachine {
  private readonly children: ChildStay;
  /** The last turn in which everything at the node has started. */
  private settled = -1;
  /** The last end that was reported to the outside, for the task as it was loaded then. */
  private alerted: { loaded: Task; move: string } | null = null;

  constructor(
    private readonly state: TaskState,
    private readonly host: TaskHost,
  ) {
    this.children = new ChildStay(state, host, {
      settle: () => this.settle(),
      until: (done) => this.until(done),
      take: (outcome, ended, who) => this.take(outcome, ended, who),
    });
  }

  /** Closed or removed from the tree, and the primary store has confirmed everything. */
  get over(): boolean {
    const { closed, removed, syncs } = this.state.book;
    return (
      (closed || removed) && syncs.length === 0 && this.state.owedUndo === undefined && this.state.droppedAgent === null
    );
  }

  /** The notification for an end with `alert` or `ticket`: once for each move to it, else null. */
  alert(): EscalationNotification | null {
    const { state, alerted } = this;
    if (state.owedUndo !== undefined) return null;
    const number = alertingMove(state);
    if (number === null) return null;
    const loaded = state.setup.task;
    const move = `${state.task.currentStep} ${number}`;
    if (alerted?.loaded === loaded && alerted.move === move) return null;
    this.alerted = { loaded, move };
    return alertOf(state.definition as Definition, state.task, number, this.host.workflowId);
  }

  /** A stay at a node: starts the node's work, and ends when something moves the task or changes it in place. */
  *stay(): Actions {
    const { state } = this;
    const { node, droppedAgent } = state;
    if (droppedAgent !== null) return yield* this.awaitAgent(node as Node, droppedAgent);
    if (state.owedUndo !== undefined) return yield* this.undoOwed();
    const before = state.moves;
    const agent = state.agentHere();
    // Only a run that continues another one arrives with an agent at work.
    if (state.runningAgent !== null) {
      yield* this.awaitAgent(node as Node, state.runningAgent);
      this.settle();
      return yield* this.until(() => state.moves > before);
    }
    const begins = beginningAt(node, {
      status: state.book.removed ? "REMOVED" : state.task.status,
      drivesItself: state.setup.drive !== "external",
      hasAgent: agent !== undefined,
      asked: isAsked(state),
    });
    switch (begins) {
      case "move":
        return yield* this.leaveStart();
      case "agent":
        yield* this.runAgent(node as Node, agent as AgentDefinition);
        break;
      case "gateReview":
        state.ask(gateReview, this.host.now());
        break;
      case "escalationReview":
        state.ask(escalationReview, this.host.now());
        break;
      case "branches":
      case "subflow":
        yield* this.children.stay(begins);
        break;
      case "timer":
        yield* this.waitForTime();
        break;
      case "nothing":
        break;
      default:
        begins satisfies never;
    }
    this.settle();
    yield* this.until(() => state.moves > before);
  }

  /** The report of a branch or subflow. It is ignored if the task does not wait for its sender. */
  noteChild({ effects_handed_back, used, ...report }: ChildReport): void {
    this.state.ledger.ended(this.state.task.currentStep, effects_handed_back, report.branch);
    if (!this.children.note(report)) return;
    if (used !== undefined) this.state.used.set(report.id, used);
    this.state.changed();
  }

  /** Whether the task has started all child tasks of its node in this turn, or needs none. */
  hasSettled(turn: number): boolean {
    const { node, moves, owedUndo } = this.state;
    if (owedUndo !== undefined) return true;
    const begins = node && nodeKind(node).begins;
    if (begins !== "branches" && begins !== "subflow") return true;
    return this.settled >= turn || moves > turn;
  }

  /** What the last moves have to undo, the latest effect first. Nothing follows before: no work, no review, no end. */
  private *undoOwed(): Actions {
    const { state } = this;
    for (let owed = state.owedUndo; owed !== undefined; owed = state.owedUndo)
      state.paid(yield* act({ kind: "undo", lanes: owed.lanes, because: `on_failure of ${edgesText(owed)}` }));
  }

  private settle(): void {
    this.settled = this.state.moves;
  }

  private *leaveStart(): Actions {
    const { state, host } = this;
    const advanced = state.book.advanced(state.definition, {}, host.now());
    if (!advanced.ok) yield* act({ kind: "fail", fail: advanced.fail });
    else if (advanced.value.answer.success) state.arrive(advanced.value.task, host.now());
  }

  private *runAgent(node: Node, agent: AgentDefinition): Actions {
    const { state, host } = this;
    const work = beginAgentWork(state, agent, host.workflowId);
    if (!work.ok) return state.ask(escalationReview, host.now(), { why: work.fail.message });
    const { workflowId } = work.value;
    state.runningAgent = workflowId;
    yield* this.agentEnded(node, workflowId, yield* act({ kind: "run_agent", work: work.value }));
  }

  private *awaitAgent(node: Node, workflowId: string): Actions {
    const { state } = this;
    state.waitsForEarlierAgent();
    const needed = state.runningAgent === workflowId;
    yield* this.agentEnded(node, workflowId, yield* act({ kind: "await_agent", workflowId, needed }));
  }

  private *agentEnded(node: Node, workflowId: string, ended: Reports["run_agent"]): Actions {
    const { state } = this;
    state.ledger.ended(stepOfRun(workflowId).step, ended?.effects);
    // The task was loaded anew or cancelled during that time: the agent's result belongs to its earlier life.
    if (ended === null || state.runningAgent !== workflowId) return;
    state.runningAgent = null;
    const { step } = ended;
    const { journal, return: value, fail }: AgentGave = step.ok ? step.value : { return: null, fail: step.fail };
    if (journal !== undefined) state.work.keep(state.task.currentStep, journal);
    const outcome = outcomeOf(node, value, fail);
    if (outcome.result !== "failed" || workOf(node)?.on_failure !== "undo" || state.task.status === "PAUSED")
      return yield* this.take(outcome, fail === null, "Its agent");
    const before = state.moves;
    const undone = yield* act({
      kind: "undo",
      lanes: [state.ledger.scopeOf(state.task.currentStep)],
      because: `on_failure of node "${state.task.currentStep}"`,
    });
    if (journal !== undefined) state.work.keep(state.task.currentStep, withoutTasks(journal, undone.tasks));
    // Somebody has moved the task during that time.
    if (state.moves !== before) return;
    const undoNote = undoneText(undone);
    const output = undoNote === "" ? outcome.output : withUndoNote(outcome.output, undoNote);
    yield* this.take({ ...outcome, output }, fail === null, "Its agent");
  }

  /** A wait without a time in the context is ended by a person. */
  private *waitForTime(): Actions {
    const { state, host } = this;
    const before = state.moves;
    state.book.beginWait(state.definition as Definition, host.now());
    state.changed();
    const due = state.task.waitingUntil;
    if (due === undefined)
      return state.ask(gateReview, host.now(), { why: "The task's context has no time for this wait." });
    yield* this.until(() => state.moves > before || host.now() >= due, due);
    if (state.moves === before) yield* this.take({ result: "passed" }, true, "Its wait");
  }

  /**
   * Moves on by the result of an agent or a branch. Without an edge for it a person is asked, because a retry would
   * give the same.
   *
   * @param ended whether the work was finished, so that the step is new work if the task comes back
   */
  private *take(outcome: { result: string; output?: Json }, ended: boolean, who: string): Actions {
    const { state, host } = this;
    // The outcome of a paused task is dropped: after the pause the step continues from its journal.
    if (state.task.status === "PAUSED") {
      const before = state.moves;
      return yield* this.until(() => state.moves > before);
    }
    const moved = advanceTask(state.definition as Definition, state.task, outcome, host.now());
    if (moved.ok && moved.answer.success)
      return state.arrive(moved.task, host.now(), ended && moved.answer.action !== "escalate");
    const why = moved.ok
      ? `${who} ended with "${outcome.result}", and no edge leads on from that.`
      : moved.fail.message;
    const gave = outcome.output === undefined ? "" : `\n\nIt gave: ${outputText(outcome.output)}`;
    state.ask(escalationReview, host.now(), { why: `${why}${gave}` });
  }

  /**
   * Waits, while claims expire and reviews send reminders or take their default.
   *
   * @param due when the wait ends automatically, ms since 1970
   */
  private *until(done: () => boolean, due: number | null = null): Actions {
    while (!done()) {
      const until = this.nextDue(due);
      const over = () => done() || this.nextDue(due) !== until;
      if (yield* act({ kind: "wait", until, over })) this.passTime();
    }
  }

  private nextDue(due: number | null): number | null {
    const { reviews, book } = this.state;
    const times = [reviews.nextDue(), book.nextDue(), due].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  private passTime(): void {
    const { state, host } = this;
    const due = state.book.nextDue();
    if (due !== null && due <= host.now()) {
      state.book.release();
      state.changed();
    }
    passReviewTime(state, host.now());
  }
}

/** What decides, besides the node, what starts there. */
export interface Situation {
  status: TaskStatus | "REMOVED";
  /** No orchestrator drives the task. */
  drivesItself: boolean;
  /** One of the task's agents does this step. */
  hasAgent: boolean;
  /** A person was asked about this step and has not decided yet. */
  asked: boolean;
}

const RESTS: readonly Situation["status"][] = ["COMPLETED", "FAILED", "PAUSED", "REMOVED"];

/** What starts when a task arrives at a node; undefined = its workflow is not loaded, or has no such node. */
export function beginningAt(
  node: Node | undefined,
  { status, drivesItself, hasAgent, asked }: Situation,
): Begins | "agent" {
  if (node === undefined || RESTS.includes(status)) return "nothing";
  const { begins } = nodeKind(node);
  if (begins === "move" && drivesItself) return "move";
  if (asked) return "nothing";
  if (hasAgent) return "agent";
  // A gate appears in the inbox, and an orchestrator may still advance it.
  if (begins === "gateReview") return begins;
  if (status === "HITL") return "escalationReview";
  return begins === "move" ? "nothing" : begins;
}

/** What an agent's work gave; without a journal if the host lost the run. */
interface AgentGave {
  journal?: JsonObject | null;
  return: Json;
  fail: Failure | null;
}
