import { readdirSync } from "node:fs";
import path from "node:path";
import { readAgentScenario } from "../../../../src/cli/input/scenario-file";
import { completed } from "../../../../src/core/agent/definition/definition";
import type { AgentHost } from "../../../../src/core/agent/run/host";
import type { AgentInput, AgentRun, AgentState } from "../../../../src/core/agent/run/run";
import { runStretch } from "../../../../src/core/agent/stretch/run-stretch";
import { callInput, isSameCall, type StretchCalls } from "../../../../src/core/agent/stretch/stretch-host";
import { inputForStretch, stateForStretch, stretchTools } from "../../../../src/core/agent/stretch/stretch-input";
import type { ToolCall } from "../../../../src/core/calls/host";
import type { StretchInput } from "../../../../src/core/calls/stretch";
import type { StretchCall } from "../../../../src/core/journal/stretch";
import type { MemoryHost } from "../../../../src/simulate/memory-host";
import { simulateAgent } from "../../../../src/simulate/simulate-agent";

/** A run whose calls are made in stretches, wherever one could begin, must end as one that makes each call by itself. */

/** Whether there are stretches, how many calls one makes at most, and how many calls were made in them. */
const stretches = { on: false, longest: Number.POSITIVE_INFINITY, calls: 0, begun: 0 };

jest.mock("../../../../src/core/agent/run/run", () => {
  const actual = jest.requireActual("../../../../src/core/agent/run/run");
  const openRun = (host: AgentHost, input: AgentInput, state?: AgentState, ...rest: unknown[]) =>
    stretches.on && state === undefined && "toolCalls" in host
      ? actual.openRun(inStretches(host as MemoryHost, input), input, state, ...rest)
      : actual.openRun(host, input, state, ...rest);
  const runAgent = (host: AgentHost, input: AgentInput, observer: unknown): AgentRun =>
    actual.stepOf(openRun(host, input, undefined, observer));
  return { ...actual, openRun, runAgent };
});

function inStretches(host: MemoryHost, input: AgentInput): AgentHost {
  const tools = stretchTools(completed(input.agent));
  const answers: StretchCall[] = [];
  const place = { agent: input.agent.name ?? null };
  let clock = 0;
  const make: StretchCalls["make"] = async (asked, began, left_ms) => {
    const { name, args, idempotency_key: key, task, turn, effect } = asked;
    const call = { name, args, key, turn, call: effect?.call ?? 0, ...(task === null ? {} : { task }) };
    const deadline = left_ms === undefined ? {} : { deadline_ms: host.now() + left_ms };
    const answer = await host.callTool({ ...call, ...deadline, ...(effect === undefined ? {} : { effect }) });
    return { input: asked, began, at: host.now(), answer };
  };
  const begin = async (state: object): Promise<void> => {
    const given: StretchInput = {
      run: inputForStretch(input),
      state: stateForStretch(state as AgentState),
      mission: host.mission,
      n: 1,
      now: host.now(),
      blocked_ms: 0,
      paused_ms: 0,
      ...place,
    };
    let made = 0;
    const calls: StretchCalls = {
      earlier: [],
      make: async (...call) => (made++ < stretches.longest ? make(...call) : { end: "limit" }),
    };
    const { stretch } = await runStretch(JSON.parse(JSON.stringify(given)), calls);
    answers.push(...(JSON.parse(JSON.stringify(stretch)) as StretchCall[]));
    clock = given.now;
    stretches.begun += 1;
    stretches.calls += stretch.length;
  };
  const took = (call: ToolCall): StretchCall | undefined => {
    const next = answers.shift();
    if (next === undefined) return undefined;
    expect(isSameCall(next.input, callInput(call, call.key as string, place))).toBe(true);
    clock = next.at;
    return next;
  };
  return Object.assign(Object.create(host), {
    stretch: ({ tool }: { tool: string }, state: () => object) =>
      answers.length === 0 && tools.has(tool) ? begin(state()) : undefined,
    isAhead: () => answers.length > 0,
    answerAhead: (call: ToolCall) => took(call)?.answer,
    callTool: async (call: ToolCall) => took(call)?.answer ?? host.callTool(call),
    now: () => (answers.length > 0 ? clock : host.now()),
    stepped: () => expect(answers).toEqual([]),
  } satisfies Partial<AgentHost>);
}

const folder = path.join(__dirname, "../../../scenarios");

describe.each([1, 3, Number.POSITIVE_INFINITY])("stretches of at most %d calls", (longest) => {
  test.each(readdirSync(folder).sort())("%s", async (file) => {
    const scenario = () => readAgentScenario(path.join(folder, file));
    stretches.on = false;
    const alone = await simulateAgent(scenario());
    Object.assign(stretches, { on: true, longest });
    const ahead = await simulateAgent(scenario());
    expect(ahead).toEqual(alone);
  });
});

test("these scenarios have long stretches", () => {
  expect(stretches.calls).toBeGreaterThan(100);
});
