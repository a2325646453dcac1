import type { AgentEnd } from "../../../src/core/agent/run/host";
import { MissionLedger } from "../../../src/core/effects/mission-ledger";
import type { AgentWork, NextAction, Report } from "../../../src/core/graph/task/machine/actions";
import type { TaskSetup } from "../../../src/core/graph/task/machine/setup";
import { TaskMachine } from "../../../src/core/graph/task/machine/task-machine";
import { TaskMessages } from "../../../src/core/graph/task/machine/task-messages";
import { TaskState } from "../../../src/core/graph/task/machine/task-state";
import type { Task } from "../../../src/core/graph/task/task";

/** What a task in memory needs from outside. */
export interface TaskWorld {
  runAgent(work: AgentWork): Promise<AgentEnd>;
  /** What people decide at gates, in order. */
  decisions: string[];
}

/** A task on a graph whose workflow is this function: agents work at its steps, and people decide at its gates. */
export async function runTask(workflowId: string, setup: TaskSetup, { runAgent, decisions }: TaskWorld) {
  const now = () => Date.UTC(2030, 0, 1);
  const ledger = new MissionLedger({ mission: workflowId, lane: "" });
  const state = new TaskState(setup, undefined, ledger);
  const messages = new TaskMessages(state, now);
  const machine = new TaskMachine(state, { workflowId, now, beginsChildren: () => true });
  const left = [...decisions];
  while (!machine.over) {
    const actions = machine.stay();
    let next = actions.next();
    while (!next.done) next = actions.next(await perform(next.value));
  }
  const task: Task = state.task;
  return { task, effects: ledger.entries() };

  async function perform(action: NextAction): Promise<Report> {
    if (action.kind === "run_agent") return runAgent(action.work);
    if (action.kind !== "wait") throw new Error(`A task of a test does not ask for this: ${action.kind}.`);
    const [review] = state.reviews.open();
    const choice = left.shift();
    if (review === undefined || choice === undefined) throw new Error(`Nobody decides at ${state.task.currentStep}.`);
    const decision = messages.checkDecision({ review: review.id, choice, by: "anna" });
    if (!decision.ok) throw new Error(decision.fail.message);
    messages.decide(decision.value);
    return false;
  }
}
