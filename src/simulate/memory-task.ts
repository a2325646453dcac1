import type { AgentEnd } from "../core/agent/run/host";
import type { Result } from "../core/base/failure";
import { taskWorkflowId } from "../core/base/ids";
import type { Json } from "../core/base/json";
import type { EffectEntry } from "../core/effects/entry";
import { MissionLedger } from "../core/effects/mission-ledger";
import type { UndoStep } from "../core/effects/undo/undo-plan";
import { undoScopes } from "../core/effects/undo/undo-scopes";
import { type Child, type ChildReport, childReportOf } from "../core/graph/task/fork";
import type { AgentWork, ChildStart, NextAction, Report } from "../core/graph/task/machine/actions";
import type { TaskSetup } from "../core/graph/task/machine/setup";
import { TaskMachine } from "../core/graph/task/machine/task-machine";
import { TaskMessages } from "../core/graph/task/machine/task-messages";
import { TaskState } from "../core/graph/task/machine/task-state";
import type { Task } from "../core/graph/task/task";
import type { Review } from "../core/review/review";

/** What a task in memory needs from outside. */
export interface MemoryTaskWorld {
  runAgent(work: AgentWork): Promise<AgentEnd>;
  /** What a person chooses; undefined = nobody decides. */
  decide(review: Review): string | undefined;
  /** Takes one effect back; without it a task cannot undo. */
  undo?: (step: UndoStep, task: TaskInMemory) => Promise<Result<Json>>;
  /** The outcome that a branch reports; absent = the true one. */
  reported?: (report: ChildReport) => ChildReport;
}

/** A task in memory while it runs. */
export interface TaskInMemory {
  state: TaskState;
  messages: TaskMessages;
}

/**
 * A task on a graph whose workflow is this function: agents work at its steps, people decide at its gates, and its branches
 * run one after another.
 */
export async function runTaskInMemory(
  workflowId: string,
  setup: TaskSetup,
  world: MemoryTaskWorld,
): Promise<{ task: Task; effects: EffectEntry[]; report: ChildReport }> {
  const { runAgent, undo, reported = (report) => report } = world;
  const now = () => Date.UTC(2030, 0, 1);
  const ledger = new MissionLedger(setup.effects ?? { mission: workflowId, lane: "" });
  let used = 0;
  const unused = () => `${workflowId} ${++used}`;
  const state = new TaskState(setup, undefined, ledger, unused);
  const messages = new TaskMessages(state, now, unused);
  const machine = new TaskMachine(state, { workflowId, now });
  const reports: ChildReport[] = [];
  while (!machine.over) {
    const actions = machine.stay();
    let next = actions.next();
    while (!next.done) next = actions.next(await perform(next.value));
  }
  const { task } = state;
  const { undo_on_failure } = state.view();
  const report = {
    ...childReportOf(task),
    ...(undo_on_failure === undefined ? {} : { undo_on_failure }),
    effects_handed_back: ledger.handedBack(),
  };
  return { task, effects: ledger.entries(), report };

  async function perform(action: NextAction): Promise<Report> {
    switch (action.kind) {
      case "run_agent":
        return runAgent(action.work);
      case "undo":
        if (undo === undefined) break;
        return undoScopes(ledger, action.lanes, (step) => undo(step, { state, messages }));
      case "begin_children":
        return Promise.all(action.children.map(beginChild));
      case "wait":
        return receive();
      default:
        break;
    }
    throw new Error(`A task in memory does not do this: ${action.kind}.`);
  }

  async function beginChild({ branch, setup: child }: ChildStart): Promise<Child> {
    const ended = await runTaskInMemory(taskWorkflowId(child.task.id), child, world);
    reports.push(reported(ended.report));
    return { id: child.task.id, branch, state: "open", verdict: null };
  }

  function receive(): boolean {
    const change = reports.shift();
    if (change !== undefined) {
      machine.noteChild(change);
      return false;
    }
    const [review] = state.reviews.open();
    const choice = review === undefined ? undefined : world.decide(review);
    if (review === undefined || choice === undefined) throw new Error(`Nobody decides at ${state.task.currentStep}.`);
    const decision = messages.checkDecision({ review: review.id, choice, by: "a person" });
    if (!decision.ok) throw new Error(decision.fail.message);
    messages.decide(decision.value);
    return false;
  }
}
