import { readdirSync } from "node:fs";
import path from "node:path";
import { readAgentScenario } from "../../../../src/cli/input/scenario-file";
import type { AgentHost } from "../../../../src/core/agent/run/host";
import type { AgentRun, AgentState } from "../../../../src/core/agent/run/run";
import { simulateAgent } from "../../../../src/simulate/simulate-agent";

/**
 * A run that is stopped in the middle of its programs, written down as JSON and continued from there, must go the same
 * way as one that was left alone.
 */

/** Whether runs are stopped at every call, and how often they were. */
const pausing = { on: false, pauses: 0 };

jest.mock("../../../../src/core/agent/run/run", () => {
  const actual = jest.requireActual("../../../../src/core/agent/run/run");
  const openRun = (host: AgentHost, input: object, ...rest: unknown[]) =>
    pausing.on ? paused(actual.openRun, host, input, rest) : actual.openRun(host, input, ...rest);
  const runAgent = (host: AgentHost, input: object, observer: unknown) =>
    actual.stepOf(openRun(host, input, undefined, observer));
  return { ...actual, openRun, runAgent };
});

type Open = (host: AgentHost, input: object, state?: AgentState, ...rest: unknown[]) => AgentRun;

function paused(open: Open, host: AgentHost, input: object, rest: unknown[]): AgentRun {
  // The calls that are requested at once are made; the next ones wait for the continued run.
  let pause: "no" | "soon" | "now" = "no";
  const shouldPause = () => {
    if (pause === "no") {
      pause = "soon";
      queueMicrotask(() => {
        pause = "now";
      });
    }
    return pause === "now";
  };
  const pausingHost: AgentHost = Object.assign(Object.create(host), { shouldPause });
  let run = open(pausingHost, input, ...(rest as []));
  const turn = async () => {
    for (;;) {
      pause = "no";
      const step = await run.turn();
      if (step !== null) return step;
      if (!run.isPaused) continue;
      const state = JSON.parse(JSON.stringify(run.state)) as AgentState;
      pausing.pauses += 1;
      run = open(pausingHost, input, state, ...rest.slice(1));
      if (state.open === undefined) return null;
    }
  };
  return new Proxy({} as AgentRun, {
    get: (_, name) => {
      if (name === "turn") return turn;
      const value = run[name as keyof AgentRun] as unknown;
      return typeof value === "function" ? value.bind(run) : value;
    },
  });
}

const folder = path.join(__dirname, "../../../scenarios");

describe("a run that is stopped at every call and continued from its state ends as one that was left alone", () => {
  test.each(readdirSync(folder).sort())("%s", async (file) => {
    const scenario = readAgentScenario(path.join(folder, file));
    pausing.on = false;
    const alone = await simulateAgent(structuredClone(scenario));
    pausing.on = true;
    const stopped = await simulateAgent(structuredClone(scenario));
    expect(stopped).toEqual(alone);
  });

  test("these scenarios stop in the middle of programs", () => expect(pausing.pauses).toBeGreaterThan(100));
});
