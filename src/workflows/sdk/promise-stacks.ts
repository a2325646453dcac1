import { Activator } from "@temporalio/workflow/lib/internals";

/**
 * The SDK keeps where each promise of a workflow was made, for the query `__stack_trace`. That is a quarter of what a workflow
 * costs its thread, and a part of what one that waits costs in memory. This module is loaded before the workflows and before their globals
 * are frozen. It has the stacks left out, or made cheaper for a worker that shall keep them (decision 58).
 */

/** A worker with `promiseStacks` changes this word of the bundle that it reads. */
const MODE: string = "promise_stacks_off";

/** What the query answers without them. */
export const WITHOUT_STACKS = `This worker keeps no stack traces of promises. "navigator log ID" and the pending activities say what a run
waits for. For stack traces start a worker with promiseStacks: true, and stop the others: it plays the histories of
running workflows again, and has the stacks of all of them.`;

/** Of a promise's stack, the first two are the SDK's own. */
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

/** The SDK has two. */
const MOST_TEXTS = 8;

/** Where the SDK asks for an error with a stack, and leaves a promise out whose error has none. */
const ERROR_OF_HOOK = "return globalThis.Error";
class WithoutStack {}

/** Only in a context that runs share, before it is frozen: elsewhere globals stay as they are. */
function makeCheap(keepsStacks: boolean): void {
  if (!("__webpack_module_cache__" in globalThis) || Object.isFrozen(Promise) || Object.isFrozen(Error)) return;
  const known: [string, unknown][] = keepsStacks ? [] : [[ERROR_OF_HOOK, () => WithoutStack]];
  const value = compiledOnce(Function as unknown as Compile, known);
  Object.defineProperty(Promise, "constructor", { value });
  Error.stackTraceLimit = FRAMES;
  if (!keepsStacks) answerWithout(Activator.prototype as unknown as Stacks);
}

/** The SDK has it as `protected`: what both queries of stacks are answered from. */
interface Stacks {
  getStackTraces(): { formatted: string; structured: unknown[] }[];
}

function answerWithout(activator: Stacks): void {
  activator.getStackTraces = () => [{ formatted: WITHOUT_STACKS, structured: [] }];
}

makeCheap(MODE === "promise_stacks_on");
