import { callDigest } from "../../base/call-digest";
import type { Json } from "../../base/json";
import type { JournalPort, ProgramOptions, TaskCall } from "../program";
import { cutText } from "../text/cut-text";
import { decodeValue } from "../values/encode";
import { LispError } from "../values/errors";
import { printValue } from "../values/print";
import { journalId, shownId, toJournal } from "../values/tool-values";
import type { Value } from "../values/values";
import { metered } from "../values/walk-budget";
import type { Fiber, Frame, OpenTask } from "./fiber";
import type { Fuel } from "./fuel";
import { conflictText, differs, endOfProbe, firstCall, type RunBeside } from "./intent";
import type { Schedule } from "./schedule";
import { TaskLocks } from "./task-locks";

/** How much is told of values that the journal did not take. */
const SHOWN_ITEMS = 20;
const SHOWN_CHARS = 500;
const SHOWN_TASKS = 20;

/** What it costs to write a record, beside what its size does. */
const RECORD_STEPS = 32;

/** `(task id body)` over the journal: what is recorded is never done again, and never replaced by the program. */
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

  /** Enters the body, or leaves it out: `behind` is where evaluation goes on with the value that is recorded. */
  begin(fiber: Fiber, frame: Frame, behind: number): void {
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
        // Only one at a time: the others find what it records.
        if (!this.locks.owner(id)) this.locks.take(id, fiber);
        this.firstCalls.delete(id);
        fiber.tasks.push({ id, locked: true, replaces });
        return;
      }
      fiber.push(this.read(journal.get(id)));
      frame.pc = behind;
      return;
    }
    const owner = this.locks.owner(id);
    if (owner && !fiber.isWithin(owner)) {
      // Another branch is at it: wait for its outcome, then look again.
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
   * The digest of what a recorded task is for now, when that is something else and it shall run again. Otherwise what is
   * recorded stands: not in silence, if the call differs.
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
    // Not before: until here every failure finds the task among those of the fiber, and releases it.
    fiber.tasks.pop();
    if (locked) this.locks.release(id);
  }

  /** The fiber is over: whoever waits for its tasks may look again. */
  abandon(fiber: Fiber): void {
    for (const { id, locked } of fiber.tasks) if (locked) this.locks.release(id);
    fiber.tasks.length = 0;
  }

  /** Lets one of those fail that wait for each other's tasks. @returns whether there were any */
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

  /** The value of a task is what the journal holds, now as on every later run. */
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

  /** Recorded before evaluation goes on, and paid for afterwards: a deed that was done is not lost for want of steps. */
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

  /** Whether the record is one that a task with the same id inside this one has made. */
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
