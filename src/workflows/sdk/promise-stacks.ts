/**
 * The SDK keeps where each promise of a workflow was made, for the query `__stack_trace`. That is a third of what a workflow
 * costs its thread. This module is loaded before the workflows and before their globals are frozen, and makes it
 * cheaper: the query answers as before, but a stack has at most four lines, and an error at most six.
 */

/** Of a promise's stack, the first two are the SDK's own. */
const FRAMES = 6;

type Compile = (...texts: [string, ...string[]]) => unknown;

/** The SDK compiles the same short texts with `promise.constructor.constructor`, several times for each promise. */
export function compiledOnce(compile: Compile): Compile {
  const compiled = new Map<string, unknown>();
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

/** Only in a context that runs share, before it is frozen: elsewhere globals stay as they are. */
function makeCheap(): void {
  if (!("__webpack_module_cache__" in globalThis) || Object.isFrozen(Promise) || Object.isFrozen(Error)) return;
  Object.defineProperty(Promise, "constructor", { value: compiledOnce(Function as unknown as Compile) });
  Error.stackTraceLimit = FRAMES;
}

makeCheap();
