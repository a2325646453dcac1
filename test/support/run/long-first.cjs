const { default: Sequencer } = require("@jest/test-sequencer");

/**
 * Files that take longest. Jest begins with them where it has seen them run before; on a fresh machine it goes by the size
 * of files, and some of these are tiny: it would end with one process at work and the others idle. Those that mostly wait
 * for a worker to be missed stand beside those that compute.
 */
const LONG = [
  "workflows/continue-as-new",
  "workflows/scenarios",
  "cli/run",
  "cli/project/dev",
  "workflows/agent/configuration",
  "workflows/sequences/turns",
  "cli/task",
  "cli/missions/missions",
  "workflows/agent/calls-side-by-side",
  "workflows/sequences/sequences",
  "live/lost-work/lost-work",
  "live/prove/approvals",
  "cli/plan-run",
  "workflows/plan/plan-scenarios",
  "server/embedded",
  "server/background",
  "cli/demo",
  "live/mcp-verified",
  "live/mcp-processes",
  "cli/chat/chat",
  "server/connect",
  "cli/silent-queues",
  "live/examples",
  "web/metrics",
  "workflows/test-kit",
  "workflows/agent/long-run",
  "live/telemetry/telemetry",
  "workflows/replay",
  "prove/effects",
  "prove/effects-project",
  "prove/sandbox",
  "mcp/stdio",
  "core/agent/sequence/sequences",
  "core/lisp/direct/both-ways",
].map((name) => `/test/${name}.test.ts`);

/** The server's program is still being built: tests that need none run meanwhile. */
const coreFirst = process.env.NAVIGATOR_CORE_FIRST === "1";

module.exports = class LongFirst extends Sequencer {
  sort(tests) {
    const place = (test) => {
      if (this.hasFailed(test)) return -1;
      const at = this.time(test) === undefined ? LONG.findIndex((name) => test.path.endsWith(name)) : -1;
      const waits = coreFirst && test.context.config.displayName.name === "temporal" ? LONG.length + 1 : 0;
      return waits + (at === -1 ? LONG.length : at);
    };
    return super.sort(tests).sort((a, b) => place(a) - place(b));
  }
};
