import assert from "node:assert";
import { AsyncLocalStorage } from "node:async_hooks";
import vm from "node:vm";

/** The workflow types of a bundle, found by loading it as a worker does. */
export type BundledTypes =
  | { types: string[] }
  /** Types of the application with names of Navigator's types. */
  | { clashing: string[] }
  /** The code cannot be loaded outside of a running workflow: it calls a function such as `uuid4` while it loads. */
  | { unknown: true };

/** The globals of the SDK's sandbox. */
const SANDBOX = { URL, URLSearchParams, assert, TextEncoder, TextDecoder, AbortController, AsyncLocalStorage };

const quiet = () => {};

/** A bundle replaces clock, random numbers and timers by those of the SDK, which work in a running workflow only. */
const KEEP_GLOBALS = "var ownGlobals = { Date, random: Math.random };";
const RESTORE_GLOBALS =
  "Date = ownGlobals.Date; Math.random = ownGlobals.random; setTimeout = () => 0; clearTimeout = () => {};";

/** The name of the bundle among the files that the SDK's bundler makes: a hook may add source maps. */
export const BUNDLE_ASSET = /^workflow-bundle-.*\.js$/;

/** The names under which the workflows of a bundle are started. */
export function bundledTypes(code: string): BundledTypes {
  const console = { log: quiet, warn: quiet, error: quiet, info: quiet, debug: quiet };
  const context = vm.createContext({ ...SANDBOX, console, __webpack_module_cache__: {} });
  try {
    vm.runInContext(KEEP_GLOBALS, context);
    new vm.Script(code, { filename: "workflow-bundle.js" }).runInContext(context, { timeout: 30_000 });
    vm.runInContext(RESTORE_GLOBALS, context);
    const list = `JSON.stringify(Object.entries(__TEMPORAL__.importWorkflows())
      .filter(([, made]) => typeof made === "function").map(([name]) => name))`;
    return { types: JSON.parse(vm.runInContext(list, context, { timeout: 30_000 }) as string) as string[] };
  } catch (error) {
    const { clashing } = (error ?? {}) as { clashing?: string[] };
    return clashing === undefined ? { unknown: true } : { clashing: [...clashing] };
  }
}
