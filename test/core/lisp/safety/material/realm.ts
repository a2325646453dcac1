import { readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { transformSync } from "@swc/core";

/**
 * A second JavaScript world, as bare as the one in which workflows run: nothing of Node, no code from texts, no clock and
 * no randomness, and nothing in it can be changed. What runs there has its own copies of all modules and of all that
 * the language comes with.
 */
export function bareRealm<T>(entry: string): T {
  const context = vm.createContext({}, { codeGeneration: { strings: false, wasm: false } });
  vm.runInContext(NO_CLOCK, context);
  const modules = new Map<string, { exports: unknown }>();
  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} as unknown };
    modules.set(file, module);
    const require = (name: string) => load(resolve(path.dirname(file), name));
    const run = vm.runInContext(`(function (module, exports, require) {${compiled(file)}\n})`, context, {
      filename: file,
    });
    run(module, module.exports, require);
    return module.exports;
  };
  const exports = load(entry) as T;
  vm.runInContext(FREEZE, context);
  return exports;
}

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

function resolve(folder: string, name: string): string {
  if (!name.startsWith(".")) throw new Error(`${name} cannot be had in a bare realm`);
  const file = path.join(folder, name);
  for (const candidate of [`${file}.ts`, path.join(file, "index.ts")])
    try {
      readFileSync(candidate);
      return candidate;
    } catch {}
  throw new Error(`no module ${file}`);
}

function compiled(file: string): string {
  return transformSync(readFileSync(file, "utf8"), {
    filename: file,
    module: { type: "commonjs" },
    jsc: { target: "es2023", parser: { syntax: "typescript" } },
  }).code;
}
