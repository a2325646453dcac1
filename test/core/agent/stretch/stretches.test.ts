import { readdirSync } from "node:fs";
import path from "node:path";
import { readAgentScenario } from "../../../../src/cli/input/scenario-file";
import type { AgentHost } from "../../../../src/core/agent/run/host";
import type { AgentInput, AgentRun, AgentState } from "../../../../src/core/agent/run/run";
import { runStretch } from "../../../../src/core/agent/stretch/run-stretch";
import { callInput, isSameCall, type StretchCalls, StretchHost } from "../../../../src/core/agent/stretch/stretch-host";
import {
  inputForStretch,
  stateForStretch,
  stateForTurn,
  stretchTools,
} from "../../../../src/core/agent/stretch/stretch-input";
import type { Result } from "../../../../src/core/base/failure";
import type { JsonObject } from "../../../../src/core/base/json";
import type { KeyedCall, ModelReply, ModelRequest } from "../../../../src/core/calls/host";
import type { StretchInput } from "../../../../src/core/calls/stretch";
import type { StretchCall } from "../../../../src/core/journal/stretch";
import type { MemoryHost } from "../../../../src/simulate/memory-host";
import { type AgentScenario, type AgentSimulation, simulateAgent } from "../../../../src/simulate/simulate-agent";
import { sized } from "../../../support/run/property";

/** A run whose calls are made in stretches, wherever one could begin, must end as one that makes each call by itself. */

/**
 * Whether there are stretches, whether they begin with the reply of the model as well, how many calls one makes at most, and how many
 * calls were made in them, how many of these behind a reply.
 */
const stretches = { on: false, withReply: false, longest: Number.POSITIVE_INFINITY, calls: 0, behind: 0 };

const prepared = jest.spyOn(StretchHost.prototype, "callTool");

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
  const tools = stretchTools(input.agent);
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
  const begin = async (state: JsonObject, reply?: ModelReply): Promise<number> => {
    const given: StretchInput = {
      run: inputForStretch(input),
      state,
      mission: host.mission,
      n: 1,
      now: host.now(),
      paused_ms: 0,
      ...place,
    };
    let made = 0;
    const calls: StretchCalls = {
      earlier: [],
      make: async (...call) => (made++ < stretches.longest ? make(...call) : { end: "limit" }),
    };
    const before = prepared.mock.calls.length;
    const { stretch } = await runStretch(JSON.parse(JSON.stringify(given)), calls, reply);
    answers.push(...(JSON.parse(JSON.stringify(stretch)) as StretchCall[]));
    // Of calls side by side the first ends the stretch, and no other one costs anything.
    expect(prepared.mock.calls.slice(before).filter(([{ parallel }]) => parallel === true).length).toBeLessThan(2);
    clock = given.now;
    stretches.calls += stretch.length;
    return stretch.length;
  };
  /** The state as the model is asked; undefined: no stretch begins with its reply. */
  let asking: (() => object) | undefined;
  const askModel = async (request: ModelRequest): Promise<Result<ModelReply>> => {
    // Before the reply is there, as the workflow does.
    const state = asking === undefined ? undefined : stateForTurn(asking() as AgentState);
    const reply = await host.callModel(request);
    if (stretches.withReply && state !== undefined && reply.ok)
      stretches.behind += await begin(state, { model: request.model, ...reply.value });
    return reply;
  };
  const took = (call: KeyedCall): StretchCall | undefined => {
    const next = answers.shift();
    if (next === undefined) return undefined;
    expect(isSameCall(next.input, callInput(call, place))).toBe(true);
    clock = next.at;
    return next;
  };
  return Object.assign(Object.create(host), {
    stretch: ({ tool }: { tool: string }, state: () => object) =>
      answers.length === 0 && tools.has(tool)
        ? begin(stateForStretch(state() as AgentState)).then(() => {})
        : undefined,
    asksModel: (state: () => object) => {
      asking = state;
    },
    callModel: askModel,
    isAhead: () => answers.length > 0,
    answerAhead: (call: KeyedCall) => took(call)?.answer,
    callTool: async (call: KeyedCall) => took(call)?.answer ?? host.callTool(call),
    now: () => (answers.length > 0 ? clock : host.now()),
    stepped: () => expect(answers).toEqual([]),
  } satisfies Partial<AgentHost>);
}

const folder = path.join(__dirname, "../../../scenarios");
const files = readdirSync(folder).sort();

interface Known {
  scenario: AgentScenario;
  alone: AgentSimulation;
}
const known = new Map<string, Known>();

/** A scenario and its run without stretches: read and run once for all kinds of stretches. */
async function knownOf(file: string): Promise<Known> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const scenario = readAgentScenario(path.join(folder, file));
  stretches.on = false;
  const alone = await simulateAgent(structuredClone(scenario));
  known.set(file, { scenario, alone });
  return { scenario, alone };
}

const LIMITED = 4;
/** `npm test` runs each scenario in both kinds without a limit and in one of the others; the deep run, in all kinds. */
const KINDS = [1, 3, Number.POSITIVE_INFINITY]
  .flatMap((longest) =>
    [false, true].map((withReply) => ({
      longest,
      withReply,
      where: withReply ? "behind replies, too," : "in programs",
    })),
  )
  .map((kind, number) => ({
    ...kind,
    files: sized(number < LIMITED ? files.filter((_, at) => at % LIMITED === number) : files, files),
  }));

describe.each(KINDS)("stretches $where of at most $longest calls", ({ longest, withReply, files }) => {
  test.each(files)("%s", async (file) => {
    const { scenario, alone } = await knownOf(file);
    Object.assign(stretches, { on: true, longest, withReply });
    const ahead = await simulateAgent(structuredClone(scenario));
    expect(ahead).toEqual(alone);
  });
});

test("these scenarios have long stretches", () => {
  expect(stretches.calls).toBeGreaterThan(sized(50, 100));
  expect(stretches.behind).toBeGreaterThan(sized(30, 100));
});
