import { callDigest } from "../../base/call-digest";
import type { Json } from "../../base/json";
import type { JournalPort, ProgramOptions, TaskCall } from "../program";
import { cutText } from "../text/cut-text";
import { decodeValue } from "../values/encode";
import { LispError } from "../values/errors";
import { printValue } from "../values/print";
import { journalId, shownId, toJournal } from "../values/tool-values";
import { metered } from "../values/traversal-limit";
import type { Value } from "../values/values";
import type { Fiber, Frame, OpenTask } from "./fiber";
import type { Fuel } from "./fuel";
import { conflictText, differs, endOfProbe, firstCall, type RunBeside } from "./intent";
import type { Schedule } from "./schedule";
import { type LocksState, TaskLocks } from "./task-locks";

/** How much of a value is shown that the journal did not take. */
const SHOWN_ITEMS = 20;
const SHOWN_CHARS = 500;
const SHOWN_TASKS = 20;

/** The cost of writing a record, besides the cost of its size. */
const RECORD_STEPS = 32;

export interface TasksState {
  locks: LocksState;
  unrecorded: string | null;
  overruled: string[];
  overruledMore: number;
  conflicts: string[];
}

/** `(task id body)` over the journal: a recorded task does not run again, and the program never replaces its record. */
export class Tasks {
  private readonly journal: JournalPort | null;
  private readonly locks: TaskLocks;
  private unrecorded: string | undefined;
  private readonly overruled: string[] = [];
  private overruledMore = 0;

  private readonly conflicts: string[] = [];

  constructor(
    private readonly options: ProgramOptions,
    private readonly fuel: Fuel,
    private readonly firstCalls: Map<string, TaskCall>,
    schedule: Schedule,
    private readonly runBeside: RunBeside,
  ) {
    this.journal = options.journal;
    this.locks = new TaskLocks(schedule);
  }

  /** The fibers that wait for a task of another one. */
  get waiters(): Fiber[] {
    return this.locks.waiters;
  }

  state(): TasksState {
    const { unrecorded = null, overruled, overruledMore, conflicts } = this;
    return { locks: this.locks.state(), unrecorded, overruled, overruledMore, conflicts };
  }

  restore(state: TasksState, fiber: (number: number) => Fiber): void {
    this.locks.restore(state.locks, fiber);
    this.unrecorded = state.unrecorded ?? undefined;
    this.overruled.push(...state.overruled);
    this.overruledMore = state.overruledMore;
    this.conflicts.push(...state.conflicts);
  }

  /** Enters the body or skips it: `after` is where evaluation continues with the recorded value. */
  begin(fiber: Fiber, frame: Frame, after: number): void {
    const { journal } = this;
    const id = journalId(fiber.top());
    if (journal === null) {
      this.unrecorded ??= id;
      fiber.pop();
      fiber.tasks.push({ id, locked: false });
      return;
    }
    if (journal.has(id)) {
      fiber.pop();
      const replaces = this.otherIntent(journal, id, fiber, frame);
      if (replaces !== undefined) {
        // Only one branch at a time: the others find its record.
        if (!this.locks.owner(id)) this.locks.take(id, fiber);
        this.firstCalls.delete(id);
        fiber.tasks.push({ id, locked: true, replaces });
        return;
      }
      fiber.push(this.read(journal.get(id)));
      frame.pc = after;
      return;
    }
    const owner = this.locks.owner(id);
    if (owner && !fiber.isWithin(owner)) {
      // Another branch runs this task: wait for its outcome, then look again.
      frame.pc = frame.at;
      this.locks.wait(id, fiber);
      return;
    }
    fiber.pop();
    if (!owner) this.locks.take(id, fiber);
    this.firstCalls.delete(id);
    fiber.tasks.push({ id, locked: !owner });
  }

  /**
   * The digest of a recorded task's present call, when that call differs from the recorded one and the task shall run
   * again. Otherwise the record stands; a different call is then a warning or an error.
   */
  private otherIntent(journal: JournalPort, id: string, fiber: Fiber, frame: Frame): string | undefined {
    const recorded = journal.callOf?.(id);
    if (recorded === undefined) return undefined;
    const { call, steps } = firstCall(this.options, this.runBeside, fiber, frame);
    this.fuel.charge(steps);
    if (call === null || !differs(recorded, call)) return undefined;
    const text = conflictText(id, recorded, call);
    switch (this.options.other_intent ?? "warn") {
      case "rerun":
        return callDigest(call);
      case "fail":
        throw new LispError(
          "eval_error",
          "other_intent",
          `${text}. Use another id for another deed, or (task-reset "${id}").`,
        );
      case "warn":
        journal.noteConflict?.(id, call);
        if (this.conflicts.length < SHOWN_TASKS) this.conflicts.push(`${text}: the recorded value was given.`);
        return undefined;
    }
  }

  /** Ends the body, whose value is on the stack. */
  done(fiber: Fiber): void {
    const { id, locked, probe, replaces } = fiber.tasks.at(-1) as OpenTask;
    if (probe) throw endOfProbe();
    if (this.journal !== null) fiber.push(this.settle(this.journal, id, fiber.pop(), replaces !== undefined));
    // Not earlier: up to here a failure finds the task among those of the fiber, and releases it.
    fiber.tasks.pop();
    if (locked) this.locks.release(id);
  }

  /** The fiber has failed: fibers that wait for its tasks may look again. */
  abandon(fiber: Fiber): void {
    for (const { id, locked } of fiber.tasks) if (locked) this.locks.release(id);
    fiber.tasks.length = 0;
  }

  /** Lets one of the fibers fail that wait for each other's tasks. @returns whether there were any */
  breakCircle(): boolean {
    return this.locks.breakCircle();
  }

  reset(id: string): void {
    if (this.journal?.has(id)) this.journal.reset(id);
  }

  warnings(): { code: string; message: string }[] {
    const { unrecorded, overruled } = this;
    return [
      ...(unrecorded === undefined
        ? []
        : [
            {
              code: "missing_journal",
              message: `(task "${shownId(unrecorded)}" ...) ran without a journal: nothing keeps it from being done twice.`,
            },
          ]),
      ...(this.conflicts.length === 0 ? [] : [{ code: "other_intent", message: this.conflicts.join(" ") }]),
      ...(overruled.length === 0 ? [] : [{ code: "recorded_meanwhile", message: this.overruledText() }]),
    ];
  }

  private overruledText(): string {
    const more = this.overruledMore;
    return [...this.overruled, ...(more === 0 ? [] : [`So it went with ${more} more task(s).`])].join(" ");
  }

  private overrule(id: string, own: Value): void {
    if (this.overruled.length >= SHOWN_TASKS) this.overruledMore += 1;
    else
      this.overruled.push(
        `While (task "${shownId(id)}" ...) ran, "${shownId(id)}" was recorded from outside: that record stands. The task's own value was ${shown(own)}.`,
      );
  }

  /** The value of a task is what the journal holds, now and on every later run. */
  private settle(journal: JournalPort, id: string, own: Value, replaces: boolean): Value {
    if (!replaces && journal.has(id) && !this.isOurs(journal, id)) {
      this.overrule(id, own);
      return this.read(journal.get(id));
    }
    const recorded = this.record(journal, id, own);
    this.locks.note(id, recorded);
    return this.read(recorded);
  }

  private read(recorded: Json): Value {
    return decodeValue(recorded, (bytes) => this.fuel.allocate(bytes));
  }

  /**
   * Records before evaluation continues, and charges afterwards: an effect that happened must not be lost for lack of
   * steps.
   */
  private record(journal: JournalPort, id: string, own: Value): Json {
    let steps = 0;
    const later = (more: number) => {
      steps += more;
    };
    try {
      return metered(later, () => {
        const recorded = toJournal(own, id);
        journal.commit(id, recorded, this.firstCalls.get(id));
        return recorded;
      });
    } finally {
      this.fuel.charge(RECORD_STEPS + steps);
    }
  }

  /** Whether a task with the same id inside this one has made the record. */
  private isOurs(journal: JournalPort, id: string): boolean {
    const noted = this.locks.noted(id);
    return noted !== undefined && JSON.stringify(noted) === JSON.stringify(journal.get(id));
  }
}

function shown(value: Value): string {
  try {
    return cutText(printValue(value, { items: SHOWN_ITEMS, chars: SHOWN_CHARS }), SHOWN_CHARS);
  } catch (error) {
    if (error instanceof LispError) return "too large to show";
    throw error;
  }
}
