import type { Json } from "../../../base/json";
import type { Definition } from "../../definition/schema";
import { MAX_SUBFLOW_DEPTH, type SubflowNode } from "../../nodes/subflow";
import { branchesToStart, type Child, childrenOutput, joinResult } from "../fork";
import { movesOf } from "../recent-moves";
import { escalationReview } from "../task-reviews";
import { type Actions, act } from "./actions";
import { branchOfReport, branchTasks, subflowTask } from "./child-tasks";
import type { TaskState } from "./task-state";

/** What a stay at a fork or subflow needs from the machine. */
export interface StayParts {
  /** Everything at the node has started. */
  settle(): void;
  until(done: () => boolean): Actions;
  /** Moves on by the results of the children. */
  take(outcome: { result: string; output: Json }, ended: boolean, who: string): Actions;
}

/**
 * The tasks of a fork's branches or of a subflow: they are started when the task arrives, waited for, and turned into
 * its result.
 */
export class ChildStay {
  /** Counts the reports that were noted. */
  private reports = 0;

  constructor(
    private readonly state: TaskState,
    private readonly host: { now(): number },
    private readonly parts: StayParts,
  ) {}

  /** The stay at the fork or subflow where the task is. */
  *stay(begins: "branches" | "subflow"): Actions {
    const { book, task, setup, node } = this.state;
    // A fork or subflow that the task was loaded into is left alone: the orchestrator has its branches and loads them too.
    const arrived = task.status === "PENDING" || movesOf(task) > movesOf(setup.task);
    if (!book.entered && arrived) book.enter(task.currentStep);
    if (task.status === "PENDING") book.setStatus("IN_PROGRESS");
    if (begins === "branches") yield* this.atFork(task.currentStep);
    else yield* this.atSubflow(node as SubflowNode);
  }

  /** Notes the report of a child, if it belongs to this stay. @returns whether it does */
  note(report: Child): boolean {
    const branch = branchOfReport(this.state, report);
    if (branch === null) return false;
    this.state.book.note({ ...report, branch });
    this.reports += 1;
    return true;
  }

  private *atFork(fork: string): Actions {
    const { state, parts } = this;
    const { book } = state;
    const before = state.moves;
    const definition = state.definition as Definition;
    for (;;) {
      if (book.entered) yield* this.begin(branchesToStart(definition, fork, book.children), fork);
      state.changed();
      parts.settle();
      if (state.moves > before) return;
      const { children } = book;
      const result = children.length === 0 ? null : joinResult(definition, fork, children);
      if (result) return yield* parts.take({ result, output: childrenOutput(children) }, true, "Its branches");
      yield* this.untilNews(before);
    }
  }

  private *begin(branches: readonly string[], fork: string): Actions {
    if (branches.length === 0) return;
    const { state, host } = this;
    const begun = yield* act({ kind: "begin_children", children: branchTasks(state, branches, host.now()) });
    for (const child of begun) if (state.task.currentStep === fork) this.noteBegun(child);
  }

  private *atSubflow(node: SubflowNode): Actions {
    const { state, parts } = this;
    const { book } = state;
    const before = state.moves;
    if (book.entered && book.children.length === 0) yield* this.beginSubflow(node);
    state.changed();
    parts.settle();
    for (;;) {
      if (state.moves > before || state.task.status === "PENDING") return;
      const child = book.children[0];
      if (child?.state === "over" && child.verdict)
        return yield* parts.take({ result: child.verdict, output: child.output ?? null }, true, "Its subflow");
      yield* this.untilNews(before);
    }
  }

  private *beginSubflow(node: SubflowNode): Actions {
    const { state, host } = this;
    if ((state.setup.depth ?? 0) + 1 > MAX_SUBFLOW_DEPTH)
      return state.ask(escalationReview, host.now(), {
        why: `Subflows may be ${MAX_SUBFLOW_DEPTH} deep; "${node.workflow}" would be one more.`,
      });
    const before = state.moves;
    const found = yield* act({ kind: "find_definition", workflow: node.workflow });
    if (state.moves > before) return;
    if (found === null) return state.book.block("subflow_not_loaded");
    const children = [subflowTask(state, node, found, host.now())];
    const begun = yield* act({ kind: "begin_children", children });
    for (const child of begun) if (state.moves === before) this.noteBegun(child);
  }

  /** A child that has reported already is not overwritten by its start. */
  private noteBegun(child: Child): void {
    const { book } = this.state;
    if (!book.children.some(({ id }) => id === child.id)) book.note(child);
  }

  /** Waits until a child reports, or the task moves. */
  private *untilNews(before: number): Actions {
    const { reports } = this;
    yield* this.parts.until(() => this.state.moves > before || this.reports > reports);
  }
}
