/**
 * The SDK keeps where each promise of a workflow was made, for the query `__stack_trace`. To write a stack as text, with the places of
 * the source map, was a third of what a workflow costs its thread, and few promises live until somebody asks. This module
 * is loaded before the workflows and before their globals are frozen. The SDK keeps V8's own record of a stack then, and the
 * text is written when the query reads it. A stack has at most four lines, and an error at most six.
 */

/** Of a promise's stack, the first two are the SDK's own. */
const FRAMES = 6;

type Compile = (...texts: [string, ...string[]]) => unknown;

/** The SDK's own hook makes an error for each promise with what this text gives, and reads its `stack`. */
const ERRORS = "return globalThis.Error";

/** The SDK compiles the same short texts with `promise.constructor.constructor`, several times for each promise. */
export function compiledOnce(compile: Compile): Compile {
  const compiled = new Map<string, unknown>([[ERRORS, () => StackOfPromise]]);
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

/** What the SDK keeps of a promise: lines as an error has them, and the same as data. */
interface StackTrace {
  readonly formatted: string;
  readonly structured: readonly Place[];
}

interface Place {
  file_path?: string;
  function_name?: string;
  line?: number;
  column?: number;
  internal_code: boolean;
}

/** The part of the SDK's run that has the stacks of its promises. */
interface Activator {
  promiseStackStore?: { promiseToStack: Map<unknown, StackTrace> };
}

/** The stacks of the promises of a run. What is set after a stack was captured gets that stack, unwritten. */
class UnwrittenStacks extends Map<unknown, StackTrace> {
  captured: { stack?: string } | undefined;

  override set(promise: unknown, stack: StackTrace): this {
    const { captured } = this;
    this.captured = undefined;
    return super.set(promise, captured === undefined ? stack : new UnwrittenStack(captured));
  }
}

class UnwrittenStack implements StackTrace {
  constructor(private readonly captured: { stack?: string }) {}

  get formatted(): string {
    return stackLines(this.captured.stack ?? "").join("\n");
  }

  get structured(): readonly Place[] {
    return stackLines(this.captured.stack ?? "").map(placeOf);
  }
}

/** The lines of the workflow's code: without those of the SDK's hook, of `Promise.all` and its like, and of what calls the workflow. */
export function stackLines(stack: string): string[] {
  const lines = stack.split("\n").slice(2);
  if (/^\s+at initAll \(node:internal\/promise_hooks/.test(lines[0] ?? "")) lines.shift();
  if (/^\s+at Promise\.then \(<anonymous>\)$/.test(lines[0] ?? "") && AGGREGATE.test(lines[1] ?? ""))
    lines.splice(0, 1);
  const end = lines.findIndex((line) => CALLER.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

const AGGREGATE = /^\s+at (Function|Promise)\.(race|all|allSettled|any) \(<anonymous>\)$/;
const CALLER =
  /^\s+at (Activator\.\S+NextHandler \(.*[\\/]workflow[\\/](?:src|lib)[\\/]internals\.[jt]s:\d+:\d+\)|Script\.runInContext \((?:node:vm|vm\.js):\d+:\d+\))$/;

function placeOf(line: string): Place {
  const [, name, file, row, column] = /^\s+at (?:(.*?) \()?(.*?)(?::(\d+):(\d+))?\)?$/.exec(line) ?? [];
  return {
    ...(name === undefined ? {} : { function_name: name }),
    ...(file === undefined || file === "<anonymous>" ? {} : { file_path: file }),
    ...(row === undefined ? {} : { line: Number(row), column: Number(column) }),
    internal_code: false,
  };
}

const CapturedError = Error;

/**
 * What the SDK writes stacks with, if it does. It keeps no stack of a promise for which this was not called meanwhile. It is a function of the
 * thread's own globals, which its `TextEncoder` leads to.
 */
const { prepareStackTrace: write } = (TextEncoder.constructor as FunctionConstructor)(
  "return Error",
)() as ErrorConstructor;

/** What the SDK's hook makes instead of an error. Its `stack` is empty, and the one that was captured goes where the SDK keeps stacks. */
function StackOfPromise(): { stack?: string } {
  const store = (globalThis as { __TEMPORAL_ACTIVATOR__?: Activator }).__TEMPORAL_ACTIVATOR__?.promiseStackStore;
  if (store === undefined || write === undefined) return new CapturedError();
  if (!(store.promiseToStack instanceof UnwrittenStacks))
    store.promiseToStack = new UnwrittenStacks(store.promiseToStack);
  const captured = {};
  CapturedError.captureStackTrace(captured, StackOfPromise);
  (store.promiseToStack as UnwrittenStacks).captured = captured;
  write(captured as Error, []);
  return UNWRITTEN;
}

const UNWRITTEN = { stack: "" };

/** Only in a context that runs share, before it is frozen: elsewhere globals stay as they are. */
function makeCheap(): void {
  if (!("__webpack_module_cache__" in globalThis) || Object.isFrozen(Promise) || Object.isFrozen(Error)) return;
  Object.defineProperty(Promise, "constructor", { value: compiledOnce(Function as unknown as Compile) });
  Error.stackTraceLimit = FRAMES;
}

makeCheap();
