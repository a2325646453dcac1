import { existsSync, writeSync } from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ERROR_CODES } from "../core/base/error-codes";
import { NavigatorError, thrownText } from "../core/base/navigator-error";

/**
 * Loads a module of the user's (TypeScript or JavaScript, CommonJS or ESM) and gives its default export, or all of them. A module
 * in TypeScript is not type-checked, only read.
 *
 * @throws NavigatorError with the file, the place where it is known, and what its code threw.
 */
export async function loadModule(file: string): Promise<unknown> {
  shareOurselves();
  const listener = reportExit(file);
  try {
    const loaded = await loaderOf(path.extname(file))(file);
    return defaultOf(loaded);
  } catch (error) {
    const { message, code, stack } = asError(error);
    // For the syntax of TypeScript the message names the place.
    const parsed = /^ParseError: (.*?)\s*\n\s*(.+):(\d+):\d+\s*$/s.exec(message);
    if (parsed !== null)
      throw new NavigatorError("bad_project", `${parsed[2]}:${parsed[3]} cannot be loaded: ${parsed[1]}`, {
        details: { path: `${parsed[2]}:${parsed[3]}` },
      });
    const missing = code === "MODULE_NOT_FOUND" && message.includes(`'${file}'`);
    if (missing)
      throw new NavigatorError("not_found", `There is no file ${file}.`, { details: { path: file, kind: "file" } });
    const place = placeOf(stack ?? "", file);
    throw new NavigatorError("bad_project", `${place} cannot be loaded: ${message}`, {
      details: { path: place, stack: stack ?? "" },
    });
  } finally {
    process.off("exit", listener);
  }
}

/**
 * A module that calls `process.exit` while it is loaded ends the process: this reports it, and the exit code of the
 * module does not replace ours.
 */
function reportExit(file: string): (code: number) => void {
  const listener = (code: number) => {
    const { stack = "" } = new Error();
    const place = placeOf(stack.slice(stack.indexOf("process.exit (")), "");
    // Without a line of the user's it is our own end.
    if (place === "") return;
    writeSync(2, `error [bad_project] ${place} called process.exit(${code}) while ${file} was loaded.\n`);
    process.exitCode = ERROR_CODES.bad_project.exit;
  };
  process.on("exit", listener);
  return listener;
}

/** Code may throw any value. */
const asError = (thrown: unknown): NodeJS.ErrnoException =>
  typeof thrown === "object" && thrown !== null && "message" in thrown
    ? (thrown as NodeJS.ErrnoException)
    : new Error(`it threw ${thrownText(thrown)}`);

/** The first place in the stack that is code of the user's: `/shop/agents/refund.ts:12`. Without one, the file that was loaded. */
function placeOf(stack: string, file: string): string {
  const lines = stack.split("\n");
  // The first line of a syntax error's stack is its place, in whichever file it is.
  const syntax = /^((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+)$/.exec(lines[0] ?? "");
  const frames = lines.map((line) => /^\s+at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:\\).*?):(\d+)(?::\d+)?\)?$/.exec(line));
  for (const found of [syntax, ...frames]) {
    if (found === null) continue;
    const [, at = "", line] = found;
    const place = at.startsWith("file://") ? fileURLToPath(at) : at;
    // Next in the stack is the caller that loads the module.
    if (place === __filename) break;
    if (!place.split(path.sep).includes("node_modules") && !place.startsWith(OURS)) return `${place}:${line}`;
  }
  return file;
}

function loaderOf(extension: string): (file: string) => Promise<unknown> {
  if (/^\.[cm]?ts$/.test(extension)) return importTypeScript;
  return extension === ".mjs" ? importEsm : requireOrImport;
}

/** Modules that a TypeScript module imports are read in the same way. */
async function importTypeScript(file: string): Promise<unknown> {
  const { createJiti } = await import("jiti");
  return createJiti(file, { virtualModules: ownModules(), fsCache: false }).import(file);
}

async function requireOrImport(file: string): Promise<unknown> {
  try {
    return createRequire(file)(file) as unknown;
  } catch (error) {
    const { code, message } = asError(error);
    const isEsm = code === "ERR_REQUIRE_ESM" || code === "ERR_REQUIRE_ASYNC_MODULE" || isEsmSyntax(error);
    // Newer versions of Node require ESM, whose imports do not look where ours does.
    if (isEsm || (code === "ERR_MODULE_NOT_FOUND" && message.includes("'navigator-agents'"))) return importEsm(file);
    throw error;
  }
}

/** Node reports this for a `.js` file with import or export that no package.json calls a module. */
const isEsmSyntax = (error: unknown): boolean =>
  error instanceof Error &&
  /Cannot use import statement outside a module|Unexpected token 'export'/.test(error.message);

/** Hidden from the compiler, which would turn it into a `require`. */
const dynamicImport = new Function("address", "return import(address)") as (address: string) => Promise<unknown>;

function importEsm(file: string): Promise<unknown> {
  shareWithImports();
  return dynamicImport(pathToFileURL(file).href);
}

function defaultOf(loaded: unknown): unknown {
  const { default: main } = (loaded ?? {}) as { default?: unknown };
  return main === undefined ? loaded : main;
}

/** Where the code of this package is. */
const OURS = path.join(__dirname, "..") + path.sep;

const OWN = new Map(
  Object.entries({
    "navigator-agents": "index",
    "navigator-agents/trace": "entries/trace",
    "navigator-agents/agent": "entries/agent",
    "navigator-agents/graph": "entries/graph",
    "navigator-agents/plan": "entries/plan",
    "navigator-agents/lisp": "entries/lisp",
    "navigator-agents/workflows": "entries/workflows",
    "navigator-agents/testing": "testing/index",
  }).map(([name, file]) => [name, path.join(OURS, file)]),
);

/** The running copy of each entry, loaded when a module asks for it. */
function ownModules(): { [name: string]: unknown } {
  const load = createRequire(__filename);
  const entries = [...OWN].map(([name, place]) => [name, { enumerable: true, get: () => load(place) as unknown }]);
  return Object.defineProperties({}, Object.fromEntries(entries)) as { [name: string]: unknown };
}

type ResolveFilename = (request: string, ...rest: unknown[]) => string;
let shared = false;

/**
 * Lets a project's modules `require("navigator-agents")` wherever they are, and get the running copy: a project need
 * not have the package installed, and a global command and a local copy never mix.
 */
function shareOurselves(): void {
  if (shared) return;
  shared = true;
  const loader = Module as unknown as { _resolveFilename: ResolveFilename };
  const original = loader._resolveFilename;
  loader._resolveFilename = function (this: unknown, request, ...rest) {
    try {
      return original.call(this, OWN.get(request) ?? request, ...rest);
    } catch (error) {
      throw withNewName(request, error);
    }
  };
}

/** The program of a thread of Node's that resolves the names of imports: ours lead to the running copy. */
const RESOLVE = `let own = {};
export const initialize = (given) => { own = given; };
export const resolve = (name, context, next) => next(Object.hasOwn(own, name) ? own[name] : name, context);`;
let sharedWithImports = false;

/**
 * The same for modules that `import` it. NODE_PATH and global packages count for `require` alone. From the sources, which cannot be
 * imported, and in Node before 20.6 such a project needs the package in its own node_modules.
 */
function shareWithImports(): void {
  const { register } = Module as Partial<Pick<typeof Module, "register">>;
  const built = [...OWN].filter(([, place]) => existsSync(`${place}.mjs`));
  if (sharedWithImports || register === undefined || built.length === 0) return;
  sharedWithImports = true;
  const data = Object.fromEntries(built.map(([name, place]) => [name, pathToFileURL(`${place}.mjs`).href]));
  register(`data:text/javascript,${encodeURIComponent(RESOLVE)}`, { data });
}

/**
 * This package was once called `navigator`. A project that requires that name, without such a package, gets an error
 * with the new name.
 */
function withNewName(request: string, error: unknown): unknown {
  if (!/^navigator(\/testing)?$/.test(request)) return error;
  const today = request.replace("navigator", "navigator-agents");
  return new Error(`There is no package "${request}". It is called "${today}" now.`, { cause: error });
}
