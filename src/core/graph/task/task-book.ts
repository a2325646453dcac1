import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import { isoTime } from "../../base/iso-time";
import { beginsAt, type Definition, isEnd, type Node, nodeKind, nodeOf } from "../definition/schema";
import { type Advanced, advanceTask } from "./advance";
import type { Advance } from "./advance-input";
import { type Claim, claimRefusal, isClaimed, takeClaim } from "./claim";
import type { ClaimRequest, ClaimToken } from "./claim-input";
import { type Child, childReportOf } from "./fork";
import { cancelledTask } from "./redirect";
import { type SyncRecord, syncId } from "./sync";
import type { MoveUndo, Task, TaskStatus } from "./task-schema";
import { addedUndo } from "./undo-over-edges";

/** What a task's workflow passes on when it continues as new. */
export interface TaskBookState {
  claim: Claim | null;
  syncs: SyncRecord[];
  /** Moves so far: numbers the records. */
  moves: number;
  children: Child[];
  /** How often a fork or subflow was entered: the child tasks of each time have new ids. */
  rounds: { [node: string]: number };
  /**
   * The fork or subflow whose child tasks this task started. If the task was loaded there, the orchestrator has them.
   */
  entered?: string;
  /** The task was removed from the tree; its records wait for their confirmation. */
  removed?: boolean;
}

/**
 * One task and what belongs to it besides its place on the graph: its claim, the moves that are not confirmed, and the
 * tasks that it waits for. Everything is checked before anything changes: a refusal leaves all as it was.
 */
export class TaskBook {
  private state: TaskBookState;

  /** @param tracked whether moves are recorded until they are confirmed (graph reference, section 7) */
  constructor(
    public task: Task,
    public tracked: boolean,
    state?: TaskBookState,
  ) {
    this.state = state ?? { claim: null, syncs: [], moves: 0, children: [], rounds: {} };
  }

  get claim(): Claim | null {
    return this.state.claim;
  }
  get syncs(): readonly SyncRecord[] {
    return this.state.syncs;
  }
  get children(): readonly Child[] {
    return this.state.children;
  }
  get removed(): boolean {
    return this.state.removed === true;
  }
  /** Nothing can move it any more. */
  get closed(): boolean {
    return isClosed(this.task);
  }
  snapshot(): TaskBookState {
    return this.state;
  }

  /** The result of an advance; nothing changes. */
  advanced(
    definition: Definition | undefined,
    { claim, force, ...step }: Advance,
    nowMs: number,
  ): Result<Extract<Advanced, { ok: true }>> {
    const refusal = claimRefusal(this.task.id, this.claim, claim, nowMs);
    if (refusal) return refusal;
    const elsewhere = step.expectedStep !== undefined && step.expectedStep !== this.task.currentStep;
    if (!elsewhere && !force && !this.closed) {
      const open = this.openChildren();
      if (open.length > 0)
        return failed(
          "child_active",
          `Task "${this.task.id}" waits at "${this.task.currentStep}" for ${open.join(", ")}.`,
          {
            currentStep: this.task.currentStep,
            waitingFor: open,
          },
        );
      const waiting = this.waitRefusal(definition, nowMs);
      if (waiting) return waiting;
    }
    if (definition === undefined)
      return failed(
        "workflow_not_found",
        `Workflow "${this.task.workflowType}" of task "${this.task.id}" is not loaded.`,
        {
          workflowId: this.task.workflowType,
        },
      );
    const moved = advanceTask(definition, this.task, step, nowMs);
    return moved.ok ? ok(moved) : moved;
  }

  /** Notes where the task is now. Its claim is over. */
  moveTo(task: Task, nowMs: number): void {
    const entries = task.history.slice(this.task.history.length);
    const [first, last] = [entries[0], entries.at(-1)];
    this.task = task;
    const { entered: _, ...state } = this.state;
    this.state = { ...state, claim: null, children: [], moves: this.state.moves + 1 };
    if (!this.tracked || !first || !last) return;
    const record: SyncRecord = {
      id: syncId(task.id, this.state.moves, nowMs),
      taskId: task.id,
      issueId: task.issueId,
      kind: first.action === "retry" || first.action === "escalate" ? first.action : "advance",
      previousStep: first.step,
      nextStep: last.to,
      status: task.status,
      ...defined({ output: first.output }),
      createdAt: nowMs,
    };
    this.state = { ...this.state, syncs: [...this.state.syncs, record] };
  }

  /** Notes what one of its moves undid. A list that was loaded over the task since may not have the move. */
  noteUndo(move: number, undo: MoveUndo): void {
    const { history, earlierMoves = 0 } = this.task;
    const index = move - earlierMoves;
    const noted = history.map((entry, i) => (i === index ? { ...entry, undo: addedUndo(entry.undo, undo) } : entry));
    this.task = { ...this.task, history: noted };
  }

  /** Removes records that the primary store has; null = all. Returns the ids that existed. */
  confirm(ids: readonly string[] | null): string[] {
    const wanted = ids === null ? null : new Set(ids);
    const gone = this.syncs.filter(({ id }) => wanted === null || wanted.has(id)).map(({ id }) => id);
    this.state = { ...this.state, syncs: this.syncs.filter(({ id }) => !gone.includes(id)) };
    return gone;
  }

  /** The result of a claim; nothing changes. */
  claimable(
    definition: Definition | undefined,
    request: ClaimRequest,
    newToken: () => ClaimToken,
    nowMs: number,
  ): Result<Claim> {
    const { id, status, currentStep } = this.task;
    const renews = isClaimed(this.claim, nowMs);
    if (this.closed) return failed("task_closed", `Task "${id}" ended at "${currentStep}" (${status}).`, { status });
    if (status === "PAUSED") return failed("task_paused", `Task "${id}" is paused at "${currentStep}".`);
    if (status === "HITL") return failed("task_in_hitl", `Task "${id}" waits for a person at "${currentStep}".`);
    const waiting = this.waitRefusal(definition, nowMs);
    if (waiting) return waiting;
    const claim = takeClaim(id, this.claim, newToken, request, nowMs);
    if (!claim.ok || renews || status === "PENDING" || this.claim !== null) return claim;
    const open = this.openChildren();
    if (open.length > 0)
      return failed("child_active", `Task "${id}" waits for ${open.join(", ")}.`, { waitingFor: open });
    return failed(
      "task_claimed",
      `Task "${id}" is being worked on at "${currentStep}" by somebody who did not claim it.`,
      {
        status,
      },
    );
  }

  setClaim(claim: Claim): void {
    this.state = { ...this.state, claim };
    this.setStatus("IN_PROGRESS");
  }

  /** Back in the queue: its holder released it, or its claim expired. */
  release(): void {
    this.state = { ...this.state, claim: null };
    if (this.task.status === "IN_PROGRESS") this.setStatus("PENDING");
  }

  /** When the present claim expires, ms since 1970; null = nobody claims the task. */
  nextDue(): number | null {
    return this.claim?.expiresAt ?? null;
  }

  pause(nowMs: number): void {
    this.state = { ...this.state, claim: null };
    this.task = { ...this.task, updatedAt: nowMs };
    this.setStatus("PAUSED");
  }

  /** Its status before the pause: at an end that asks for a person it waits for one again. */
  resume(definition: Definition | undefined, nowMs: number): void {
    const atEnd = definition !== undefined && isEnd(definition, this.task.currentStep);
    const waits = this.children.length > 0 || this.task.waitingUntil !== undefined;
    this.task = { ...this.task, updatedAt: nowMs };
    this.setStatus(atEnd ? "HITL" : waits ? "IN_PROGRESS" : "PENDING");
  }

  /** Ends the task at its current step. */
  cancel(nowMs: number, note: string | undefined): void {
    this.moveTo(cancelledTask(this.task, nowMs, note), nowMs);
  }

  /** The orchestrator's list is authoritative: the task takes over the list's record, and only the unconfirmed records stay. */
  reload(task: Task, tracked: boolean): void {
    const { currentStep, waitingUntil = this.task.waitingUntil } = task;
    const stays = currentStep === this.task.currentStep && waitingUntil !== undefined && !isClosed(task);
    // A list without the time does not restart the wait.
    this.task = stays ? { ...task, waitingUntil } : task;
    this.tracked = tracked;
    const { entered: _, ...state } = this.state;
    this.state = { ...state, claim: null, children: [], removed: false };
  }

  /** Whether the task stays where it is when a list with these fields is loaded over it. @param given names of fields */
  keepsPlace({ workflowType }: Task, given: readonly string[]): boolean {
    return !this.removed && workflowType === this.task.workflowType && !namesPlace(given);
  }

  /** Takes over the fields of a list that do not change the place of the task. */
  update(task: Task, given: readonly string[], nowMs: number): void {
    const named = ABOUT.filter((field) => given.includes(field)).map((field) => [field, task[field]]);
    this.task = { ...this.task, ...Object.fromEntries(named), updatedAt: nowMs };
    this.tracked = true;
  }

  remove(): void {
    this.state = { ...this.state, claim: null, removed: true };
  }

  setStatus(status: TaskStatus): void {
    if (this.task.status !== status) this.task = { ...this.task, status };
  }

  /** At a wait node: when the task continues, unless that is known. A task that was loaded there starts to wait now. */
  beginWait(definition: Definition, nowMs: number): void {
    const { blockedBy: _, ...task } = this.task;
    const node = nodeOf(definition, task.currentStep) as Node;
    const at = { context: task.context, atMs: nowMs, isChild: task.parentTaskId !== undefined };
    const known = task.waitingUntil !== undefined;
    this.task = { ...task, ...(known ? { status: "IN_PROGRESS" } : nodeKind(node).arrival(node, at)) };
    this.state = { ...this.state, claim: null };
  }

  /** Why a task at a wait node cannot be advanced or claimed; null if it does not wait. */
  private waitRefusal(definition: Definition | undefined, nowMs: number): Result<never> | null {
    const { id, currentStep, status, blockedBy, waitingUntil } = this.task;
    if (definition === undefined || beginsAt(definition, currentStep) !== "timer") return null;
    if (status === "PAUSED" || blockedBy !== undefined) return null;
    if (waitingUntil === undefined) return failed("task_waiting", `Task "${id}" waits at "${currentStep}".`);
    if (nowMs >= waitingUntil) return null;
    return failed(
      "task_waiting",
      `Task "${id}" waits at "${currentStep}" until ${isoTime(waitingUntil)} and then continues automatically.`,
      { currentStep, waitingUntil },
    );
  }

  block(blockedBy: "subflow_not_loaded"): void {
    this.task = { ...this.task, status: "PENDING", blockedBy };
  }

  /** Whether this task started the child tasks of this fork or subflow. */
  get entered(): boolean {
    return this.state.entered === this.task.currentStep;
  }

  enter(node: string): void {
    const { rounds } = this.state;
    this.state = { ...this.state, entered: node, rounds: { ...rounds, [node]: timesAt(rounds, node) + 1 } };
  }

  /** How often the task has come to this fork or subflow, from 1. */
  get round(): number {
    return Math.max(timesAt(this.state.rounds, this.task.currentStep), 1);
  }

  /** The report of a child, or the note that it was started. */
  note(child: Child): void {
    const known = this.children.some(({ id }) => id === child.id);
    const children = known
      ? this.children.map((one) => (one.id === child.id ? child : one))
      : [...this.children, child];
    this.state = { ...this.state, children };
    const waitingFor = this.openChildren();
    const { waitingFor: _, ...task } = this.task;
    this.task = waitingFor.length === 0 ? task : { ...task, waitingFor };
  }

  openChildren(): string[] {
    return this.children.filter(({ state }) => state !== "over").map(({ id }) => id);
  }

  /** The report of this task to its parent. */
  report(): Child {
    return childReportOf(this.task);
  }
}

const isClosed = ({ status }: Task): boolean => status === "COMPLETED" || status === "FAILED";

const timesAt = (rounds: TaskBookState["rounds"], node: string): number =>
  Object.hasOwn(rounds, node) ? (rounds[node] as number) : 0;

/** The fields of a task that do not change its place. */
const ABOUT = ["issueId", "priority", "context", "autonomy"] as const;

/** Whether a list with these fields of a task decides where it is. */
export const namesPlace = (given: readonly string[]): boolean =>
  given.includes("currentStep") || given.includes("status");
