import { type Failure, failed, ok, type Result } from "../../../base/failure";
import { isObject, isTexts } from "../../../base/is-object";
import type { AdmittedDecision } from "../../../review/admission";
import { MoverInput } from "../../../review/people/mover";
import type { Decision, Review } from "../../../review/review";
import type { Verification } from "../../../review/verification";
import { parseAdvance } from "../advance-input";
import { type Claim, claimRefusal } from "../claim";
import { type ClaimToken, parseClaim, parseToken } from "../claim-input";
import { repeatedMove, versionOf } from "../repeat";
import type { AdvanceAnswer, Task } from "../task";
import { moveRefusal, recordedMover, reloadRefusal } from "./agent-moves";
import { admittedDecision, readDecision, takeDecision } from "./decisions";
import { checkWholeSetup, readWholeDefinition } from "./read-task-setup";
import type { TaskReload } from "./setup";
import type { TaskState } from "./task-state";
import { unclearVersion, versionForPerson } from "./unclear-version";

/**
 * The messages to a task from outside (engine reference, section 7; graph reference, sections 4, 5 and 7). A message
 * that can be refused has two methods: `check...` returns the refusal and changes nothing, the other one applies the
 * message. A check's input may be anything: signals are not validated on their way.
 */
export class TaskMessages {
  constructor(
    private readonly state: TaskState,
    private readonly now: () => number,
    /** A random text for the token of a claim. */
    private readonly newToken: () => ClaimToken,
  ) {}

  /**
   * Reasons: `task_not_found`, `stale_version`, `version_required`, `child_active`, `invalid_input`, `agents_may_not_decide`, and those of
   * `TaskBook.advanced`.
   */
  checkAdvance(raw: unknown): Result<unknown> {
    const { task, runningAgent } = this.state;
    const gone = this.checkPresent();
    if (!gone.ok) return gone;
    const repeated = this.repeated(raw);
    if (repeated !== null) return repeated;
    const unclear = this.unclear(raw);
    if (unclear !== null) return { ok: false, fail: unclear };
    const undoing = this.checkUndone();
    if (!undoing.ok) return undoing;
    if (runningAgent !== null)
      return failed(
        "child_active",
        `${task.id} is at "${task.currentStep}", where ${runningAgent} runs: its outcome will advance the task.`,
      );
    const advanced = this.advanced(raw);
    const step = parseAdvance(raw);
    if (!step.ok || !advanced.ok || !advanced.value.answer.success) return advanced;
    const unnamed = versionForPerson(this.state, step.value);
    return unnamed === null ? advanced : { ok: false, fail: unnamed };
  }

  advance(raw: unknown): Result<AdvanceAnswer> {
    const repeated = this.repeated(raw);
    if (repeated !== null) return repeated.ok ? ok(this.withVersion(repeated.value)) : repeated;
    const advanced = this.advanced(raw);
    if (!advanced.ok) return advanced;
    const { task, answer } = advanced.value;
    if (answer.success) this.state.arrive(task, this.now());
    return ok(this.withVersion(answer));
  }

  private withVersion(answer: AdvanceAnswer): AdvanceAnswer {
    return { ...answer, version: versionOf(answer.task) };
  }

  /** The answer of the same call when it was made before. Reason: `stale_version`. */
  private repeated(raw: unknown): Result<AdvanceAnswer> | null {
    const { definition, task } = this.state;
    const step = parseAdvance(raw);
    return step.ok ? repeatedMove(definition, task, step.value) : null;
  }

  /** Reasons: `stale_version`, `version_required`. */
  private unclear(raw: unknown): Failure | null {
    const step = parseAdvance(raw);
    return step.ok && !this.state.book.closed ? unclearVersion(this.state, step.value) : null;
  }

  /** What an advance would do. */
  private advanced(raw: unknown): Result<{ task: Task; answer: AdvanceAnswer }> {
    const step = parseAdvance(raw);
    if (!step.ok) return step;
    const { by, ...given } = step.value;
    const advance = { ...given, ...recordedMover(this.state, by) };
    const advanced = this.state.book.advanced(this.state.definition, advance, this.now());
    const refused = advanced.ok && advanced.value.answer.success ? moveRefusal(this.state, by) : null;
    return refused === null ? advanced : { ok: false, fail: refused };
  }

  /** The task continues when the undo of its last move is over. Reason: `child_active`. */
  private checkUndone(): Result<unknown> {
    const { task, owedUndo, book } = this.state;
    if (owedUndo === undefined || book.closed) return ok(null);
    return failed(
      "child_active",
      `${task.id} is at "${task.currentStep}", and waits until what was done at ${owedUndo.steps.join(", ")} is undone.`,
    );
  }

  /** Parses a decision; reasons of `checkDecision`, and those of an advance that the decision would make. */
  checkDecision(raw: unknown): Result<Decision> {
    return readDecision(this.state, raw, this.now());
  }

  /** A decision that counts; reasons of `admitDecision`. */
  admit(raw: Decision, verification: Verification): Result<AdmittedDecision> {
    return admittedDecision(this.state, raw, verification, this.now());
  }

  decide(decision: AdmittedDecision): Result<Review> {
    return takeDecision(this.state, decision, this.now());
  }

  /** Reasons: `task_not_found`, `child_active`, and those of `TaskBook.claimable`. */
  checkClaim(raw: unknown): Result<unknown> {
    const { task, runningAgent } = this.state;
    const gone = this.checkPresent();
    if (!gone.ok) return gone;
    const undoing = this.checkUndone();
    if (!undoing.ok) return undoing;
    if (runningAgent !== null) return failed("child_active", `${runningAgent} works on task "${task.id}".`);
    // A check has no effect: it takes no random number from the workflow.
    return this.claimable(raw, () => "");
  }

  claim(raw: unknown): Result<Claim> {
    const claim = this.claimable(raw, this.newToken);
    if (!claim.ok) return claim;
    this.state.book.setClaim(claim.value);
    this.state.changed();
    return claim;
  }

  private claimable(raw: unknown, newToken: () => ClaimToken): Result<Claim> {
    const { book, definition } = this.state;
    const request = parseClaim(raw);
    return request.ok ? book.claimable(definition, request.value, newToken, this.now()) : request;
  }

  /** Reasons: `invalid_input`, `claim_lost`, `task_claimed`. */
  checkRelease(raw: unknown): Result<unknown> {
    const { task, book } = this.state;
    const token = parseToken(raw);
    return token.ok ? (claimRefusal(task.id, book.claim, token.value, this.now()) ?? ok(null)) : token;
  }

  release(): void {
    this.state.book.release();
    this.state.changed();
  }

  /** Whether there is a task to pause or cancel. Reasons: `task_not_found`, `task_closed`. */
  checkOpen(): Result<unknown> {
    const there = this.checkPresent();
    if (!there.ok) return there;
    const { id, status, currentStep } = this.state.task;
    return this.state.book.closed
      ? failed("task_closed", `Task "${id}" ended at "${currentStep}" (${status}).`, { status, currentStep })
      : ok(null);
  }

  pause(): void {
    this.state.turn(() => this.state.book.pause(this.now()));
  }

  cancel(note: string | undefined): void {
    this.state.end(() => this.state.book.cancel(this.now(), note), this.now());
  }

  /** Reason: `not_paused`. */
  checkResume(): Result<unknown> {
    const { id, status, currentStep } = this.state.task;
    return status === "PAUSED"
      ? ok(null)
      : failed("not_paused", `Task "${id}" is not paused: it is ${status} at "${currentStep}".`);
  }

  resume(): void {
    this.state.resume(this.now());
  }

  /** Confirms records of the primary store; null = all. Returns the ids that existed. */
  confirm(ids: readonly string[] | null): string[] {
    let confirmed: string[] = [];
    this.state.turn(() => {
      confirmed = this.state.book.confirm(ids);
    });
    return confirmed;
  }

  /** Reason: `invalid_input`. */
  checkConfirm(ids: unknown): Result<unknown> {
    const right = ids === null || (Array.isArray(ids) && ids.every((id) => typeof id === "string"));
    return right
      ? ok(null)
      : failed("invalid_input", "Records are confirmed by a list of their ids, or null for all.", { path: "ids" });
  }

  /** Reason: `invalid_workflow`. */
  checkAdopt(raw: unknown): Result<unknown> {
    const { definition, version } = isObject(raw) ? raw : {};
    const read = readWholeDefinition(definition);
    if (!read.ok) return read;
    const { id, workflowType } = this.state.task;
    if (read.value.id !== workflowType)
      return failed("invalid_workflow", `Task "${id}" is on workflow "${workflowType}", not "${read.value.id}".`);
    return Number.isInteger(version) ? ok(null) : failed("invalid_workflow", "The definition's version is a number.");
  }

  /** Reasons: `invalid_task` with every mistake, `agents_may_not_decide`. */
  checkReload(next: unknown, by?: unknown): Result<unknown> {
    const { id } = this.state.task;
    if (!isObject(next) || !isObject(next.task) || next.task.id !== id)
      return failed("invalid_task", `That is not task "${id}".`);
    const { given, ...setup } = next;
    if (given !== undefined && !isTexts(given))
      return failed("invalid_task", "given must be a list of a task's fields.");
    const whole = checkWholeSetup(setup, this.now());
    if (!whole.ok || (given !== undefined && this.state.book.keepsPlace(next.task as unknown as Task, given)))
      return whole;
    const mover = MoverInput().safeParse(by);
    const refused = reloadRefusal(this.state, next as unknown as TaskReload, mover.success ? mover.data : undefined);
    return refused === null ? whole : { ok: false, fail: refused };
  }

  reload(next: TaskReload): void {
    this.state.reload(next, this.now());
  }

  /** Removes the task from the tree. It stays until its records are confirmed. */
  remove(): void {
    this.state.end(() => this.state.book.remove(), this.now());
  }

  /** A task that was removed from the tree only keeps its unconfirmed records. */
  private checkPresent(): Result<unknown> {
    const { book, task } = this.state;
    return book.removed
      ? failed("task_not_found", `There is no task "${task.id}": it was removed from the tree.`, { taskId: task.id })
      : ok(null);
  }
}
