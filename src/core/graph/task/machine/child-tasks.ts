import { defined } from "../../../base/defined";
import { childTaskId } from "../../../base/ids";
import { beginsAt, type Definition, startOf } from "../../definition/schema";
import { type SubflowNode, subflowContext } from "../../nodes/subflow";
import { branchAt, type Child } from "../fork";
import { newTask, type Task } from "../task";
import type { ChildStart } from "./actions";
import { stepOutputs } from "./agent-work";
import type { TaskSetup } from "./setup";
import type { TaskState } from "./task-state";

/** The child tasks of a task: branches and subflows (graph reference, sections 9.1 and 9.3). */

type Parent = Pick<TaskState, "task" | "definition" | "setup" | "book" | "ledger">;

/** The tasks of a fork's branches, each named by its first step. */
export function branchTasks(parent: Parent, branches: readonly string[], nowMs: number): ChildStart[] {
  const { task, setup, book } = parent;
  const depth = setup.depth ?? 0;
  return branches.map((branch, index) => {
    const id = childTaskId(task.id, branch, book.round);
    const place = book.children.length + index;
    const own = { id, workflowType: task.workflowType, context: task.context, currentStep: branch, branch };
    return {
      branch,
      setup: {
        ...handedOn(setup, place),
        ...delegated(parent, branch),
        depth,
        task: childTask(task, own, nowMs),
        outputs: stepOutputs(parent),
      },
    };
  });
}

/** The task of a subflow on the definition that was found. */
export function subflowTask(
  parent: Parent,
  node: SubflowNode,
  { definition, version }: { definition: Definition; version: number },
  nowMs: number,
): ChildStart {
  const { task, setup, book } = parent;
  const id = childTaskId(task.id, task.currentStep, book.round);
  const context = subflowContext(node.inputs, task.context);
  const own = { id, workflowType: node.workflow, context, currentStep: startOf(definition) };
  const depth = (setup.depth ?? 0) + 1;
  return {
    branch: task.currentStep,
    setup: {
      ...handedOn(setup, 0),
      ...delegated(parent, task.currentStep),
      definition,
      version,
      depth,
      task: childTask(task, own, nowMs),
    },
  };
}

/** The branch of a task that reports. Null if it does not belong to this stay, or comes from an impossible step. */
export function branchOfReport({ task, definition, book }: Parent, { id, branch }: Child): string | null {
  const known = book.children.find((child) => child.id === id);
  if (known) return known.branch;
  const step = task.currentStep;
  const begins = definition ? beginsAt(definition, step) : "nothing";
  if (begins === "branches") return branchAt(definition as Definition, step, branch);
  return begins === "subflow" && !book.entered ? step : null;
}

/** What a child is given of the mission's ledger. */
const delegated = ({ task, ledger }: Parent, branch: string): Pick<TaskSetup, "effects"> => ({
  effects: ledger.delegate(task.currentStep, branch),
});

/** A child's task: the parent's issue and priority. */
function childTask(
  parent: Task,
  own: Pick<Task, "id" | "workflowType" | "context"> & Partial<Task>,
  nowMs: number,
): Task {
  const { issueId, priority } = parent;
  return newTask({ issueId, priority, parentTaskId: parent.id, ...own }, undefined, nowMs);
}

function handedOn(setup: TaskSetup, index: number): Omit<TaskSetup, "task"> {
  const { definition, version, agents, model, drive, order, depth = 0, requested_by } = setup;
  return {
    agents,
    model,
    ...defined({ definition, version, drive, requested_by }),
    ...(order === undefined ? {} : { order: childOrder(order, index, depth + 1) }),
  };
}

/** A place in the tree right after its parent, before everything that was loaded after it. */
export function childOrder(order: number, index: number, depth: number): number {
  return order + (index + 1) / 1_000 ** depth;
}
