import { childTaskId } from "../../core/base/ids";
import { type Definition, type Node, nodeOf, startOf } from "../../core/graph/definition/schema";
import { MAX_SUBFLOW_DEPTH, subflowContext } from "../../core/graph/nodes/subflow";
import { branchAt, branchesToStart, type Child, childrenOutput, joinVerdict } from "../../core/graph/task/fork";
import { escalationReview } from "../../core/review/task-reviews";
import { definitionCalls } from "../activity-calls";
import { beginChild, type ChildInput, childOrder, childTask } from "./children";
import type { Walk } from "./task-machine";

type Fork = Extract<Node, { type: "fork" }>;
type Subflow = Extract<Node, { type: "subflow" }>;

/** A fork's branches and a subflow's task: begun when the task comes there, waited for, and turned into its result. */
export class Branches {
  private reports = 0;

  constructor(private readonly walk: Walk) {}

  async run(node: Fork | Subflow): Promise<void> {
    const { book, task } = this.walk;
    // One that was loaded in the middle of it is left alone: the orchestrator has its branches and loads them too.
    const arrived = task.status === "PENDING" || task.history.length > this.walk.input.task.history.length;
    if (!book.entered && arrived) book.enter(task.currentStep);
    if (task.status === "PENDING") book.setStatus("IN_PROGRESS");
    if (node.type === "fork") await this.fork(task.currentStep);
    else await this.subflow(node);
  }

  note(report: Child): void {
    const branch = this.branchOf(report);
    if (branch === null) return;
    this.walk.book.note({ ...report, branch });
    this.reports += 1;
  }

  /** null: not of this stay, and from no step that could belong to it. */
  private branchOf({ id, branch }: Child): string | null {
    const { book, definition, task } = this.walk;
    const known = book.children.find((child) => child.id === id);
    if (known) return known.branch;
    const node = definition && nodeOf(definition, task.currentStep);
    if (node?.type === "fork") return branchAt(definition as Definition, task.currentStep, branch);
    return node?.type === "subflow" && !book.entered ? task.currentStep : null;
  }

  private async fork(fork: string): Promise<void> {
    const { walk } = this;
    const before = walk.moves;
    const definition = walk.definition as Definition;
    for (;;) {
      if (walk.book.entered) await this.begin(branchesToStart(definition, fork, walk.book.children), fork);
      walk.changed();
      walk.settle();
      if (walk.moves > before) return;
      const { children } = walk.book;
      const verdict = children.length === 0 ? null : joinVerdict(definition, fork, children);
      if (verdict) return walk.take({ result: verdict, output: childrenOutput(children) }, true, "Its branches");
      await this.news(before);
    }
  }

  private async begin(branches: readonly string[], fork: string): Promise<void> {
    const { walk } = this;
    const { task, input } = walk;
    const depth = input.depth ?? 0;
    const begun = branches.map((branch, index) => {
      const id = childTaskId(task.id, branch, walk.book.round);
      const place = walk.book.children.length + index;
      const own = { id, workflowType: task.workflowType, context: task.context, currentStep: branch, branch };
      return beginChild(
        { ...this.handedOn(place), depth, task: childTask(task, own), outputs: walk.agents.outputs() },
        branch,
      );
    });
    for (const child of await Promise.all(begun))
      if (walk.task.currentStep === fork && !walk.book.children.some(({ id }) => id === child.id))
        walk.book.note(child);
  }

  private async subflow(node: Subflow): Promise<void> {
    const { walk } = this;
    const before = walk.moves;
    if (walk.book.entered && walk.book.children.length === 0) await this.beginSubflow(node);
    walk.changed();
    walk.settle();
    for (;;) {
      if (walk.moves > before || walk.task.status === "PENDING") return;
      const child = walk.book.children[0];
      if (child?.state === "over" && child.verdict)
        return walk.take({ result: child.verdict, output: child.output ?? null }, true, "Its subflow");
      await this.news(before);
    }
  }

  private async beginSubflow(node: Subflow): Promise<void> {
    const { walk } = this;
    const { task, input } = walk;
    const depth = (input.depth ?? 0) + 1;
    if (depth > MAX_SUBFLOW_DEPTH)
      return walk.reviews.ask(escalationReview, {
        why: `Subflows may be ${MAX_SUBFLOW_DEPTH} deep; "${node.workflow}" would be one more.`,
      });
    const before = walk.moves;
    const found = await definitionCalls().findDefinition(node.workflow);
    if (walk.moves > before) return;
    if (found === null) return walk.book.block("subflow_not_loaded");
    const { definition, version } = found;
    const id = childTaskId(task.id, task.currentStep, walk.book.round);
    const context = subflowContext(node.inputs, walk.task.context);
    const own = { id, workflowType: node.workflow, context, currentStep: startOf(definition) };
    const child = await beginChild(
      { ...this.handedOn(0), definition, version, depth, task: childTask(task, own) },
      task.currentStep,
    );
    if (walk.moves === before && !walk.book.children.some(({ id }) => id === child.id)) walk.book.note(child);
  }

  private handedOn(index: number): Omit<ChildInput, "task"> {
    const { definition, version, agents, model, drive, order, depth = 0 } = this.walk.input;
    return {
      agents,
      model,
      ...(definition === undefined ? {} : { definition }),
      ...(version === undefined ? {} : { version }),
      ...(drive === undefined ? {} : { drive }),
      ...(order === undefined ? {} : { order: childOrder(order, index, depth + 1) }),
    };
  }

  /** Until a child has something to say, or the task was moved. */
  private async news(before: number): Promise<void> {
    const { walk } = this;
    const { reports } = this;
    await walk.waitFor(() => walk.moves > before || this.reports > reports);
  }
}
