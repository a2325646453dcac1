import { callDigest } from "../../base/call-digest";
import { ok, type Result } from "../../base/failure";
import { HostMap } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import { LISP_LIMITS, type LispLimits } from "../../base/limits";
import { cutText } from "../../base/whole-characters";
import type { ServedTask } from "../../effects/program-claims";
import type {
  JournalPort,
  Program,
  ProgramOptions,
  RecordedCall,
  RecordedCalls,
  TaskCall,
  TaskEffects,
  ToolRequest,
} from "../program";
import { fromJson } from "../values/encode";
import { LispError } from "../values/errors";
import { printValue } from "../values/print";
import { Signal } from "../values/signal";
import { Fiber, type Frame } from "./fiber";

/**
 * Finds out whether a recorded task would do something else now. Its body runs separately from the program, on a copy of the
 * fiber's state, and its calls get the recorded answers, until an answer is not kept. The first call that differs from
 * the recorded calls, or is one more, is another effect; the rest of the body shows which recorded ones it still asks for.
 * The run keeps nothing that the body does, and calls no tool.
 */

/** Stands for the task's own id, so that its calls differ from those of tasks inside it. */
const SELF = "\u0000";

/** The following gives up on a body that needs more than this: the recorded value is used. */
const LIMITS: LispLimits = {
  ...LISP_LIMITS,
  max_steps: 200_000,
  max_steps_between_effects: 20_000,
  max_bytes: 4_000_000,
};

/** Recorded tasks inside a recorded one are followed as well, so many levels deep. */
const MAX_LEVEL = 8;

/** A call of a recorded task that its record does not have. */
export interface OtherEffect {
  /** The task: the recorded one, or one inside it. */
  id: string;
  asked: TaskCall;
  /** The recorded call in whose place it stands; undefined when there is none. */
  recorded?: RecordedCall;
  /** The task is inside the recorded one, and is not recorded itself. */
  unrecorded?: true;
  /** The tools of the calls that are concerned: its own, and those recorded ones that it has not met. */
  tools: string[];
}

/** What a machine needs that follows a recorded task. */
export interface Following {
  level: number;
  /** A task inside the followed one asks for another effect. */
  found(other: OtherEffect): void;
  /** A recorded task inside the followed one makes these of its calls again. */
  served(inner: MetTask): void;
}

/** A fiber that runs separately from the program, with other options. */
export type StartFollower = (
  options: ProgramOptions,
  fiber: Fiber,
  following: Following,
) => Pick<Program, "run" | "resume"> & { readonly steps: number };

export interface RecordedTask {
  id: string;
  recorded: RecordedCalls;
  value: Json;
}

/** A recorded task inside a followed one, and those of its recorded calls that its body makes again. */
export interface MetTask {
  id: string;
  met: readonly RecordedCall[];
}

/** What the following of a task has found. */
export interface Followed {
  /** The first other effect that the task asks for; null when there is none. */
  other: OtherEffect | null;
  /** The recorded calls that its body makes again; all of them where that is not known. */
  met: readonly RecordedCall[];
  /** The recorded tasks inside it. */
  inside: readonly MetTask[];
  /** Evaluation steps that were used. */
  steps: number;
}

interface Place {
  fiber: Fiber;
  frame: Frame;
  level: number;
}

/** Follows the body of a recorded task. */
export function followTask(
  task: RecordedTask,
  options: ProgramOptions,
  at: Place,
  startFollower: StartFollower,
): Followed {
  if (at.level >= MAX_LEVEL) return { other: null, met: task.recorded.calls, inside: [], steps: 0 };
  const followed = follow(task, options, at, startFollower, false);
  if (!followed.endedByFailure) return followed;
  // After the failure the body may ask for recorded calls, and for more.
  const { other, met, inside, steps } = follow(task, options, at, startFollower, true);
  return { other: other ?? followed.other, met, inside, steps: followed.steps + steps };
}

/** @param pastFailures a call that had failed gets the answer of its equal that succeeded, and the body continues */
function follow(
  task: RecordedTask,
  options: ProgramOptions,
  at: Place,
  startFollower: StartFollower,
  pastFailures: boolean,
): Followed & { endedByFailure?: true } {
  const { calls } = task.recorded;
  const found: OtherEffect[] = [];
  const inside: MetTask[] = [];
  const follower = startFollower(
    { ...options, journal: readOnly(options.journal, task.recorded), tool_cache: new HostMap(), limits: LIMITS },
    copied(at.fiber, at.frame),
    { level: at.level + 1, found: (other) => found.push(other), served: (inner) => inside.push(inner) },
  );
  const record = new MetCalls(task, options.effects, pastFailures);
  let other: OtherEffect | null = null;
  for (;;) {
    const state = follower.run();
    // Tasks inside that are recorded come before the calls that wait now.
    if ((found.length > 0 && other === null) || state.state === "done") {
      const endedByFailure = record.finish() && state.state === "done" && state.end.outcome.kind === "error";
      const failed = endedByFailure ? record.failed : null;
      return {
        other: other ?? found[0] ?? failed,
        met: record.met,
        inside,
        steps: follower.steps,
        ...(endedByFailure ? { endedByFailure } : {}),
      };
    }
    let answered = false;
    for (const request of state.requests) {
      const met = record.meet(request);
      if (met === "unknown") return { other, met: other ? record.met : calls, inside, steps: follower.steps };
      if ("id" in met) {
        other ??= met;
        // After it the body may ask for recorded calls: it continues as if the call had answered nil.
        follower.resume(request.id, ok(null));
        answered = true;
        continue;
      }
      if (met.answer === undefined) continue;
      follower.resume(request.id, met.answer);
      answered = true;
    }
    if (!answered) return { other, met: other ? record.met : calls, inside, steps: follower.steps };
  }
}

/** The recorded calls of a task, and which of them its body has made again: in any order, each of them once. */
class MetCalls {
  readonly met: RecordedCall[] = [];
  /** The last call that had failed, and was not made again: the record does not have what it asks for. */
  failed: OtherEffect | null = null;
  private readonly failures: OtherEffect[] = [];
  private readonly open: RecordedCall[];
  /** Calls that succeeded, and that answered for one that had failed. */
  private readonly standIns: RecordedCall[] = [];

  constructor(
    private readonly task: RecordedTask,
    private readonly effects: TaskEffects | undefined,
    private readonly pastFailures: boolean,
  ) {
    this.open = [...task.recorded.calls];
  }

  /** The recorded answer if it is kept, or the call that the record lacks; `unknown` when that cannot be decided. */
  meet({ name, args, task }: ToolRequest): { answer?: Result<Json> } | OtherEffect | "unknown" {
    const { open } = this;
    const { id, recorded, value } = this.task;
    const asked = { tool: name, args };
    if (task !== SELF) {
      // The task inside is not recorded, or its record is of no use: what it does is not done by giving this one.
      if (recorded.more || task === undefined) return "unknown";
      return { id: task, asked, unrecorded: true, tools: this.concerned(name) };
    }
    const identity = identityOf(asked, this.effects);
    const place = open.findIndex((call) => call.tool === name && identityOf(call, this.effects) === identity);
    const call = open[place];
    if (call !== undefined) {
      open.splice(place, 1);
      if (call.fail !== undefined && this.pastFailures) return this.pastFailure(identity);
      if (call.fail === undefined) this.met.push(call);
      else this.failures.push({ id, asked, recorded: call, tools: this.concerned(name) });
      return answerOf(call, value);
    }
    // The same call stands for the one that succeeded, if only the one that had failed did so far.
    const success = take(this.standIns, identity, this.effects);
    if (success !== undefined) return answerOf(success, value);
    if (open.length === 0 && recorded.more) return "unknown";
    const instead = this.reworded(asked) ?? open.find(({ tool }) => tool === name) ?? open[0];
    return { id, asked, tools: this.concerned(name), ...(instead ? { recorded: instead } : {}) };
  }

  /** The recorded call that this is in other words: the record stands for its effect, as for that of an equal call. */
  private reworded(asked: TaskCall): RecordedCall | undefined {
    const { open, effects } = this;
    const isSame = (one: RecordedCall) => effects?.rewords?.(asked, identityOf(one, effects)) === true;
    const place = open.findIndex((one) => one.fail === undefined && one.tool === asked.tool && isSame(one));
    if (place < 0) return undefined;
    const [call] = open.splice(place, 1);
    this.met.push(call as RecordedCall);
    return call;
  }

  /**
   * The body is over. Where the task had made a failed call again, the body means the call that succeeded.
   *
   * @returns whether it met a failed call
   */
  finish(): boolean {
    for (const failure of this.failures) {
      const success = take(this.open, identityOf(failure.asked, this.effects), this.effects);
      this.failed = success === undefined ? failure : null;
      if (success !== undefined) this.met.push(success);
    }
    return this.failures.length > 0;
  }

  /** The body continues after a call that had failed: its equal that succeeded answers for it. */
  private pastFailure(identity: string): { answer?: Result<Json> } {
    const success = take(this.open, identity, this.effects);
    if (success === undefined) return { answer: ok(null) };
    this.met.push(success);
    this.standIns.push(success);
    return answerOf(success, this.task.value);
  }

  private concerned(tool: string): string[] {
    return [tool, ...this.open.map((call) => call.tool)];
  }
}

/** Takes the first of these calls that succeeded and is the same one. */
function take(calls: RecordedCall[], identity: string, effects: TaskEffects | undefined): RecordedCall | undefined {
  const place = calls.findIndex((call) => call.fail === undefined && identityOf(call, effects) === identity);
  return place < 0 ? undefined : calls.splice(place, 1)[0];
}

function answerOf(call: RecordedCall, value: Json): { answer?: Result<Json> } {
  if (call.same) return { answer: ok(value) };
  if (call.fail !== undefined) return { answer: { ok: false, fail: call.fail } };
  return call.answer === undefined ? {} : { answer: ok(call.answer) };
}

/** What makes a call the same one: the id of its effect, or all its arguments. */
export function identityOf({ tool, args, digest }: RecordedCall, effects: TaskEffects | undefined): string {
  if (args === undefined) return digest ?? "";
  return effects?.idOf(tool, args) ?? callDigest({ tool, args });
}

/** What the calls are that a task with a record makes again. */
export function servedTask({ id: task, met }: MetTask, effects: TaskEffects): ServedTask {
  const ids: string[] = [];
  const others: string[] = [];
  for (const call of met) {
    const id = effects.idOf(call.tool, call.args ?? {});
    if (id === undefined) others.push(identityOf(call, effects));
    else ids.push(call.args === undefined ? (call.digest ?? id) : id);
  }
  return { task, ids, others };
}

function copied(fiber: Fiber, frame: Frame): Fiber {
  const copy = new Fiber(null, 0, new HostMap(fiber.globals), 0, fiber.text);
  const values = fiber.stack.slice(frame.base, fiber.sp);
  copy.stack.push(...values);
  copy.sp = values.length;
  copy.frames.push({ ...frame, base: 0 });
  copy.tasks.push({ id: SELF, locked: false, probe: true });
  return copy;
}

/** Ends the run of a body that is followed. */
export const endOfBody = (): Signal => new Signal("return", null);

/** Tasks inside are compared only where all calls around them are known. */
function readOnly(journal: JournalPort | null, { more }: RecordedCalls): JournalPort | null {
  if (journal === null) return null;
  return {
    has: (id) => journal.has(id),
    get: (id) => journal.get(id),
    callsOf: (id) => (more ? undefined : journal.callsOf?.(id)),
    commit: () => {},
    reset: () => {},
  };
}

/** Both calls, as people and models read them. */
export function otherEffectText({ id, recorded, asked, unrecorded }: OtherEffect): string {
  const now = `tool/${asked.tool} ${shown(asked.args)}`;
  if (unrecorded) return `(task "${id}" ...) is inside a recorded task, and asks for ${now}, which is not done`;
  if (recorded === undefined) return `(task "${id}" ...) was recorded without a call of ${now}, and now asks for it`;
  const before = `tool/${recorded.tool}${recorded.args === undefined ? " with other arguments" : ` ${shown(recorded.args)}`}`;
  return `(task "${id}" ...) was recorded with ${before}, and now asks for ${now}`;
}

function shown(args: TaskCall["args"]): string {
  try {
    return cutText(printValue(fromJson(args), { items: 10, chars: 200 }), 200);
  } catch (error) {
    if (error instanceof LispError) return "{...}";
    throw error;
  }
}
