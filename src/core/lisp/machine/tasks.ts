import type { Result } from "../../base/failure";
import { HostMap, HostSet } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import { cutText } from "../../base/whole-characters";
import type { JournalPort, ProgramOptions, RecordedCalls, TaskEffects } from "../program";
import { decodeValue } from "../values/encode";
import { LispError } from "../values/errors";
import { printValue } from "../values/print";
import { journalId, shownId, toJournal } from "../values/tool-values";
import { metered } from "../values/traversal-limit";
import type { Value } from "../values/values";
import { toolError } from "./checks";
import type { Fiber, Frame, OpenTask } from "./fiber";
import {
  endOfBody,
  type Followed,
  type Following,
  followTask,
  identityOf,
  type MetTask,
  type OtherEffect,
  otherEffectText,
  type StartFollower,
  servedTask,
} from "./follow-task";
import type { Fuel } from "./fuel";
import type { Schedule } from "./schedule";
import { type LocksState, TaskLocks } from "./task-locks";
import type { ToolCalls } from "./tool-calls";

/** How much of a value is shown that the journal did not take. */
const SHOWN_ITEMS = 20;
const SHOWN_CHARS = 500;
const SHOWN_TASKS = 20;
const NAMED_TASKS = 100;

/** What the host answers to a question: the task runs. Any other answer: it is given its record. */
const DO_NOW = "do_now";

/** The cost of writing a record, besides the cost of its size. */
const RECORD_STEPS = 32;

export interface TasksState {
  locks: LocksState;
  unrecorded: string | null;
  overruled: string[];
  overruledMore: number;
  conflicts: string[];
  conflictsMore: string[];
  asking: [request: number, question: string, tool: string, fibers: number[]][];
  decided: [question: string, decision: Decision][];
}

/** Who decided, and whether the task runs. */
interface Decision {
  choice: string;
  by: string;
}

/** What the host is asked about a recorded task that asks for another effect. */
interface Question {
  key: string;
  tool: string;
  fibers: Fiber[];
}

const serves = (effects: TaskEffects, task: MetTask & Pick<Followed, "inside">): boolean =>
  effects.serve(
    servedTask(task, effects),
    task.inside.map((inner) => servedTask(inner, effects)),
  );

/** `(task id body)` over the journal: a recorded task does not run again, and the program never replaces its record. */
export class Tasks {
  private readonly journal: JournalPort | null;
  private readonly locks: TaskLocks;
  private unrecorded: string | undefined;
  private readonly overruled: string[] = [];
  private overruledMore = 0;
  /** Texts about recorded tasks that asked for another effect; of many only their ids. */
  private readonly conflicts = new HostSet<string>();
  private readonly conflictsMore = new HostSet<string>();
  /** By the number of the request. */
  private readonly questions = new HostMap<number, Question>();
  private readonly decided = new HostMap<string, Decision>();

  constructor(
    private readonly options: ProgramOptions,
    private readonly fuel: Fuel,
    private readonly tools: ToolCalls,
    private readonly schedule: Schedule,
    private readonly startFollower: StartFollower,
    private readonly following: Following | undefined,
  ) {
    this.journal = options.journal;
    this.locks = new TaskLocks(schedule);
  }

  /** The fibers that wait for a task of another one, or for a decision. */
  get waiters(): Fiber[] {
    return [...this.locks.waiters, ...[...this.questions.values()].flatMap(({ fibers }) => fibers)];
  }

  /** Whether the host owes a decision. */
  get asking(): boolean {
    return this.questions.size > 0;
  }

  state(): TasksState {
    const { unrecorded = null, overruled, overruledMore, conflicts, conflictsMore, questions, decided } = this;
    return {
      ...{ locks: this.locks.state(), unrecorded, overruled, overruledMore },
      conflicts: [...conflicts],
      conflictsMore: [...conflictsMore],
      asking: [...questions].map(([id, { key, tool, fibers }]) => [id, key, tool, fibers.map(({ number }) => number)]),
      decided: [...decided],
    };
  }

  restore(state: TasksState, fiber: (number: number) => Fiber): void {
    this.locks.restore(state.locks, fiber);
    this.unrecorded = state.unrecorded ?? undefined;
    this.overruled.push(...state.overruled);
    this.overruledMore = state.overruledMore;
    for (const text of state.conflicts) this.conflicts.add(text);
    for (const id of state.conflictsMore) this.conflictsMore.add(id);
    for (const [id, key, tool, fibers] of state.asking)
      this.questions.set(id, { key, tool, fibers: fibers.map(fiber) });
    for (const [key, decision] of state.decided) this.decided.set(key, decision);
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
    if (journal.has(id)) return this.beginRecorded(journal, id, fiber, frame, after);
    const owner = this.locks.owner(id);
    if (owner && !fiber.isWithin(owner)) {
      // Another branch runs this task: wait for its outcome, then look again.
      frame.pc = frame.at;
      this.locks.wait(id, fiber);
      return;
    }
    fiber.pop();
    if (!owner) this.locks.take(id, fiber);
    this.tools.made.begin(id);
    fiber.tasks.push({ id, locked: !owner });
  }

  /** The record stands, unless the task asks for another effect and shall run again. */
  private beginRecorded(journal: JournalPort, id: string, fiber: Fiber, frame: Frame, after: number): void {
    const { effects } = this.options;
    const recorded = journal.callsOf?.(id);
    const followed = recorded && this.followed(journal, id, recorded, fiber, frame);
    const other = followed?.other;
    const policy = other ? this.policyFor(other, fiber) : "serve";
    if (other && policy === "ask") return this.ask(journal.get(id), other, fiber, frame);
    const isOurs = this.following !== undefined || followed === undefined || effects === undefined;
    if (policy === "serve" && (isOurs || serves(effects, { id, ...followed }))) {
      fiber.pop();
      if (other) this.served(journal, other);
      fiber.push(this.read(journal.get(id)));
      frame.pc = after;
      return;
    }
    const owner = this.locks.owner(id);
    if (owner && !fiber.isWithin(owner)) {
      frame.pc = frame.at;
      this.locks.wait(id, fiber);
      return;
    }
    fiber.pop();
    if (other) this.runsAgain(other);
    effects?.rerun(id);
    if (!owner) this.locks.take(id, fiber);
    this.tools.made.begin(id);
    fiber.tasks.push({ id, locked: !owner, replaces: true });
  }

  private followed(journal: JournalPort, id: string, recorded: RecordedCalls, fiber: Fiber, frame: Frame): Followed {
    const { options, following } = this;
    const task = { id, recorded, value: journal.get(id) };
    // The body begins where its id is taken from the stack.
    const value = fiber.pop();
    const at = { fiber, frame, level: following?.level ?? 0 };
    const followed = followTask(task, options, at, this.startFollower);
    fiber.push(value);
    this.fuel.charge(followed.steps);
    if (followed.other) following?.found(followed.other);
    for (const inner of [{ id, met: followed.met }, ...followed.inside]) following?.served(inner);
    return followed;
  }

  /** What becomes of the task, after the decision of a person where there is one. */
  private policyFor(other: OtherEffect, fiber: Fiber): "serve" | "rerun" | "ask" {
    const { effects, on_other_effect = "serve" } = this.options;
    if (this.following) return "serve";
    const policy = effects?.policy(other.tools) ?? on_other_effect;
    switch (policy) {
      case "serve":
      case "rerun":
        return policy;
      case "fail":
        throw new LispError(
          "eval_error",
          "other_effect",
          `${otherEffectText(other)}. Use another id for another effect, or (task-reset "${other.id}").`,
        );
      case "ask": {
        // The decision that the task around it shall run includes this one.
        if (fiber.replaces()) return "rerun";
        const decision = this.decided.get(keyOf(other, this.options));
        return decision === undefined ? "ask" : decision.choice === DO_NOW ? "rerun" : "serve";
      }
    }
  }

  /** Asks the host, and looks again when it has answered. Fibers with the same question wait for one answer. */
  private ask(value: Json, other: OtherEffect, fiber: Fiber, frame: Frame): void {
    frame.pc = frame.at;
    fiber.state = "blocked";
    const key = keyOf(other, this.options);
    for (const question of this.questions.values())
      if (question.key === key) {
        question.fibers.push(fiber);
        return;
      }
    const { asked, recorded } = other;
    const id = this.tools.ask({
      name: asked.tool,
      args: asked.args,
      task: other.id,
      other_effect: { value, ...(recorded ? { recorded } : {}) },
    });
    this.questions.set(id, { key, tool: asked.tool, fibers: [fiber] });
  }

  /** Takes the answer to a question. @returns whether the request was one */
  answer(id: number, answer: Result<Json>): boolean {
    const question = this.questions.get(id);
    if (question === undefined) return false;
    this.questions.delete(id);
    if (answer.ok) this.decided.set(question.key, answer.value as unknown as Decision);
    for (const fiber of question.fibers) {
      if (!answer.ok) fiber.failure = toolError(question.tool, answer.fail, fiber.place());
      this.schedule.wake(fiber);
    }
    return true;
  }

  private served(journal: JournalPort, other: OtherEffect): void {
    if (this.following) return;
    if (!other.unrecorded) journal.noteConflict?.(other.id, other.asked);
    const by = this.decided.get(keyOf(other, this.options))?.by;
    this.noteConflict(other, `the recorded value was given${by === undefined ? "" : `, as ${by} decided`}`);
  }

  /** A decision to run counts once. */
  private runsAgain(other: OtherEffect): void {
    const key = keyOf(other, this.options);
    const decision = this.decided.get(key);
    this.decided.delete(key);
    if (decision) this.noteConflict(other, `it runs now, as ${decision.by} decided`);
  }

  private noteConflict(other: OtherEffect, outcome: string): void {
    const text = `${otherEffectText(other)}: ${outcome}.`;
    if (this.conflicts.size < SHOWN_TASKS) this.conflicts.add(text);
    else if (!this.conflicts.has(text)) this.conflictsMore.add(other.id);
  }

  /** Ends the body, whose value is on the stack. */
  done(fiber: Fiber): void {
    const { id, locked, probe, replaces } = fiber.tasks.at(-1) as OpenTask;
    if (probe) throw endOfBody();
    if (this.journal !== null) fiber.push(this.settle(this.journal, id, fiber.pop(), replaces === true));
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
    const isRecorded = this.journal?.has(id) === true;
    if (this.following === undefined) this.options.effects?.reset(id, isRecorded);
    if (isRecorded) this.journal?.reset(id);
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
      ...[...this.conflicts].map((message) => ({ code: "other_effect", message })),
      ...(this.conflictsMore.size === 0 ? [] : [{ code: "other_effect", message: moreText([...this.conflictsMore]) }]),
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

  /** The value of a task is the journal's value, now and on every later run. */
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
        journal.commit(id, recorded, this.tools.made.of(id, recorded));
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

/** What a person decides about. */
const keyOf = ({ id, asked }: OtherEffect, { effects }: ProgramOptions): string =>
  `${asked.tool} ${identityOf(asked, effects)} ${id}`;

function moreText(ids: string[]): string {
  const named = ids.slice(0, NAMED_TASKS).map((id) => `"${shownId(id)}"`);
  return `So it went with ${ids.length} more task(s): ${named.join(", ")}${ids.length > NAMED_TASKS ? ", ..." : ""}.`;
}

function shown(value: Value): string {
  try {
    return cutText(printValue(value, { items: SHOWN_ITEMS, chars: SHOWN_CHARS }), SHOWN_CHARS);
  } catch (error) {
    if (error instanceof LispError) return "too large to show";
    throw error;
  }
}
