import { readdirSync } from "node:fs";
import path from "node:path";
import { readAgentScenario } from "../../../../src/cli/input/scenario-file";
import type { AgentHost } from "../../../../src/core/agent/run/host";
import type { AgentInput, AgentRun, AgentState } from "../../../../src/core/agent/run/run";
import { type CallMaker, isSameCall, runSequence } from "../../../../src/core/agent/sequence/sequence-host";
import {
  inputForSequence,
  sharedTools,
  stateForSequence,
  stateForTurn,
} from "../../../../src/core/agent/sequence/sequence-input";
import type { Result } from "../../../../src/core/base/failure";
import type { JsonObject } from "../../../../src/core/base/json";
import type { KeyedCall, ModelReply, ModelRequest } from "../../../../src/core/calls/host";
import type { MadeCall } from "../../../../src/core/calls/run-calls";
import type { MemoryHost } from "../../../../src/simulate/memory-host";
import { type AgentScenario, type AgentSimulation, simulateAgent } from "../../../../src/simulate/simulate-agent";
import { sized } from "../../../support/run/property";

/** A run whose calls are made in sequences, wherever one could begin, must end as one that makes each call alone. */

/**
 * `on`: whether there are sequences. `withReply`: whether they begin with the reply of the model as well. `longest`: how many calls one makes at most.
 * Counted: calls that they made, those of them after a reply, and parallel calls that the present one, and any one, was asked for.
 */
const sequences = {
  ...{ on: false, withReply: false, longest: Number.POSITIVE_INFINITY },
  ...{ calls: 0, afterReply: 0, parallel: 0, mostParallel: 0 },
};

jest.mock("../../../../src/core/agent/run/run", () => {
  const actual = jest.requireActual("../../../../src/core/agent/run/run");
  const openRun = (host: AgentHost, input: AgentInput, state?: AgentState, ...rest: unknown[]) => {
    // Only an activity continues a run in these tests.
    if (state !== undefined) return actual.openRun(countingParallel(host), input, state, ...rest);
    const inMemory = sequences.on && "toolCalls" in host;
    return actual.openRun(inMemory ? inSequences(host as MemoryHost, input) : host, input, state, ...rest);
  };
  const runAgent = (host: AgentHost, input: AgentInput, observer: unknown): AgentRun =>
    actual.stepOf(openRun(host, input, undefined, observer));
  return { ...actual, openRun, runAgent };
});

function countingParallel(host: AgentHost): AgentHost {
  const callTool = host.callTool.bind(host);
  return Object.assign(host, {
    callTool: (call: KeyedCall) => {
      if (call.parallel === true) sequences.parallel += 1;
      return callTool(call);
    },
  });
}

function inSequences(host: MemoryHost, input: AgentInput): AgentHost {
  const tools = sharedTools(input.agent);
  const answers: MadeCall[] = [];
  const place = { agent: input.agent.name ?? null };
  let clock = 0;
  let n = 0;
  const make: CallMaker["make"] = async (asked, began, left_ms) => {
    const { name, args, idempotency_key: key, task, turn, effect } = asked;
    const call = { name, args, key, turn, call: effect?.call ?? 0, ...(task === null ? {} : { task }) };
    const deadline = left_ms === undefined ? {} : { deadline_ms: host.now() + left_ms };
    const answer = await host.callTool({ ...call, ...deadline, ...(effect === undefined ? {} : { effect }) });
    n += 1;
    return { n, input: asked, began, at: host.now(), answer };
  };
  const begin = async (state: JsonObject, reply?: ModelReply): Promise<number> => {
    const given = {
      run: inputForSequence(input),
      state,
      mission: host.mission,
      now: host.now(),
      paused_ms: 0,
      ...place,
    };
    let begun = 0;
    const calls: CallMaker = {
      earlier: [],
      make: async (...call) => (begun++ < sequences.longest ? make(...call) : { end: "limit" }),
    };
    sequences.parallel = 0;
    const { made } = await runSequence(JSON.parse(JSON.stringify(given)), calls, reply);
    answers.push(...(JSON.parse(JSON.stringify(made)) as MadeCall[]));
    sequences.mostParallel = Math.max(sequences.mostParallel, sequences.parallel);
    clock = given.now;
    sequences.calls += made.length;
    return made.length;
  };
  /** The state as the model is asked; undefined: no sequence begins with its reply. */
  let asking: (() => object) | undefined;
  const askModel = async (request: ModelRequest): Promise<Result<ModelReply>> => {
    // Before the reply is there, as the workflow does.
    const state = asking === undefined ? undefined : stateForTurn(asking() as AgentState);
    const reply = await host.callModel(request);
    if (sequences.withReply && state !== undefined && reply.ok)
      sequences.afterReply += await begin(state, { model: request.model, ...reply.value });
    return reply;
  };
  const take = (call: KeyedCall): MadeCall | undefined => {
    const next = answers.shift();
    if (next === undefined) return undefined;
    expect(isSameCall(next, { name: call.name, idempotency_key: call.key })).toBe(true);
    clock = next.at;
    return next;
  };
  return Object.assign(Object.create(host), {
    beginSequence: ({ tool }, state) =>
      answers.length === 0 && tools.has(tool)
        ? begin(stateForSequence(state() as AgentState)).then(() => {})
        : undefined,
    asksModel: (state) => {
      asking = state;
    },
    callModel: askModel,
    callTool: async (call) => take(call)?.answer ?? host.callTool(call),
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

/** A scenario and its run without sequences: read and run once for all kinds of sequences. */
async function knownOf(file: string): Promise<Known> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const scenario = readAgentScenario(path.join(folder, file));
  sequences.on = false;
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
      where: withReply ? "after replies, too," : "in programs",
    })),
  )
  .map((kind, number) => ({
    ...kind,
    files: sized(number < LIMITED ? files.filter((_, at) => at % LIMITED === number) : files, files),
  }));

describe.each(KINDS)("sequences $where of at most $longest calls", ({ longest, withReply, files }) => {
  test.each(files)("%s", async (file) => {
    const { scenario, alone } = await knownOf(file);
    Object.assign(sequences, { on: true, longest, withReply });
    const together = await simulateAgent(structuredClone(scenario));
    expect(together).toEqual(alone);
  });
});

test("these scenarios have long sequences", () => {
  expect(sequences.calls).toBeGreaterThan(sized(50, 100));
  expect(sequences.afterReply).toBeGreaterThan(sized(30, 100));
});

test("the first of several parallel calls ends a sequence, which prepares no other one", () => {
  expect(sequences.mostParallel).toBe(1);
});
