const { randomInt } = require("node:crypto");
const { readdirSync, readFileSync } = require("node:fs");
const path = require("node:path");

/**
 * What comes with the language. Jest runs files in a context of `node:vm`, where each use of a global name costs a
 * microsecond: a hundred times as much as anywhere else, and most of what the interpreter of PTC-Lisp would take. So
 * modules get these as parameters. Not those that a test may replace, such as Date and the timers.
 */
const BUILTINS = [
  ...["Object", "Function", "Array", "String", "Number", "Boolean", "BigInt", "Symbol"],
  ...["Map", "Set", "WeakMap", "WeakSet", "Uint8Array", "Uint32Array", "Math", "JSON", "Reflect", "RegExp", "Promise"],
  ...["Error", "TypeError", "RangeError", "Infinity", "parseInt", "parseFloat", "isNaN", "isFinite"],
];

const common = {
  testEnvironment: "<rootDir>/test/support/run/test-environment.ts",
  sandboxInjectedGlobals: BUILTINS,
  // A copy of templates/, made when the generator is packed.
  modulePathIgnorePatterns: ["<rootDir>/create-navigator-agents/"],
  // What a project's modules get when they ask for this package (src/project/load-module.ts does it outside of jest).
  moduleNameMapper: {
    // The SDK of A2A requires a version of jose that is an ES module: Node can do that, jest cannot. Nothing there uses it.
    "^jose$": "<rootDir>/node_modules/jose/dist/node/cjs/index.js",
    "^navigator-agents$": "<rootDir>/src/index.ts",
    "^navigator-agents/(trace|agent|graph|plan|lisp|workflows|workflow-interceptors)$": "<rootDir>/src/entries/$1.ts",
    "^navigator-agents/(testing)$": "<rootDir>/src/$1/index.ts",
  },
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        sourceMaps: "inline",
        module: { type: "commonjs" },
        jsc: { target: "es2023", parser: { syntax: "typescript" } },
      },
    ],
  },
};

/** Tests below these folders get a real Temporal server (TEMPORAL_ADDRESS); all others start without one, at once. */
const withServer = ["workflows", "live", "server", "cli", "web"];

/**
 * `npm run test:deep`, or a deep file that is asked for by its name: files named *.deep.test.ts, and again those with generated cases,
 * with ten times their number and another seed.
 */
const isDeep = process.env.NAVIGATOR_DEEP === "1" || process.argv.some((word) => word.includes(".deep"));
if (isDeep) {
  process.env.NAVIGATOR_DEEP = "1";
  process.env.NAVIGATOR_SEED ??= String(randomInt(1, 2 ** 31 - 1));
}

const DEEP = /\.deep\.test\.ts$/;
const hasGeneratedCases = (file) =>
  /run\/property"|\ballAreSafe\(/.test(readFileSync(path.join(__dirname, file), "utf8"));
const files = readdirSync(path.join(__dirname, "test"), { recursive: true })
  .map((file) => `test/${file.split(path.sep).join("/")}`)
  .filter((file) => file.endsWith(".test.ts"));
const isOfThisRun = (file) => (isDeep ? DEEP.test(file) || hasGeneratedCases(file) : !DEEP.test(file));
/** They record histories (docs/testing.md, "Record a history"); what they recorded is replayed by replay.test.ts. */
const recordings = process.env.NAVIGATOR_RECORD ? [] : ["test/workflows/recordings.test.ts"];
const filesOf = (needsServer) =>
  files
    .filter((file) => isOfThisRun(file) && !recordings.includes(file))
    .filter((file) => withServer.some((folder) => file.startsWith(`test/${folder}/`)) === needsServer)
    .map((file) => `<rootDir>/${file}`);

/** @type {import('jest').Config} */
module.exports = {
  // Ends a test that hangs while others go on; when nothing happens any more, the reporter ends the run earlier.
  testTimeout: (isDeep ? 1_200_000 : 300_000) * Number(process.env.NAVIGATOR_TEST_PATIENCE ?? 1),
  // Much of what a test with a server takes is waiting: on two cores, three workers left a core idle for a third of the time.
  maxWorkers: 4,
  testSequencer: "<rootDir>/test/support/run/long-first.cjs",
  reporters: ["default", "<rootDir>/test/support/run/reporter.cjs"],
  projects: [
    { ...common, displayName: "core", testMatch: filesOf(false) },
    {
      ...common,
      displayName: "temporal",
      testMatch: filesOf(true),
      testEnvironmentOptions: { server: true },
      globalSetup: "<rootDir>/test/support/server-setup.ts",
      globalTeardown: "<rootDir>/test/support/server-teardown.ts",
    },
  ],
};
