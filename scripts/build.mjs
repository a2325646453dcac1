// src, bench, examples and prove -> dist, then the workflow bundle. Others may be running what is in dist: every file is
// put in place by one rename, files that did not change are left alone, and the folder itself never goes away.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildMcpApp } from "./build-mcp-app.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, "dist");
const STAMP = ".build-stamp";
const BUNDLE = "workflow-bundle.js";
const say = (text) => process.stderr.write(`${text}\n`);

/** What package.json exports, as files below dist without their ending. */
const entries = () =>
  Object.values(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).exports)
    .filter((target) => target?.require !== undefined)
    .map((target) => target.require.default.replace(/^\.\/dist\/|\.js$/g, ""));

/** All files below a folder, as paths relative to it, sorted. Packages that a folder has for itself are not its sources. */
function filesBelow(folder, below = "") {
  if (!existsSync(path.join(folder, below))) return [];
  return readdirSync(path.join(folder, below), { withFileTypes: true })
    .filter((entry) => entry.name !== "node_modules")
    .flatMap((entry) => {
      const file = path.join(below, entry.name);
      return entry.isDirectory() ? filesBelow(folder, file) : [file];
    })
    .sort();
}

/** One hash of everything that a build reads. */
function fingerprint() {
  const hash = createHash("sha256");
  const sources = ["src", "bench", "examples", "prove"].flatMap((folder) =>
    filesBelow(path.join(root, folder))
      .filter((file) => /\.(ts|json)$/.test(file))
      .map((file) => path.join(folder, file)),
  );
  const settings = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "scripts/build.mjs",
    "scripts/build-mcp-app.mjs",
  ];
  const page = filesBelow(path.join(root, "page")).map((file) => path.join("page", file));
  for (const file of [...settings, ...sources, ...page])
    hash.update(`${file}\0`).update(readFileSync(path.join(root, file)));
  return hash.digest("hex");
}

/** Whether dist is what a build would make now. */
export function isFresh() {
  const stamp = path.join(dist, STAMP);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint();
}

function compile(out) {
  const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", path.join(root, "tsconfig.build.json"), "--rootDir", root, "--outDir", out];
  // tsc tells its errors on stdout, which belongs to the command that asked for the build.
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("The sources do not compile.");
}

/** dist mirrors src; bench, examples and prove stand below it, so imports between them and src are one level nearer. */
function layOut(compiled, out) {
  for (const file of filesBelow(compiled)) {
    const [area, ...rest] = file.split(path.sep);
    const to = path.join(out, ...(area === "src" ? rest : [area, ...rest]));
    const text = readFileSync(path.join(compiled, file), "utf8");
    mkdirSync(path.dirname(to), { recursive: true });
    const moved =
      area === "src"
        ? text.replace(/\.\.\/((?:\.\.\/)*examples\/)/g, "$1")
        : text.replace(/((?:\.\.\/)*\.\.)\/src(?=["'/])/g, "$1");
    writeFileSync(to, moved);
  }
}

/** What `import` gets: the very modules that `require` gets, so that there is one copy of every class, by names that Node knows. */
function wrapForEsm(out) {
  const require = createRequire(path.join(root, "package.json"));
  for (const entry of entries().filter((one) => existsSync(path.join(out, `${one}.js`)))) {
    const names = Object.keys(require(path.join(out, `${entry}.js`))).filter((name) => name !== "__esModule");
    const from = `./${path.basename(entry)}.js`;
    const lines = [`import all from "${from}";`, `export const { ${names.sort().join(", ")} } = all;`, ""];
    writeFileSync(path.join(out, `${entry}.mjs`), lines.join("\n"));
    writeFileSync(path.join(out, `${entry}.d.mts`), `export * from "${from}";\n`);
  }
}

/** What package.json says of side effects would have the bundler leave out modules that are only loaded first. */
const webpackConfigHook = (config) => ({
  ...config,
  optimization: { ...config.optimization, sideEffects: false },
});

/** From dist, so that the paths in the bundle's stack traces are those of the files that run. */
async function bundleWorkflows(out) {
  const workflowsPath = path.join(dist, "workflows", "index.js");
  if (!existsSync(workflowsPath)) return say("There is no src/workflows/index.ts: no workflow bundle is made.");
  const { bundleWorkflowCode } = createRequire(path.join(root, "package.json"))("@temporalio/worker");
  const quiet = { trace() {}, debug() {}, info() {}, warn: (text) => say(text), error: (text) => say(text), log() {} };
  // No module keeps state of a run, so all runs of a worker share one copy of the code: less memory and time for each.
  const first = ["node/sdk-internals/promise-stacks.js", "core/base/zod-first-use.js"].map((file) =>
    path.join(dist, file),
  );
  const preloadModules = [...first, workflowsPath];
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [path.join(dist, "workflows", "telemetry", "bundled-trace-interceptors.js")],
    preloadModules,
    failureConverterPath: path.join(dist, "node", "encoding", "bundled-failures.js"),
    webpackConfigHook,
    logger: quiet,
  });
  if (!/preloadModules\(\) {[^}]*workflows\/index\.js/.test(code))
    throw new Error("The bundle loads the workflows anew for every run: they are not among the modules loaded first.");
  writeFileSync(path.join(out, BUNDLE), await slim(withLocalGlobals(code)));
  renameSync(path.join(out, BUNDLE), path.join(dist, BUNDLE));
}

/** What the SDK replaces for each run (Date, WeakRef, FinalizationRegistry and the timers) is not among them. */
const GLOBALS =
  `Object Array Map Set WeakMap WeakSet String Number Boolean BigInt Symbol Promise RegExp JSON Math Reflect Proxy Function
  Error TypeError RangeError SyntaxError ReferenceError AggregateError ArrayBuffer DataView Uint8Array Uint16Array Uint32Array Int32Array
  Float64Array BigInt64Array BigUint64Array Intl parseInt parseFloat isNaN isFinite NaN Infinity encodeURIComponent decodeURIComponent
  TextEncoder TextDecoder`.split(/\s+/);

/**
 * The bundle with the names of the language's own globals as variables of its outermost function. Workflows run in a context of
 * Node's `vm`, where each read of a global asks the context's object first: 200 to 350 ns instead of 2, for each `Array.isArray`. The SDK
 * freezes these globals before the first run, so they are the same objects for good. On the first line, so that the source map holds.
 */
function withLocalGlobals(code) {
  const start = /^var __TEMPORAL__;\s*(?:\/\*+\/\s*)?\(\(\) => \{/.exec(code);
  if (start === null)
    throw new Error("The workflow bundle does not begin as expected: its globals cannot be made local.");
  const names = GLOBALS.map((name) => `${name} = globalThis.${name}`).join(", ");
  return `${start[0]} const ${names};${code.slice(start[0].length)}`;
}

const MAP = "//# sourceMappingURL=data:application/json;";

/**
 * The bundle without comments and blanks, and without a second copy of the sources in its source map: each start of a worker reads,
 * parses and copies all of it. Names and statements stay as they are. As ASCII it takes one byte for a character in memory.
 */
async function slim(code) {
  const at = code.lastIndexOf(MAP);
  if (at < 0) throw new Error("The workflow bundle has no source map.");
  const encoded = code.slice(code.indexOf("base64,", at) + "base64,".length);
  const { sourcesContent: _, ...map } = JSON.parse(Buffer.from(encoded, "base64").toString());
  const { minify } = createRequire(path.join(root, "package.json"))("@swc/core");
  const slimmed = await minify(code.slice(0, at), {
    compress: false,
    mangle: false,
    module: false,
    format: { comments: "some", ascii_only: true },
    sourceMap: { content: JSON.stringify(map) },
    inlineSourcesContent: false,
  });
  const { sourcesContent: __, ...places } = JSON.parse(slimmed.map);
  const text = Buffer.from(JSON.stringify({ ...places, file: map.file })).toString("base64");
  return `${slimmed.code}\n${MAP}base64,${text}`;
}

/** The page of Mission Control, as static files in dist/page, and its views for chat hosts in dist/page-app. */
async function buildPage(out) {
  const { build } = await import("vite");
  const configFile = path.join(root, "page", "vite.config.mts");
  if (!existsSync(configFile))
    return say("There is no page/vite.config.mts: the page of Mission Control is not built.");
  const { NODE_ENV } = process.env;
  try {
    await build({ configFile, logLevel: "error", build: { outDir: path.join(out, "page"), emptyOutDir: false } });
    await buildMcpApp(path.join(out, "page-app"));
  } finally {
    // Vite sets it for good. What is run after a build must be run as without one.
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

function publish(out) {
  const made = new Set(filesBelow(out));
  for (const file of made) {
    const [from, to] = [path.join(out, file), path.join(dist, file)];
    if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) continue;
    mkdirSync(path.dirname(to), { recursive: true });
    renameSync(from, to);
  }
  for (const file of filesBelow(dist))
    if (!made.has(file) && file !== STAMP && file !== BUNDLE) rmSync(path.join(dist, file));
}

export async function build() {
  const started = Date.now();
  const stamp = fingerprint();
  // On the disk of dist, so that a rename is one step; inside node_modules, where no tool looks for sources.
  const work = path.join(root, "node_modules", ".cache", `navigator-build-${process.pid}`);
  const out = path.join(work, "dist");
  try {
    compile(path.join(work, "compiled"));
    layOut(path.join(work, "compiled"), out);
    wrapForEsm(out);
    await buildPage(out);
    publish(out);
    await bundleWorkflows(out);
    writeFileSync(path.join(dist, STAMP), stamp);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  say(`Built dist in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (!(process.argv.includes("--if-stale") && isFresh()))
    await build().catch((error) => {
      say(`Build failed: ${error.message}`);
      process.exitCode = 1;
    });
}
