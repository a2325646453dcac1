import {
  advanceSequence,
  clockOf,
  isSequenceOpen,
  mayBeginSequence,
  mayFollowReply,
  NO_SEQUENCE,
  type Sequence,
  type SequenceEvent,
  type SequenceResult,
} from "../../../../src/core/agent/sequence/call-sequence";
import type { BegunCall, CallsEnd, MadeCall } from "../../../../src/core/calls/run-calls";

/** The reducer and its questions. A test breaks one of them. */
export interface SequenceRules {
  advance(at: Sequence, event: SequenceEvent): Sequence;
  isOpen(at: Sequence): boolean;
  mayBegin(at: Sequence, options: { several: boolean }): boolean;
  mayFollowReply(at: Sequence): boolean;
}

export const RULES: SequenceRules = {
  advance: advanceSequence,
  isOpen: isSequenceOpen,
  mayBegin: mayBeginSequence,
  mayFollowReply,
};

/** An activity, as its workers see it. */
interface Activity {
  /** It asks a model first. */
  asks: boolean;
  hasReplied: boolean;
  replied_at?: number;
  /** Number of its first call in the run. */
  first: number;
  made: MadeCall[];
  under_way?: BegunCall | undefined;
  /** The call that an activity before it has begun, until it is begun again. */
  unanswered?: BegunCall | undefined;
  /** How many answers it has reported. */
  reported?: number;
  /** It was asked to begin no other call. */
  isStopping: boolean;
  /** It gives the reply, and makes no call. */
  onlyAsks: boolean;
}

interface Step {
  name: string;
  take(choice: number): void;
}

const ENDS: CallsEnd[] = ["other", "limit", "stopped", "off"];
/** So that several answers wait. */
const OFTEN: ReadonlySet<string> = new Set(["ask", "reply", "begin", "answer"]);
const STOOD = { blocked_ms: 0, paused_ms: 0 };

/**
 * A run, its programs and the workers of its activities, which take steps in any order. The calls of the run have numbers: each program
 * asks for the next ones. A promise that is broken throws an error with its name.
 */
export class SequenceModel {
  at: Sequence = NO_SEQUENCE;
  /** Each event that happened, and each end of an activity. */
  readonly seen = new Set<string>();
  private activity: Activity | undefined;
  private program: "none" | "runs" | "waits" = "none";
  /** How many calls have given their answers to the program. */
  private given = 0;
  /** The last call that anybody has begun: its program asks for it. */
  private begun = 0;
  /** Calls whose answers the run has, or will have. */
  private readonly kept = new Set<number>();
  /** Attempts of calls that have no answer, as far as the run knows. */
  private readonly tries = new Map<number, number>();
  private time = 1;
  /** The last time that a program saw. */
  private seenTime = 0;
  /** What the run knows of its activities that have ended. */
  private mustBeAlone = false;
  private off: Sequence["off"] = "no";

  constructor(private readonly rules: SequenceRules) {}

  /** Takes one of the possible steps. */
  step(choice: number): void {
    const steps = this.steps().flatMap((one) => Array<Step>(OFTEN.has(one.name) ? 4 : 1).fill(one));
    const step = steps[choice % steps.length];
    this.time += 1;
    step?.take(Math.floor(choice / steps.length));
    this.check();
  }

  /** Lets what is under way end. @throws Error if it cannot */
  finish(): void {
    for (let left = 1_000; this.program !== "none" || this.activity !== undefined; left--) {
      const steps = this.steps();
      const last = ["end program", "end", "answer", "reply", "ask"].flatMap((name) =>
        steps.filter((one) => one.name === name),
      );
      if (left === 0 || last[0] === undefined) throw new Error(`stuck: ${JSON.stringify(this.at)}`);
      last[0].take(0);
      this.check();
    }
  }

  // --- steps -------------------------------------------------------------------------------------------------------

  private steps(): Step[] {
    return [...this.stepsOfRun(), ...this.stepsOfActivity()];
  }

  private stepsOfRun(): Step[] {
    const steps: Step[] = [];
    const { activity, at, program } = this;
    if (program === "none" && activity === undefined)
      steps.push({ name: "turn", take: (choice) => this.askModel(choice) });
    if (program === "runs") {
      steps.push({ name: "ask", take: (choice) => this.ask(choice) });
      if (activity === undefined && at.answers.length === 0 && this.given >= this.begun)
        steps.push({ name: "end program", take: () => this.endProgram() });
    }
    if (activity !== undefined && !at.isStopping) steps.push({ name: "stop", take: () => this.stop(activity) });
    return steps;
  }

  private stepsOfActivity(): Step[] {
    const { activity } = this;
    if (activity === undefined) return [];
    if (!activity.hasReplied) {
      const steps: Step[] = [
        { name: "reply", take: () => void Object.assign(activity, { hasReplied: true, replied_at: this.time }) },
        { name: "fail", take: () => this.end(null, "none") },
      ];
      if (activity.isStopping && !activity.onlyAsks)
        steps.push({ name: "only ask", take: () => this.onlyAsk(activity) });
      return steps;
    }
    const steps: Step[] = [
      { name: "end", take: (choice) => this.endActivity(activity, choice) },
      { name: "lose", take: (choice) => this.lose(activity, choice) },
    ];
    const isOver = activity.isStopping || activity.onlyAsks || activity.reported !== undefined;
    if (activity.under_way === undefined) {
      if (!isOver) steps.push({ name: "begin", take: () => this.beginCall(activity) });
    } else {
      steps.push({ name: "answer", take: () => this.answer(activity) });
      if (activity.reported === undefined && !activity.onlyAsks)
        steps.push({ name: "report", take: () => this.report(activity) });
    }
    return steps;
  }

  // --- the run -----------------------------------------------------------------------------------------------------

  private askModel(choice: number): void {
    if (!this.rules.mayFollowReply(this.at) || choice % 4 === 3) {
      this.happens({ type: "numbered" });
      this.program = "runs";
      return;
    }
    this.mustBeAllowed(this.off === "run" ? "run" : "no", false);
    this.happens({ type: "began", now: this.time, stood: STOOD, asks: true });
    this.mustBeAlone = false;
    if (this.off === "program") this.off = "no";
    this.activity = { ...this.newActivity(), asks: true, hasReplied: false };
  }

  private ask(choice: number): void {
    this.seesTime();
    const may = choice % 5 !== 4;
    this.happens({ type: "asked", may });
    if (may && this.rules.mayBegin(this.at, { several: choice % 2 === 0 })) {
      this.mustBeAllowed(this.off, this.mustBeAlone);
      const number = this.given + 1;
      const attempts = this.at.unanswered === undefined ? 0 : (this.at.unanswered.attempts ?? 1);
      if (attempts !== (this.at.unanswered === undefined ? 0 : this.tries.get(number)))
        throw new Error(`attempts of call ${number}: ${attempts}, not ${this.tries.get(number)}`);
      if (attempts === 0) this.tries.delete(number);
      const { unanswered } = this.at;
      this.happens({ type: "began", now: this.time, stood: STOOD, asks: false });
      this.activity = { ...this.newActivity(), unanswered };
      this.program = "waits";
      return;
    }
    const [next] = this.at.answers;
    if (next !== undefined) return this.takeAnswer(next);
    if (this.activity !== undefined) {
      this.happens({ type: "awaited" });
      this.program = "waits";
      return;
    }
    this.callAlone();
  }

  private takeAnswer(next: MadeCall): void {
    this.happens({ type: "taken" });
    this.isGiven(Number(next.input?.args.n));
  }

  private callAlone(): void {
    const number = this.given + 1;
    this.mustBeNew(number);
    const attempts = this.at.tried?.attempts ?? 0;
    if (attempts !== (this.tries.get(number) ?? 0))
      throw new Error(`attempts of call ${number}: ${attempts}, not ${this.tries.get(number) ?? 0}`);
    this.happens({ type: "made_alone" });
    this.mustBeAlone = false;
    this.begun = Math.max(this.begun, number);
    this.isGiven(number);
  }

  private endProgram(): void {
    this.seesTime();
    this.happens({ type: "program_ended" });
    this.mustBeAlone = false;
    if (this.off === "program") this.off = "no";
    this.program = "none";
  }

  private stop(activity: Activity): void {
    this.happens({ type: "stopping" });
    activity.isStopping = true;
  }

  // --- the activity ------------------------------------------------------------------------------------------------

  private newActivity(): Activity {
    return {
      ...{ asks: false, hasReplied: true, first: this.given + 1 },
      ...{ made: [], isStopping: false, onlyAsks: false },
    };
  }

  private onlyAsk(activity: Activity): void {
    activity.onlyAsks = true;
    this.happens({ type: "only_asks" });
  }

  private beginCall(activity: Activity): void {
    const number = activity.first + activity.made.length;
    this.mustBeNew(number);
    this.begun = Math.max(this.begun, number);
    const attempts = (this.tries.get(number) ?? 0) + 1;
    const input = { name: "pay", args: { n: number }, idempotency_key: `k${number}`, agent: null, task: null, turn: 1 };
    const n = activity.made.length + 1;
    activity.unanswered = undefined;
    activity.under_way = { n, input, began: this.time, ...(attempts === 1 ? {} : { attempts }) };
  }

  private answer(activity: Activity): void {
    const { under_way } = activity;
    if (under_way === undefined) return;
    activity.made.push({ ...under_way, at: this.time, answer: { ok: true, value: null } });
    activity.under_way = undefined;
  }

  private report(activity: Activity): void {
    activity.reported = activity.made.length;
    const made = [...activity.made];
    this.happens({ type: "reported", made, ...replyOf(activity) });
    this.keeps(made);
    this.program = "runs";
  }

  private endActivity(activity: Activity, choice: number): void {
    const { asks, made, under_way, unanswered } = activity;
    const replied = replyOf(activity);
    // The worker does not know the run.
    if (activity.onlyAsks || (asks && made.length === 0 && under_way === undefined && choice % 3 === 0))
      return this.end(null, "runs");
    if (under_way !== undefined) {
      const end: CallsEnd = choice % 2 === 0 ? "open" : "stopped";
      const open = { n: under_way.n, attempts: under_way.attempts ?? 1, ...(choice % 4 === 0 ? { after_ms: 5 } : {}) };
      return this.end({ made, end, under_way, ...(end === "open" ? { open: [open] } : {}) }, "runs", replied);
    }
    const end = activity.isStopping ? "stopped" : (ENDS[choice % ENDS.length] as CallsEnd);
    this.end({ made, end, ...(unanswered ? { under_way: unanswered } : {}) }, "runs", replied);
  }

  /** Its worker is lost, perhaps before its heartbeat has kept the last answer. */
  private lose(activity: Activity, choice: number): void {
    const { made, reported = 0 } = activity;
    const last = made.at(-1);
    if (activity.under_way === undefined && last !== undefined && made.length > reported && choice % 2 === 0) {
      const { at: _, answer: __, ...begun } = last;
      made.pop();
      activity.under_way = begun;
    }
    const under_way = activity.under_way ?? activity.unanswered;
    if (!activity.asks)
      return this.end({ made, end: "stopped", isLost: true, ...(under_way ? { under_way } : {}) }, "runs");
    this.seen.add("lost after a reply");
    // The run schedules another activity, until three were lost.
    if (choice % 3 === 0)
      return this.end({ made, end: "stopped", ...(under_way ? { under_way } : {}) }, "runs", replyOf(activity));
    activity.under_way = undefined;
    if (under_way === undefined) return;
    const number = activity.first + made.length;
    this.tries.set(number, under_way.attempts ?? 1);
    // The next worker makes this call, also after a report.
    this.beginCall(activity);
  }

  private end(result: SequenceResult | null, program: "none" | "runs", replied: { replied_at?: number } = {}): void {
    const activity = this.activity as Activity;
    this.activity = undefined;
    this.program = program;
    if (result !== null) {
      this.keeps(result.made);
      const { under_way } = result;
      const number = activity.first + result.made.length;
      if (under_way !== undefined) this.tries.set(number, under_way.attempts ?? 1);
      this.seen.add(result.isLost ? "lost" : result.end);
      this.learns(activity, result);
    }
    this.happens({ type: "ended", result, ...replied });
  }

  /** What an end says of the calls after it. */
  private learns({ asks, isStopping, reported }: Activity, { end, made, isLost }: SequenceResult): void {
    const continues = isLost === true || end === "limit" || (end === "stopped" && isStopping);
    this.mustBeAlone = !continues;
    const isSlow = reported !== undefined && made.length < 3;
    const isRefused = !asks && end === "other" && made.length === 0;
    if (isLost !== true && end === "off") this.off = "run";
    else if (this.off === "no" && (isSlow || isRefused || (end === "stopped" && !continues))) this.off = "program";
  }

  // --- promises ----------------------------------------------------------------------------------------------------

  private happens(event: SequenceEvent): void {
    this.seen.add(event.type);
    this.at = this.rules.advance(this.at, event);
  }

  private mustBeAllowed(off: Sequence["off"], mustBeAlone: boolean): void {
    if (this.activity !== undefined) throw new Error("a sequence begins while one runs");
    if (this.at.answers.length > 0) throw new Error("a sequence begins while answers wait");
    if (off !== "no") throw new Error("a sequence begins after it was switched off");
    if (mustBeAlone) throw new Error("a sequence begins with the call that ended one");
  }

  private mustBeNew(number: number): void {
    if (this.kept.has(number)) throw new Error(`call ${number} is made again: its answer was lost`);
  }

  private keeps(made: readonly MadeCall[]): void {
    for (const { input } of made) this.kept.add(Number(input?.args.n));
  }

  private isGiven(number: number): void {
    if (number !== this.given + 1) throw new Error(`answer ${number} comes after answer ${this.given}`);
    this.given = number;
    this.tries.delete(number);
    this.seesTime();
  }

  /** The time of the program, which never goes back. */
  private seesTime(): void {
    const time = clockOf(this.at) ?? this.time;
    if (time < this.seenTime) throw new Error(`time goes back from ${this.seenTime} to ${time}`);
    this.seenTime = time;
  }

  private check(): void {
    const { activity, at } = this;
    if (at.nextAlone !== this.mustBeAlone) throw new Error(`the next call is made alone: ${at.nextAlone}`);
    if (at.off !== this.off) throw new Error(`off: ${at.off}, not ${this.off}`);
    if (this.rules.isOpen(at)) return;
    const ahead = activity === undefined ? 0 : activity.first + activity.made.length - 1 - this.given;
    // The call that the program waits for may have its answer.
    if (at.answers.length > 0 || ahead > (this.program === "waits" ? 1 : 0))
      throw new Error("the run may change while an answer waits");
  }
}

const replyOf = ({ replied_at }: Activity): { replied_at?: number } => (replied_at === undefined ? {} : { replied_at });
