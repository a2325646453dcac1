import type { Client } from "@temporalio/client";
import { ActivityCancellationDetails } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";
import { ConversationCache } from "../../src/activities/conversation-cache";
import { type CallsWorker, runCalls } from "../../src/activities/run-calls";
import { RunningCalls } from "../../src/activities/running-calls/running-calls";
import type { AgentHost } from "../../src/core/agent/run/host";
import { type AgentInput, type AgentState, runAgent } from "../../src/core/agent/run/run";
import { inputForSequence, stateForSequence, stateForTurn } from "../../src/core/agent/sequence/sequence-input";
import { withToolSpecs } from "../../src/core/agent/tools/with-specs";
import type { Json } from "../../src/core/base/json";
import { jsonDelta } from "../../src/core/base/json/json-delta";
import type { CallModelInput } from "../../src/core/calls/model-call";
import type {
  CallsJournal,
  ListedCall,
  RunAsAsked,
  RunCallsInput,
  RunCallsResult,
  RunDelta,
} from "../../src/core/calls/run-calls";
import type { Model } from "../../src/models";
import { type Tool, ToolRegistry } from "../../src/tools";
import { agentOf, fenced, hostOf } from "../core/agent/run/mission";

/** What the activity `runCalls` gets, and all that it reaches: its run, the server, and a model. */

const MISSION = "agent/a";

/** The same for each activity. */
export const placeOf = (n = 1): RunCallsInput => ({
  n,
  mission: MISSION,
  agent: null,
  turn: 1,
  now: Date.now(),
  paused_ms: 0,
});

export const MODEL: CallModelInput = {
  model: "own",
  turn: 1,
  output: "ptc_lisp",
  tool_names: [],
  agent: null,
  call: 1,
  conversation: {
    key: `${MISSION}/run-1`,
    base: 0,
    version: 1,
    system: { keep: 0, add: "Be brief." },
    messages: { keep: 0, add: [] },
  },
};

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** Runs an agent in memory until it asks for its first call, or for its model. */
function snapshot(when: "call" | "model", program: string, tools: readonly Tool[], agent: object) {
  const names = tools.map(({ spec }) => spec.name);
  const specs = tools.map(({ spec }) => spec);
  const input: AgentInput = {
    agent: withToolSpecs(agentOf({ tools: names, ...agent }), specs),
    ...{ context: {}, journal: {}, model: "own" },
  };
  const host = hostOf([program]);
  host.advance(Date.now() - host.now());
  return new Promise<RunAsAsked>((resolve, reject) => {
    const stop = (state: RunAsAsked["state"]) => {
      resolve(JSON.parse(JSON.stringify({ run: inputForSequence(input), state })) as RunAsAsked);
      return never<never>();
    };
    const stopping: Partial<AgentHost> =
      when === "call"
        ? { beginSequence: (_, state) => stop(stateForSequence(state() as AgentState)) }
        : { asksModel: (state) => void stop(stateForTurn(state() as AgentState)), callModel: never };
    runAgent(Object.assign(host, stopping), input).then(
      ({ fail }) => reject(new Error(`the run has ended: ${fail?.message}`)),
      reject,
    );
  });
}

const wholeOf = (run: RunAsAsked): RunDelta => ({
  base: 0,
  delta: jsonDelta({}, run as unknown as Json) as NonNullable<RunDelta["delta"]>,
});

/** What a run gives the activity that makes the calls of its program. @param agent options of it */
export async function programInput(
  program: string,
  tools: readonly Tool[],
  agent: object = {},
): Promise<RunCallsInput> {
  return { ...placeOf(), run: wholeOf(await snapshot("call", program, tools, agent)) };
}

/** What a run gives the activity that asks its model, and makes calls of the program in the reply. */
export async function modelInput(tools: readonly Tool[]): Promise<RunCallsInput> {
  return { ...placeOf(), model: MODEL, run: wholeOf(await snapshot("model", "(return 1)", tools, {})) };
}

/** What a run gives the activity that makes calls side by side. */
export const listedInput = (...calls: ListedCall[]): RunCallsInput => ({ ...placeOf(), calls });

export const listed = (n: number, more: Partial<ListedCall> = {}): ListedCall => ({
  ...{ name: "pay", args: { n }, idempotency_key: `k${n}`, agent: null, task: null, turn: 1 },
  ...more,
});

export interface Attempt {
  /** What the heartbeat of the attempt before has kept. */
  details?: unknown;
  attempt?: number;
  startToCloseTimeoutMs?: number;
  scheduledTimestampMs?: number;
  /** Of the worker that makes the attempt. Default: another worker for each attempt. */
  running?: RunningCalls;
}

/** A worker with tools and a model, whose server and run do as the test says. */
export class CallsRig {
  /** All that heartbeats have kept, in their order. */
  readonly kept: CallsJournal[] = [];
  /** What the SDK was given to send. */
  readonly bySdk: unknown[] = [];
  readonly signals: unknown[] = [];
  readonly logged: string[] = [];
  /** How often the model was asked. */
  asked = 0;
  /** How often the server was asked who was cancelled. */
  describes = 0;
  reply = "";
  /** Somebody has cancelled the run. */
  isRunCancelled = false;
  /** The server takes a heartbeat when this resolves. */
  takes: (details: CallsJournal) => Promise<void> = async () => {};
  /** The model replies when this resolves. */
  thinks: () => Promise<void> = async () => {};
  /** The run answers a query. */
  answers: () => Promise<never> = () => Promise.reject(new Error("nobody answers"));
  /** What the server shows of the run. */
  described: () => Promise<object> = async () => ({
    raw: { workflowExtendedInfo: { cancelRequested: this.isRunCancelled } },
    searchAttributes: {},
  });
  /** Called when the activity asks its run to read what it keeps. */
  reported: () => void = () => {};
  environment: MockActivityEnvironment | undefined;
  private readonly worker: Omit<CallsWorker, "running">;

  constructor(tools: readonly Tool[], worker: Partial<CallsWorker> = {}) {
    const complete: Model["complete"] = async () => {
      this.asked += 1;
      await this.thinks();
      return { content: this.reply };
    };
    this.worker = {
      models: { resolve: () => ({ complete }) } as unknown as CallsWorker["models"],
      conversations: new ConversationCache(() => this.answers()),
      listeners: {},
      sign: async () => null,
      wait_ms: 0,
      tools: new ToolRegistry(tools),
      documents: undefined,
      sequences: true,
      ...worker,
    };
  }

  run(
    input: RunCallsInput,
    { details, attempt = 1, running = new RunningCalls(), ...info }: Attempt = {},
  ): Promise<RunCallsResult> {
    const logger = new DefaultLogger("WARN", ({ message }) => void this.logged.push(message));
    this.environment = new MockActivityEnvironment(
      {
        ...{ activityId: "7", heartbeatDetails: details, attempt, heartbeatTimeoutMs: 2_500 },
        ...{ startToCloseTimeoutMs: 600_000, scheduledTimestampMs: Date.now() },
        ...info,
      },
      { client: this.client, logger },
    );
    this.environment.on("heartbeat", (kept) => this.bySdk.push(structuredClone(kept)));
    return this.environment.run<[RunCallsInput], RunCallsResult, (input: RunCallsInput) => Promise<RunCallsResult>>(
      runCalls({ ...this.worker, running }),
      input,
    );
  }

  /** The run has cancelled the activity: the SDK tells it. */
  cancel(): void {
    this.environment?.cancel("CANCELLED", ActivityCancellationDetails.fromProto({ isCancelled: true }));
  }

  /** The server has given the attempt up: no heartbeat reached it. */
  giveUp(): void {
    this.environment?.cancel("NOT_FOUND", ActivityCancellationDetails.fromProto({ isNotFound: true }));
  }

  /** Its worker shuts down. */
  shutDown(): void {
    this.environment?.cancel("WORKER_SHUTDOWN", ActivityCancellationDetails.fromProto({ isWorkerShutdown: true }));
  }

  private get client(): Client {
    return {
      withAbortSignal: (_: AbortSignal, work: () => unknown) => work(),
      activity: {
        heartbeat: async (_: Uint8Array, details: CallsJournal) => {
          this.kept.push(structuredClone(details));
          await this.takes(details);
        },
      },
      workflow: {
        getHandle: () => ({
          signal: async (...signal: unknown[]) => {
            this.signals.push(signal);
            this.reported();
          },
          describe: async () => {
            this.describes += 1;
            return this.described();
          },
        }),
      },
    } as unknown as Client;
  }
}

/** A program that asks for calls of `pay` with these numbers, each in a task. */
export const chain = (from: number, to: number): string =>
  `(do ${Array.from({ length: to - from + 1 }, (_, i) => `(task "pay_${from + i}" (tool/pay {:n ${from + i}}))`).join(" ")} (return 1))`;

/** The same as a reply of a model. */
export const chainReply = (from: number, to: number): string => fenced(chain(from, to));

const now = performance.now.bind(performance);

/** Stops the clock of this process until mocks are restored. @returns advances it */
export function steppedClock(): (ms: number) => void {
  let at = now();
  jest.spyOn(performance, "now").mockImplementation(() => at);
  return (ms) => {
    at += ms;
  };
}
