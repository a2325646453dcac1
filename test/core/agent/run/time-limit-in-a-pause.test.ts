import type { AgentHost } from "../../../../src/core/agent/run/host";
import { runAgent } from "../../../../src/core/agent/run/run";
import { ok } from "../../../../src/core/base/failure";
import { dueOf } from "../../../../src/core/calls/host";
import { agentOf, hostOf } from "./mission";

/** The time of a pause is not the mission's (engine reference, section 15). */
const [LIMIT, PAUSE] = [1_000, 60_000];

/** Each call takes 300 ms, and a person pauses the run right before the first one, for a minute. */
async function pausedRun(agent: object, program: string) {
  const host = hostOf([program]);
  const begin = host.now();
  const left: (number | undefined)[] = [];
  let paused = 0;
  const leaves = (due: number | null | undefined) => left.push(due == null ? undefined : due - host.now());
  const pausing: Partial<AgentHost> = {
    closed: () => {
      if (paused > 0) return undefined;
      return Promise.resolve().then(() => {
        host.advance(PAUSE);
        paused = PAUSE;
      });
    },
    pausedMs: () => paused,
    blockedMs: () => paused,
    callTool: async (call) => {
      leaves(dueOf(pausingHost, call));
      host.advance(300);
      return ok(call.args.n ?? null);
    },
    runAgent: async (_call, { deadline_ms }) => {
      leaves(deadline_ms);
      return { step: { ok: false, fail: { reason: "tool_error", message: "not here" } } };
    },
  };
  const pausingHost: AgentHost = Object.assign(host, pausing);
  const input = { context: {}, journal: null, model: "scripted" };
  const step = await runAgent(pausingHost, { ...input, agent: agentOf({ max_turns: 1, ...agent }) });
  return { step, left, took: host.now() - begin };
}

test("the time limit of a mission stands still while it is paused before a call", async () => {
  const { step, left, took } = await pausedRun(
    { mission_timeout: LIMIT, tools: ["charge"] },
    "(return [(tool/charge {:n 1}) (tool/charge {:n 2})])",
  );
  expect({ value: step.return, fail: step.fail }).toEqual({ value: [1, 2], fail: null });
  expect({ left, took }).toEqual({ left: [LIMIT, LIMIT - 300], took: PAUSE + 600 });
});

test("the time in which a run works counts: it ends by its limit, after the pause as before", async () => {
  const { step, left } = await pausedRun(
    { mission_timeout: LIMIT, max_turns: 2, tools: ["charge"] },
    `(return [${Array.from({ length: 6 }, (_, n) => `(tool/charge {:n ${n}})`).join(" ")}])`,
  );
  expect(step.fail).toMatchObject({ reason: "mission_timeout" });
  expect(left).toEqual([1_000, 700, 400, 100]);
});

test("calls in branches have their own limit, and agents below what is left: both stand still", async () => {
  const branches = await pausedRun(
    { mission_timeout: LIMIT, pmap_timeout: 800, tools: ["charge"] },
    "(return (pmap #(tool/charge {:n %}) [1]))",
  );
  expect({ value: branches.step.return, left: branches.left }).toEqual({ value: [1], left: [800] });
  const helper = { name: "helper", description: "Helps.", agent: { prompt: "Help." } };
  const { left } = await pausedRun({ mission_timeout: LIMIT, tools: [helper] }, "(return (tool/helper {}))");
  expect(left).toEqual([LIMIT]);
});
