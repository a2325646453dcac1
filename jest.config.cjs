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
  testEnvironment: "node",
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

/** @type {import('jest').Config} */
module.exports = {
  // Ends a test that hangs. Generous: how long a test takes depends on how busy the machine is, and proves nothing.
  testTimeout: 600_000,
  // Much of what a test with a server takes is waiting: on two cores, three workers left a core idle for a third of the time.
  maxWorkers: 4,
  // When the last test has ended, so has the run: what a failed test left behind, a process above all, could hold it for ever.
  forceExit: true,
  testSequencer: "<rootDir>/test/support/long-first.cjs",
  projects: [
    {
      ...common,
      displayName: "core",
      testMatch: ["<rootDir>/test/**/*.test.ts"],
      testPathIgnorePatterns: withServer.map((folder) => `<rootDir>/test/${folder}/`),
    },
    {
      ...common,
      displayName: "temporal",
      testMatch: withServer.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
      // It records histories (docs/testing.md, "Record a history"): what it recorded is replayed by replay.test.ts.
      testPathIgnorePatterns: process.env.NAVIGATOR_RECORD ? [] : ["<rootDir>/test/workflows/recordings.test.ts"],
      globalSetup: "<rootDir>/test/support/server-setup.ts",
      globalTeardown: "<rootDir>/test/support/server-teardown.ts",
    },
  ],
};
