// The `runtime` of jest for tests that replace no module: Node itself loads what they import, into the realm of the worker, once for all
// files that the worker runs. Jest's own runtime loads all of it again for each file, in a context of `node:vm` where a global name costs
// a hundred times as much: a third of the time of the tests. What stands below test/ is loaded anew for each file, since it registers
// hooks and keeps state. Tests with `jest.mock` and its like keep jest's own runtime (jest.config.cjs).
const { readFileSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");

const root = path.join(__dirname, "../../..");
const tests = path.join(root, "test") + path.sep;
const isOfTests = (file) => file.startsWith(tests) && !file.startsWith(__dirname + path.sep);

/** Of the file that runs: what the hooks below need. */
let current;
/** Of all files that were compiled here: where their source maps are. */
const sourceMaps = new Map();

function compile(module, filename) {
  const { code, sourceMapPath } = current.transformer.transform(
    filename,
    {
      coverageProvider: "v8",
      supportsDynamicImport: false,
      supportsExportNamespaceFrom: false,
      supportsStaticESM: false,
    },
    readFileSync(filename, "utf8"),
  );
  if (sourceMapPath) sourceMaps.set(filename, sourceMapPath);
  module._compile(code, filename);
}

/** `moduleNameMapper`, as jest reads it. */
function mapped(request) {
  for (const [pattern, target] of current?.mapper ?? []) {
    const match = pattern.exec(request);
    if (match) return target.replace(/\$(\d)/g, (_, group) => match[Number(group)]);
  }
  return request;
}

let isInstalled = false;
function install() {
  if (isInstalled) return;
  isInstalled = true;
  const resolve = Module._resolveFilename;
  Module._resolveFilename = (request, ...more) => resolve(mapped(request), ...more);
  const before = require.extensions[".ts"];
  require.extensions[".ts"] = (module, filename) =>
    current ? compile(module, filename) : before ? before(module, filename) : module._compile("", filename);
}

class SharedRuntime {
  constructor(config, environment, _resolver, transformer) {
    current = {
      transformer,
      mapper: config.moduleNameMapper.map(([pattern, target]) => [new RegExp(pattern), target]),
    };
    this.environment = environment;
    install();
    environment.global.jest = this.jest();
  }

  /** Jest's own code for a file: it keeps the tests of that file in global symbols. */
  requireInternalModule(file) {
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (/^(JEST_STATE_SYMBOL|EVENT_HANDLERS)$/.test(symbol.description ?? "")) delete globalThis[symbol];
    delete require.cache[require.resolve(file)];
    return require(file);
  }

  requireModule(file) {
    return require(file);
  }

  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  unstable_shouldLoadAsEsm = () => false;
  getSourceMaps = () => sourceMaps;
  getAllCoverageInfoCopy() {}
  getAllV8CoverageInfoCopy() {}

  restoreAllMocks() {
    this.environment.moduleMocker?.restoreAllMocks();
  }
  resetAllMocks() {
    this.environment.moduleMocker?.resetAllMocks();
  }
  clearAllMocks() {
    this.environment.moduleMocker?.clearAllMocks();
  }
  resetModules() {}

  teardown() {
    this.restoreAllMocks();
    this.environment.fakeTimersModern?.useRealTimers();
    for (const file of Object.keys(require.cache)) if (isOfTests(file)) delete require.cache[file];
    // The secrets of a process are masked everywhere in it: those of one file would change the texts of the next.
    const secrets = require.cache[path.join(root, "src/node/secrets/known-secrets.ts")]?.exports;
    if (secrets) Object.assign(secrets.knownSecrets, new secrets.KnownSecrets());
  }

  /** What tests use of `jest`; for the rest a file needs jest's own runtime. */
  jest() {
    const { moduleMocker: mocks, fakeTimersModern: timers } = this.environment;
    const chained =
      (act) =>
      (...args) => {
        act(...args);
        return jest;
      };
    const jest = {
      fn: mocks.fn.bind(mocks),
      spyOn: mocks.spyOn.bind(mocks),
      restoreAllMocks: chained(() => this.restoreAllMocks()),
      resetAllMocks: chained(() => this.resetAllMocks()),
      clearAllMocks: chained(() => this.clearAllMocks()),
      useFakeTimers: chained((options) => timers.useFakeTimers(options)),
      useRealTimers: chained(() => timers.useRealTimers()),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
      runAllTimersAsync: () => timers.runAllTimersAsync(),
      setSystemTime: (now) => timers.setSystemTime(now),
    };
    return jest;
  }
}

module.exports = { __esModule: true, default: SharedRuntime };
