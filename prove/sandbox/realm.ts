import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";

/** A second JavaScript world with separate modules. */
export interface Realm {
  /**
   * Calls a function that the entry module exports. The arguments are taken as they are; the value comes out as JSON.
   *
   * @param timeout_ms none: the caller knows that it ends. A time limit costs a thread for each call
   * @throws RealmTimeout when it does not end in time
   */
  call(name: string, args: readonly unknown[], timeout_ms?: number): unknown;
}

/** A call in a realm did not end in time; it was stopped. */
export class RealmTimeout extends Error {}

/** How a realm finds a module and its code: `name` is relative to `folder`, without an ending. */
export type LoadModule = (folder: string, name: string) => { file: string; code: string };

/**
 * A JavaScript world as bare as the one in which workflows run: nothing of Node, no code from texts, no clock and no
 * randomness, and nothing in it can be changed. What runs there has its own copies of all modules and of all that the
 * language comes with.
 *
 * @param entry the entry module, without its ending
 */
export function bareRealm(entry: string, loadModule: LoadModule = builtModule): Realm {
  const context = vm.createContext({}, { codeGeneration: { strings: false, wasm: false } });
  vm.runInContext(NO_CLOCK, context);
  const builtins = vm.runInContext(BUILTIN_NAMES, context) as string;
  const modules = new Map<string, { exports: unknown }>();
  const load = (folder: string, name: string): unknown => {
    const { file, code } = loadModule(folder, name);
    const known = modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} as unknown };
    modules.set(file, module);
    const wrapped = `(({ ${builtins} }) => function (module, exports, require) {${code}\n})(globalThis)`;
    const run = vm.runInContext(wrapped, context, { filename: file });
    run(module, module.exports, (other: string) => load(path.dirname(file), other));
    return module.exports;
  };
  const exports = load(path.dirname(entry), `./${path.basename(entry)}`);
  const called = vm.runInContext(CALLER, context) as (exports: unknown) => Caller;
  const caller = called(exports);
  vm.runInContext(FREEZE, context);
  const script = new vm.Script("globalThis[Symbol.for('navigator.call')]()");
  return {
    call(name, args, timeout_ms) {
      caller.next(name, args);
      try {
        return JSON.parse(
          script.runInContext(context, timeout_ms === undefined ? {} : { timeout: timeout_ms }) as string,
        );
      } catch (error) {
        if ((error as { code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
        throw new RealmTimeout(`no end after ${timeout_ms} ms`, { cause: error });
      }
    },
  };
}

interface Caller {
  next(name: string, args: readonly unknown[]): void;
}

/** The call is made by a script of the realm: only such a script can be stopped. */
const CALLER = `(exports) => {
  let next;
  const call = () => JSON.stringify(exports[next.name](...next.args));
  Object.defineProperty(globalThis, Symbol.for("navigator.call"), { value: call });
  return { next: (name, args) => { next = { name, args }; } };
}`;

/** Each use of a global name of a context costs about a microsecond, so modules have the language's own as local names. */
const BUILTIN_NAMES = `Object.getOwnPropertyNames(globalThis)
  .filter((name) => !["globalThis", "undefined", "NaN", "Infinity", "eval"].includes(name)).join(", ")`;

const NO_CLOCK = `
  const refuse = (what) => () => { throw new Error("the host was asked for " + what); };
  Math.random = refuse("randomness");
  Date.now = refuse("the time");
`;

/**
 * All that is reachable from the global object, prototypes included. No promise is made: where Temporal's workflows have
 * run in this process before, its hook would evaluate a text in the realm of every new one.
 */
const FREEZE = `
  const waiting = Object.getOwnPropertyNames(globalThis).map((name) => globalThis[name]);
  waiting.push((function* () {})(), async () => {}, [][Symbol.iterator](), new Map()[Symbol.iterator]());
  const seen = new Set([globalThis]);
  while (waiting.length > 0) {
    const one = waiting.pop();
    if ((typeof one !== "object" && typeof one !== "function") || one === null || seen.has(one)) continue;
    seen.add(one);
    waiting.push(Object.getPrototypeOf(one));
    for (const { value, get, set } of Object.values(Object.getOwnPropertyDescriptors(one))) waiting.push(value, get, set);
    Object.freeze(one);
  }
`;

function builtModule(folder: string, name: string): { file: string; code: string } {
  // In the package navigator-agents-prove, the language is in another package.
  const found = name.startsWith("navigator-agents/internal/") ? require.resolve(name) : moduleFile(folder, name, ".js");
  return { file: found, code: readFileSync(found, "utf8") };
}

/** The file of a module that is named as in `require`. @throws Error for packages and for what is not there */
export function moduleFile(folder: string, name: string, ending: string): string {
  if (!name.startsWith(".")) throw new Error(`${name} cannot be had in a bare realm`);
  const file = path.join(folder, name);
  const found = [`${file}${ending}`, path.join(file, `index${ending}`)].find((one) => existsSync(one));
  if (found === undefined) throw new Error(`no module ${file}`);
  return found;
}
