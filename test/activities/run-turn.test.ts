import { ActivityCancelledError, type Client } from "@temporalio/client";
import { ActivityCancellationDetails, defaultPayloadConverter } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";
import type { ModelWorker } from "../../src/activities/call-model";
import { ConversationCache } from "../../src/activities/conversation-cache";
import { runTurn } from "../../src/activities/run-turn";
import type { RunTurnInput, TurnReply } from "../../src/core/calls/activities";
import type { StretchJournal } from "../../src/core/journal/stretch";
import { defineTool, ToolRegistry } from "../../src/tools";
import { gate } from "../support/gate";
import { readRecorded } from "../support/recorded";
import { fenced } from "../support/rig";

/** What a recorded mission asked its worker for, in its first turn: the tools are `pay` and `final`. */
function recordedInput(): RunTurnInput {
  for (const { activityTaskScheduledEventAttributes: scheduled } of readRecorded("turn-chain.json").events) {
    const [payload] = (scheduled as Scheduled | undefined)?.input.payloads ?? [];
    if (payload === undefined) continue;
    const bytes = (text: string) => Buffer.from(text, "base64");
    const metadata = { encoding: bytes(payload.metadata.encoding) };
    return defaultPayloadConverter.fromPayload({ metadata, data: bytes(payload.data) });
  }
  throw new Error("the history has a turn");
}
interface Scheduled {
  input: { payloads: { metadata: { encoding: string }; data: string }[] };
}

let paid: number[];
let asked: number;
let kept: StretchJournal[];
let signals: unknown[];
let logged: string[];
let cancelRequested: boolean;
beforeEach(() => {
  [paid, asked, kept, signals, logged, cancelRequested] = [[], 0, [], [], [], false];
});

const pay = defineTool({
  name: "pay",
  signature: "(n :int) -> :int",
  run: ({ n }) => {
    paid.push(Number(n));
    return Number(n);
  },
});

let heartbeat: (details: StretchJournal) => Promise<void> = async () => {};
const client = {
  withAbortSignal: (_: AbortSignal, work: () => unknown) => work(),
  activity: {
    heartbeat: async (_: Uint8Array, details: StretchJournal) => {
      kept.push(structuredClone(details));
      await heartbeat(details);
    },
  },
  workflow: {
    getHandle: () => ({
      signal: async (...signal: unknown[]) => void signals.push(signal),
      describe: async () => ({ raw: { workflowExtendedInfo: { cancelRequested } }, searchAttributes: {} }),
    }),
  },
} as unknown as Client;

type Made = Partial<{ content: string; input: RunTurnInput; details: unknown; tools: ToolRegistry | null }>;

/** The model replies, and the workflow answers, when these resolve. */
let thinks: (environment: MockActivityEnvironment) => Promise<void>;
let answers: (environment: MockActivityEnvironment) => Promise<void>;
beforeEach(() => {
  thinks = async () => {};
  answers = async () => {};
  heartbeat = async () => {};
});

function make({ content = "", input = recordedInput(), details, tools = new ToolRegistry([pay]) }: Made) {
  const log = new DefaultLogger("WARN", ({ message }) => void logged.push(message));
  const environment = new MockActivityEnvironment(
    { heartbeatDetails: details, startToCloseTimeoutMs: 600_000 },
    { client, logger: log },
  );
  const complete = async () => {
    asked += 1;
    await thinks(environment);
    return { content };
  };
  const nobody = async () => {
    await answers(environment);
    throw new Error("nobody answers");
  };
  const worker: ModelWorker = {
    models: { resolve: () => ({ complete }) } as unknown as ModelWorker["models"],
    conversations: new ConversationCache(nobody),
    listeners: {},
    sign: async () => null,
    wait_ms: 0,
  };
  const activity = runTurn(worker, { tools, documents: undefined });
  return environment.run<[RunTurnInput], TurnReply, (input: RunTurnInput) => Promise<TurnReply>>(activity, input);
}

const CHAIN = fenced('(do (task "a" (tool/pay {:n 1})) (task "b" (tool/pay {:n 2})) (return 1))');

test("the reply is kept before the first call, and each answer before the next", async () => {
  const { ahead, content } = await make({ content: CHAIN });
  expect([content, paid, ahead?.stretch.length]).toEqual([CHAIN, [1, 2], 2]);
  expect(kept.map(({ reply, stretch, under_way }) => [reply?.content, stretch.length, under_way?.input.args])).toEqual([
    [CHAIN, 0, { n: 1 }],
    [CHAIN, 1, { n: 2 }],
  ]);
});

test("the next activity, and the next attempt, asks the model no more, and makes no call that has an answer", async () => {
  await make({ content: CHAIN });
  const input = recordedInput();
  const next = { ...input, stretch: { ...input.stretch, kept: kept[1] as StretchJournal } };
  const { ahead, content } = await make({ content: "another", input: next });
  expect([content, asked, paid, ahead?.stretch.length]).toEqual([CHAIN, 1, [1, 2, 2], 2]);
  expect((await make({ content: "another", details: kept[1] })).ahead?.stretch.length).toBe(2);
  expect(asked).toBe(1);
});

test("a worker that cannot know the run gives back what was kept, with the call that was begun", async () => {
  const first = recordedInput();
  await make({ content: CHAIN });
  const { run: _, ...stretch } = first.stretch;
  const [begun, second] = kept;
  const unknown = (details: unknown) => make({ content: "another", details, input: { ...first, stretch } });
  expect((await unknown(begun)).ahead).toMatchObject({
    stretch: [],
    end: "stopped",
    under_way: { began: expect.any(Number) },
  });
  expect((await unknown(second)).ahead).toMatchObject({ stretch: [{ answer: { ok: true, value: 1 } }] });
  // Nothing was begun: the run makes its calls as usual.
  const { ahead, content } = await make({ content: CHAIN, input: { ...first, stretch } });
  expect([content, ahead, asked, paid]).toEqual([CHAIN, undefined, 2, [1, 2]]);
});

test("a run that cannot be opened here costs no second reply: its calls are the run's", async () => {
  const broken = recordedInput();
  const run = { base: 0, delta: { is: { run: {}, state: {} } } };
  const { ahead, content } = await make({ content: CHAIN, input: { ...broken, stretch: { ...broken.stretch, run } } });
  expect([content, ahead, asked, logged]).toEqual([CHAIN, undefined, 1, ["no_calls_ahead"]]);
});

test("a worker that makes no stretches says so", async () => {
  expect((await make({ content: CHAIN, tools: null })).ahead).toMatchObject({ stretch: [], end: "off" });
});

test("one that is cancelled for the calls alone tells so once, and gives the reply", async () => {
  thinks = async (environment) => {
    environment.cancel("CANCELLED", ActivityCancellationDetails.fromProto({ isCancelled: true }));
    while (signals.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const { ahead, content } = await make({ content: CHAIN });
  expect([content, ahead]).toMatchObject([CHAIN, { stretch: [], end: "stopped" }]);
  expect(signals).toEqual([["stretchReported", { n: 1, stretch: [] }]]);
  expect(paid).toEqual([]);
});

test("one whose run is cancelled ends the call of the model", async () => {
  const answer = gate();
  cancelRequested = true;
  thinks = async (environment) => {
    environment.cancel("CANCELLED", ActivityCancellationDetails.fromProto({ isCancelled: true }));
    await answer.opened;
  };
  await expect(make({ content: CHAIN })).rejects.toThrow("CANCELLED");
  // The activity has not waited for it.
  answer.open();
  expect([signals, paid]).toEqual([[], []]);
});

test("a cancellation that is heard behind the reply ends the stretch before its next call", async () => {
  heartbeat = async ({ stretch }) => {
    if (stretch.length === 1) throw new ActivityCancelledError("held");
  };
  const { ahead } = await make({ content: CHAIN });
  expect([ahead?.end, ahead?.stretch.length, paid, signals]).toEqual(["stopped", 1, [1], []]);
});

test("one that still asks for the run behind a reply that was kept does not say that it makes no calls", async () => {
  await make({ content: CHAIN });
  const input = recordedInput();
  const conversation = { ...input.conversation, base: 1, version: 2 };
  const stretch = { ...input.stretch, run: { base: 7 }, kept: kept[1] as StretchJournal };
  answers = async (environment) => {
    environment.cancel("CANCELLED", ActivityCancellationDetails.fromProto({ isCancelled: true }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const { ahead } = await make({ input: { ...input, conversation, stretch } });
  expect([signals, ahead?.stretch.length]).toEqual([[], 1]);
});
