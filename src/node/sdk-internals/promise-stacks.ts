import { Activator } from "@temporalio/workflow/lib/internals";

/**
 * The SDK keeps a stack trace of each promise of a workflow, for the query `__stack_trace`: a quarter of the time of the workflow thread,
 * and a part of the memory of a parked workflow. This module leaves the stacks out, or shortens them for a worker that keeps them
 * (decision 58). The bundle loads it before the workflows and before the SDK freezes their globals.
 */

/** A worker with `promiseStacks` changes this word in its bundle. */
const MODE: string = "promise_stacks_off";

/** The answer of the query without stacks. */
export const WITHOUT_STACKS = `This worker keeps no stack traces of promises. "navigator log ID" and the pending activities show what a run
waits for. For stack traces start a worker with promiseStacks: true, and stop the others: it replays the histories of
running workflows, and has the stacks of all of them.`;

/** The first two frames of a promise's stack are the SDK's own. */
const FRAMES = 6;

type Compile = (...texts: [string, ...string[]]) => unknown;

/** The SDK compiles the same short texts with `promise.constructor.constructor`, several times for each promise. */
export function compiledOnce(compile: Compile, known: readonly [text: string, made: unknown][] = []): Compile {
  const compiled = new Map<string, unknown>(known);
  return (text, ...others) => {
    if (others.length > 0) return compile(text, ...others);
    const known = compiled.get(text);
    if (known !== undefined) return known;
    const made = compile(text);
    if (compiled.size < MOST_TEXTS) compiled.set(text, made);
    return made;
  };
}

/** The SDK compiles two. */
const MOST_TEXTS = 8;

/** The text with which the SDK gets an error for the stack. It skips a promise whose error has no stack. */
const ERROR_OF_HOOK = "return globalThis.Error";
class WithoutStack {}

/** Changes nothing outside of a context that runs share, and nothing after the SDK has frozen it. */
function makeCheap(keepsStacks: boolean): void {
  if (!("__webpack_module_cache__" in globalThis) || Object.isFrozen(Promise) || Object.isFrozen(Error)) return;
  const known: [string, unknown][] = keepsStacks ? [] : [[ERROR_OF_HOOK, () => WithoutStack]];
  const value = compiledOnce(Function as unknown as Compile, known);
  Object.defineProperty(Promise, "constructor", { value });
  Error.stackTraceLimit = FRAMES;
  if (!keepsStacks) answerWithout(Activator.prototype as unknown as Stacks);
}

/** Both queries of stacks are answered from this method, which the SDK declares as `protected`. */
interface Stacks {
  getStackTraces(): { formatted: string; structured: unknown[] }[];
}

function answerWithout(activator: Stacks): void {
  activator.getStackTraces = () => [{ formatted: WITHOUT_STACKS, structured: [] }];
}

makeCheap(MODE === "promise_stacks_on");
