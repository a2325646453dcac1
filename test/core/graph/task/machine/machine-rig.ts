import type { AgentDefinition } from "../../../../../src/core/agent/definition/definition";
import { parseAgent } from "../../../../../src/core/agent/definition/parse-agent";
import type { Step } from "../../../../../src/core/agent/result/step";
import { MissionLedger } from "../../../../../src/core/effects/mission-ledger";
import type { Definition } from "../../../../../src/core/graph/definition/schema";
import type { NextAction, Report, TaskEffect } from "../../../../../src/core/graph/task/machine/actions";
import type { ContinuedTask, TaskSetup } from "../../../../../src/core/graph/task/machine/setup";
import { TaskMachine } from "../../../../../src/core/graph/task/machine/task-machine";
import { TaskMessages } from "../../../../../src/core/graph/task/machine/task-messages";
import { TaskState } from "../../../../../src/core/graph/task/machine/task-state";
import { newTask, type TaskInput } from "../../../../../src/core/graph/task/task";

export const NOW = 1_700_000_000_000;

/** A task whose workflow is the test: it says what came of each action. */
export class MachineRig {
  readonly state: TaskState;
  readonly messages: TaskMessages;
  readonly machine: TaskMachine;
  now = NOW;
  private actions: Generator<NextAction, void, Report> | null = null;

  constructor(
    definition: Definition,
    { task = {}, ...setup }: Partial<Omit<TaskSetup, "task">> & { task?: Partial<TaskInput> } = {},
    carried?: ContinuedTask,
  ) {
    const begun = newTask({ id: "t", issueId: "I-1", workflowType: definition.id, ...task }, definition, NOW);
    this.state = stateOf({ definition, agents: {}, model: "m", ...setup, task: begun }, carried);
    this.messages = messagesOf(this.state, () => this.now);
    this.machine = new TaskMachine(this.state, { workflowId: "task/t", now: () => this.now });
  }

  /** Begins a stay where the task is. Gives what should be done first; null = the stay is over. */
  stay(): NextAction | null {
    this.actions = this.machine.stay();
    return this.next(this.actions.next());
  }

  /** Reports what came of the last action. Gives what should be done next; null = the stay is over. */
  report(report: Report): NextAction | null {
    if (this.actions === null) throw new Error("no stay has begun");
    return this.next(this.actions.next(report));
  }

  /** The kinds of what was told since this was asked last. */
  told(): TaskEffect["kind"][] {
    return this.state.takeEffects().map(({ kind }) => kind);
  }

  private next({ value, done }: IteratorResult<NextAction, void>): NextAction | null {
    return done ? null : (value as NextAction);
  }
}

/** The state of a task that begins a mission. */
export function stateOf(setup: TaskSetup, carried?: ContinuedTask): TaskState {
  const ledger = new MissionLedger({ mission: "task/t", lane: "" }, carried?.effects);
  return new TaskState(setup, carried, ledger, () => "nonce-of-the-review");
}

/** The messages to a task; the tokens of its claims are `token-1`, `token-2`, ... */
export function messagesOf(state: TaskState, now: () => number): TaskMessages {
  let tokens = 0;
  return new TaskMessages(state, now, () => `token-${++tokens}`);
}

export function agent(name: string): AgentDefinition {
  const parsed = parseAgent({ name, prompt: "Do it." });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}

/** What a run gave, as far as a task looks at it. */
export const stepOf = (given: Pick<Step, "return" | "fail"> & Partial<Step>): Step =>
  ({ journal: {}, ...given }) as Step;
