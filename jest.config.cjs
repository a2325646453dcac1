const { randomInt } = require("node:crypto");
const { readdirSync, readFileSync } = require("node:fs");
const path = require("node:path");

const common = {
  // A copy of templates/, made when the generator is packed.
  modulePathIgnorePatterns: ["<rootDir>/create-navigator-agents/"],
  // What a project's modules get when they ask for this package (src/project/load-module.ts does it outside of jest).
  moduleNameMapper: {
    // Bundling the workflows takes seconds of each worker.
    "^(\\./|\\.\\./node/sdk-internals/)workflow-bundle$": "<rootDir>/test/support/built-bundle.ts",
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
    // ES modules: Node 20.19 can require them, jest cannot.
    "node_modules/(jose|@noble/hashes)/.+\\.js$": [
      "@swc/jest",
      { module: { type: "commonjs" }, jsc: { target: "es2023", parser: { syntax: "ecmascript" } } },
    ],
  },
  transformIgnorePatterns: ["/node_modules/(?!(jose|@noble/hashes)/)"],
};

/** Files share the modules that they import, and the realm of the worker that runs them. */
const shared = {
  runtime: "<rootDir>/test/support/run/shared-runtime.cjs",
  testEnvironment: "<rootDir>/test/support/run/shared-environment.ts",
};

/** Tests below these folders get a real Temporal server (TEMPORAL_ADDRESS); all others start without one, at once. */
const withServer = ["workflows", "live", "server", "cli", "web"];

/**
 * `npm run test:deep`: files named *.deep.test.ts, and again those with more tests for it (run/deep.ts) or with generated cases, then
 * with ten times their number and another seed. A command that names a deep file runs that and all others that it names.
 */
const isNamed = process.argv.slice(2).some((word) => path.basename(word).includes(".deep"));
const isDeep = process.env.NAVIGATOR_DEEP === "1" || isNamed;
if (isDeep) {
  process.env.NAVIGATOR_DEEP = "1";
  process.env.NAVIGATOR_SEED ??= String(randomInt(1, 2 ** 31 - 1));
}

const DEEP = /\.deep\.test\.ts$/;
const textOf = (file) => readFileSync(path.join(__dirname, file), "utf8");
const hasMore = (file) => /run\/(property|deep)"|\ballAreSafe\(/.test(textOf(file));
const files = readdirSync(path.join(__dirname, "test"), { recursive: true })
  .map((file) => `test/${file.split(path.sep).join("/")}`)
  .filter((file) => file.endsWith(".test.ts"));
/** Those of some areas alone: scripts/test-area.mjs. */
const chosen = process.env.NAVIGATOR_TEST_FILES?.split("\n");
const isOfItsTier = (file) => (isDeep ? DEEP.test(file) || hasMore(file) : !DEEP.test(file));
const isOfThisRun = (file) => (chosen === undefined || chosen.includes(file)) && (isNamed || isOfItsTier(file));
/** They record histories (docs/testing.md, "Record a history"); what they recorded is replayed by replay.test.ts. */
const recordings = process.env.NAVIGATOR_RECORD ? [] : ["test/workflows/recordings.test.ts"];
const needsServer = (file) => withServer.some((folder) => file.startsWith(`test/${folder}/`));
const replacesModules = (file) => /\bjest\.(mock|doMock|isolateModules|requireActual)\b/.test(textOf(file));
const filesOf = (isOf) => {
  const found = files
    .filter((file) => isOfThisRun(file) && !recordings.includes(file) && isOf(file))
    .map((file) => `<rootDir>/${file}`);
  // Jest takes no pattern for every file.
  return found.length > 0 ? found : ["<rootDir>/none"];
};

/** @type {import('jest').Config} */
module.exports = {
  // Ends a test that hangs while others go on; when nothing happens any more, the reporter ends the run earlier.
  testTimeout: (isDeep ? 1_200_000 : 300_000) * Number(process.env.NAVIGATOR_TEST_PATIENCE ?? 1),
  // Much of what a test with a server takes is waiting: on two cores, three workers left a core idle for a third of the time.
  maxWorkers: 4,
  testSequencer: "<rootDir>/test/support/run/long-first.cjs",
  reporters: ["default", "<rootDir>/test/support/run/reporter.cjs"],
  projects: [
    {
      ...common,
      ...shared,
      displayName: "core",
      testMatch: filesOf((file) => !needsServer(file) && !replacesModules(file)),
    },
    {
      ...common,
      displayName: "alone",
      testEnvironment: "<rootDir>/test/support/run/alone-environment.ts",
      testMatch: filesOf((file) => !needsServer(file) && replacesModules(file)),
    },
    {
      ...common,
      ...shared,
      displayName: "temporal",
      testMatch: filesOf(needsServer),
      testEnvironmentOptions: { server: true },
      globalSetup: "<rootDir>/test/support/run/server-setup.ts",
      globalTeardown: "<rootDir>/test/support/run/server-teardown.ts",
    },
  ],
};
