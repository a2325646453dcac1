const { default: Sequencer } = require("@jest/test-sequencer");

/**
 * Files that take longest. Jest begins with them where it has seen them run before; on a fresh machine it goes by the size
 * of files, and some of these are tiny: it would end with one process at work and the others idle. Those that mostly wait
 * for a worker to be missed stand beside those that compute.
 */
const LONG = [
  ...["live/programs", "core/lisp/safety/grammar", "live/order-mission", "live/mcp-crowd", "live/mcp-processes"],
  ...["core/trace/histories", "cli/run", "core/lisp/safety/heap", "workflows/scenarios", "workflows/continue-as-new"],
  ...["live/rolling-deploy", "core/lisp/safety/nesting", "workflows/plan/plan-scenarios", "live/package"],
  ...[
    "live/prove/crash",
    "workflows/plan/plans",
    "workflows/originals",
    "cli/undo",
    "server/embedded",
    "live/projects",
  ],
  ...["cli/plan-run", "workflows/replay", "workflows/mutations", "live/prove/effects", "live/prove/history"],
  ...[
    "core/lisp/safety/hostile-names",
    "core/lisp/safety/mutations",
    "core/lisp/safety/patterns",
    "core/lisp/safety/tools",
  ],
  ...["core/lisp/safety/numbers", "prove/effects", "prove/sandbox", "live/plans-killed", "live/mcp-shared"],
].map((name) => `/test/${name}.test.ts`);

/** The server's program is still being built: tests that need none run meanwhile. */
const coreFirst = process.env.NAVIGATOR_CORE_FIRST === "1";

module.exports = class LongFirst extends Sequencer {
  sort(tests) {
    const place = (test) => {
      if (coreFirst && test.context.config.displayName.name === "temporal") return LONG.length + 1;
      if (this.hasFailed(test)) return -1;
      const at = this.time(test) === undefined ? LONG.findIndex((name) => test.path.endsWith(name)) : -1;
      return at === -1 ? LONG.length : at;
    };
    return super.sort(tests).sort((a, b) => place(a) - place(b));
  }
};
