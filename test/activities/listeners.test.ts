import { DefaultLogger } from "@temporalio/worker";
import { createActivities } from "../../src/activities";
import { conversationDelta, EMPTY_CONVERSATION } from "../../src/core/agent/run/conversation";
import { MAX_PAYLOAD_BYTES } from "../../src/core/base/limits";
import type { CallModelInput } from "../../src/core/calls/model-call";
import type { RunCallsInput, RunCallsResult } from "../../src/core/calls/run-calls";
import { type Chunk, type ChunkListeners, createModels, type Model, ModelError } from "../../src/models";
import { ToolRegistry } from "../../src/tools";
import { placeOf } from "./calls-rig";
import { activityEnvironment } from "./environment";

/** The activity that calls a model, where somebody hears the answer. */
const conversation = conversationDelta("agent/a/run-1", 0, EMPTY_CONVERSATION, {
  system: "Be brief.",
  messages: [{ role: "user", content: "Begin." }],
});
const INPUT: CallModelInput = {
  model: "own",
  turn: 1,
  output: "text",
  tool_names: [],
  agent: "teller",
  call: 1,
  listener: "screen",
  conversation,
};

type RunCalls = (input: RunCallsInput) => Promise<RunCallsResult>;

function aloud(model: Model, input: Partial<CallModelInput> = {}, listeners?: ChunkListeners) {
  const heard: Chunk[] = [];
  const { runCalls } = createActivities({
    models: createModels({ env: {}, models: { own: model } }),
    tools: new ToolRegistry(),
    onChunk: listeners ?? { screen: (chunk) => void heard.push(chunk) },
    client: {} as never,
  });
  const logged: { message: string; meta: unknown }[] = [];
  const logger = new DefaultLogger("WARN", ({ message, meta }) => void logged.push({ message, meta }));
  const environment = activityEnvironment({ attempt: 2 }, logger);
  const ended = environment.run<[RunCallsInput], RunCallsResult, RunCalls>(runCalls, {
    ...placeOf(),
    model: { ...INPUT, ...input },
  });
  return { heard, logged, environment, ended: ended.then(({ reply }) => reply) };
}

const saying = (...pieces: string[]): Model => ({
  complete: async (_, { onText }) => {
    for (const piece of pieces) onText?.(piece);
    return { content: pieces.join("") };
  },
});

test("the listener hears the answer with the workflow id and the attempt; the model does not see the listener", async () => {
  let asked: object = {};
  const model: Model = {
    complete: (call, options) => {
      asked = call;
      return saying("Once ", "upon").complete(call, options);
    },
  };
  const { heard, ended } = aloud(model);
  expect(await ended).toEqual({ content: "Once upon", model: "own" });
  expect(heard[0]).toEqual({ text: "Once ", workflowId: "test", agent: "teller", turn: 1, attempt: 2, model: "own" });
  expect(heard.map(({ text }) => text)).toEqual(["Once ", "upon", ""]);
  expect(asked).not.toHaveProperty("listener");
});

test("an unknown listener fails for good before the model is called", async () => {
  let asked = 0;
  const model: Model = {
    complete: async () => {
      asked += 1;
      return { content: "x" };
    },
  };
  await expect(aloud(model, { listener: "scren" }).ended).rejects.toMatchObject({
    type: "listener_not_found",
    nonRetryable: true,
    message: 'There is no listener "scren" for on_chunk here. Listeners: screen.',
  });
  expect(asked).toBe(0);
});

test("a listener that throws is logged once with its name and the workflow id; the reply is unchanged", async () => {
  const { logged, ended } = aloud(
    saying("a", "b"),
    {},
    {
      screen: () => {
        throw new Error("no paper");
      },
    },
  );
  expect(await ended).toEqual({ content: "ab", model: "own" });
  expect(logged).toMatchObject([
    { message: "listener_failed", meta: { workflow_id: "test", listener: "screen", error: "no paper" } },
  ]);
});

test("an error in the middle of a stream is final, keeps its class, and says that part was heard", async () => {
  const model: Model = {
    complete: async (_, { onText }) => {
      onText?.("Once ");
      throw new ModelError("server_error", "the line is dead");
    },
  };
  await expect(aloud(model).ended).rejects.toMatchObject({
    type: "server_error",
    message: "the line is dead",
    nonRetryable: true,
    details: [{ heard: true }],
  });
});

test("an unusable answer is not announced as complete", async () => {
  const { heard, ended } = aloud({ complete: async () => ({ content: "x".repeat(MAX_PAYLOAD_BYTES + 1) }) });
  await expect(ended).rejects.toMatchObject({ type: "malformed_response" });
  expect(heard).toEqual([]);
});

test("the call heartbeats while it streams, and its cancellation ends the stream", async () => {
  let spokeOn = () => {};
  const over = new Promise<void>((resolve) => {
    spokeOn = resolve;
  });
  const model: Model = {
    complete: (_, { signal, onText }) =>
      new Promise((_resolve, reject) => {
        const ticking = setInterval(() => onText?.("tick "), 20);
        signal.addEventListener("abort", () => {
          clearInterval(ticking);
          reject(signal.reason);
          // A provider that does not notice goes on.
          setTimeout(() => {
            onText?.("too late");
            setTimeout(spokeOn, 20);
          }, 20);
        });
      }),
  };
  const { environment, heard, ended } = aloud(model);
  environment.once("heartbeat", () => environment.cancel());
  await expect(ended).rejects.toMatchObject({ name: "CancelledFailure" });
  const before = heard.length;
  expect(before).toBeGreaterThan(0);
  await over;
  expect(heard).toHaveLength(before);
});
