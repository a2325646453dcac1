// npm run test:fast: the tests of the pure core that answer in seconds. `npm test` runs all of them.
const [core] = require("./jest.config.cjs").projects;

/** Tests of test/core that take long, and why. */
const SLOW = [
  { path: "lisp/safety/", why: "thousands of generated programs against limits of time and memory" },
  { path: "lisp/machine/limits", why: "programs that run until a limit ends them" },
  { path: "lisp/machine/hidden-work", why: "measures the work behind single steps" },
  { path: "lisp/machine/parallel", why: "programs that run until a limit ends them, in branches" },
  { path: "lisp/builtins/many-arguments", why: "every builtin with thousands of arguments" },
  { path: "lisp/builtins/builtins-regex", why: "patterns against texts of a megabyte" },
  { path: "graph/definition/any-definition", why: "generated graph definitions" },
  { path: "graph/task/naive", why: "random walks through random graphs, against a second implementation" },
  { path: "graph/task/random-graphs", why: "random walks through random graphs" },
  { path: "plan/run/hostile", why: "plans that try to break every limit" },
  { path: "plan/run/random-ends", why: "generated plans" },
  { path: "plan/definition/spoiled", why: "plans with generated mistakes" },
  { path: "journal/interleaving", why: "generated orders of events" },
  { path: "signature/hostile", why: "generated signatures and values" },
  { path: "trace/histories", why: "reads every recorded history" },
  { path: "agent/run/hostile-", why: "programs and answers that try to break every limit" },
];

/** @type {import('jest').Config} */
module.exports = {
  ...core,
  displayName: "fast",
  testTimeout: 600_000,
  maxWorkers: 2,
  testMatch: ["<rootDir>/test/core/**/*.test.ts"],
  testPathIgnorePatterns: SLOW.map(({ path }) => `<rootDir>/test/core/${path}`),
};
