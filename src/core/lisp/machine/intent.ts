import { callDigest } from "../../base/call-digest";
import { HostMap } from "../../base/intrinsics";
import { LISP_LIMITS, type LispLimits } from "../../base/limits";
import type { JournalPort, ProgramOptions, ProgramState, RecordedCall, TaskCall } from "../program";
import { cutText } from "../text/cut-text";
import { fromJson } from "../values/encode";
import { LispError } from "../values/errors";
import { printValue } from "../values/print";
import { Fiber, type Frame } from "./fiber";
import { Signal } from "./signal";

/**
 * Finds out what a recorded task would do now. Its body runs beside the program, on a copy of the fiber's state, up to
 * the first tool call. Nothing that it does is kept, and no tool is called.
 */

/** Stands for the task's own id, so that its calls differ from those of tasks inside it. */
const SELF = "\u0000";

/** The probe gives up on a body that needs more than this before its first call: the recorded value is used. */
const LIMITS: LispLimits = {
  ...LISP_LIMITS,
  max_steps: 20_000,
  max_steps_between_effects: 20_000,
  max_bytes: 4_000_000,
};

/** Runs a fiber beside the program, with other options; `steps` is what it used. */
export type RunBeside = (options: ProgramOptions, fiber: Fiber) => { state: ProgramState; steps: number };

/** @returns the first call, null when there is none or a task inside makes it; and the steps that were used */
export function firstCall(
  options: ProgramOptions,
  runBeside: RunBeside,
  fiber: Fiber,
  frame: Frame,
): { call: TaskCall | null; steps: number } {
  const { state, steps } = runBeside(
    { ...options, journal: readOnly(options.journal), tool_cache: new HostMap(), limits: LIMITS },
    copied(fiber, frame),
  );
  const request = state.state === "waiting" ? state.requests[0] : undefined;
  const call = request?.task === SELF ? { tool: request.name, args: request.args } : null;
  return { call, steps };
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

/** Ends the run of a probe. */
export const endOfProbe = (): Signal => new Signal("return", null);

function readOnly(journal: JournalPort | null): JournalPort | null {
  if (journal === null) return null;
  return { has: (id) => journal.has(id), get: (id) => journal.get(id), commit: () => {}, reset: () => {} };
}

export const differs = (recorded: RecordedCall, asked: TaskCall): boolean =>
  recorded.tool !== asked.tool || recorded.digest !== callDigest(asked);

/** The conflict as people and models read it. */
export function conflictText(id: string, recorded: RecordedCall, asked: TaskCall): string {
  const before = `tool/${recorded.tool}${recorded.args === undefined ? " with other arguments" : ` ${shown(recorded.args)}`}`;
  return `(task "${id}" ...) was recorded with ${before}, and now asks for tool/${asked.tool} ${shown(asked.args)}`;
}

function shown(args: TaskCall["args"]): string {
  try {
    return cutText(printValue(fromJson(args), { items: 10, chars: 200 }), 200);
  } catch (error) {
    if (error instanceof LispError) return "{...}";
    throw error;
  }
}
