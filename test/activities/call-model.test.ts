import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import { createActivities } from "../../src/activities";
import { conversationDelta, EMPTY_CONVERSATION } from "../../src/core/agent/run/conversation";
import { MAX_PAYLOAD_BYTES } from "../../src/core/base/limits";
import type { ModelReply } from "../../src/core/calls/host";
import type { CallModelInput, Conversation, ConversationDelta } from "../../src/core/calls/model-call";
import type { RunCallsInput, RunCallsResult } from "../../src/core/calls/run-calls";
import { createModels, type Model, type ModelCall, ModelError } from "../../src/models";
import { ToolRegistry } from "../../src/tools";
import { placeOf } from "./calls-rig";
import { activityEnvironment } from "./environment";

const first: Conversation = { system: "Be brief.", messages: [{ role: "user", content: "Begin." }] };
const second: Conversation = {
  system: "Be brief. Done: a",
  messages: [...first.messages, { role: "assistant", content: "(+ 1 1)" }, { role: "user", content: "2" }],
};
const KEY = "agent/a/run-1";
const DELTA_1 = conversationDelta(KEY, 0, EMPTY_CONVERSATION, first);
const DELTA_2 = conversationDelta(KEY, 1, first, second);

type RunCalls = (input: RunCallsInput) => Promise<RunCallsResult>;

const inputOf = (conversation: ConversationDelta, more: Partial<CallModelInput> = {}): CallModelInput => ({
  model: "own",
  turn: 1,
  output: "ptc_lisp",
  tool_names: ["a"],
  agent: "charge",
  call: 4,
  conversation,
  ...more,
});

/** A worker with one model, and the workflow it may ask. Its activity asks the model alone. */
function worker(model: Model, workflow: () => Promise<unknown> = () => Promise.reject(new Error("not to be asked"))) {
  const asked: string[] = [];
  let n = 0;
  const { runCalls } = createActivities({
    models: createModels({ env: {}, models: { own: model } }),
    tools: new ToolRegistry(),
    client: {
      workflow: {
        getHandle: (workflowId: string, runId: string) => ({
          query: (name: string) => {
            asked.push(`${name} of ${workflowId} ${runId}`);
            return workflow();
          },
        }),
      },
    } as never,
  });
  const run = async (
    delta: ConversationDelta,
    { attempt, ...more }: { attempt?: number } & Partial<CallModelInput> = {},
    environment = activityEnvironment(attempt === undefined ? {} : { attempt }),
  ) =>
    (
      await environment.run<[RunCallsInput], RunCallsResult, RunCalls>(runCalls, {
        // Each call of a run has its number.
        ...placeOf(++n),
        model: inputOf(delta, more),
      })
    ).reply;
  return { run, asked };
}

function recording(): { model: Model; calls: ModelCall[] } {
  const calls: ModelCall[] = [];
  return {
    calls,
    model: {
      complete: async (call) => {
        calls.push(call);
        return { content: "(return 1)", tokens: { input: 5 } };
      },
    },
  };
}

const hanging = (seen: AbortSignal[]): Model => ({
  complete: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      seen.push(signal);
      signal.addEventListener("abort", () => reject(new Error("fetch was aborted")));
    }),
});

describe("the conversation of a call", () => {
  test("the model gets the whole conversation, and the name of the caller", async () => {
    const { model, calls } = recording();
    const { run } = worker(model);
    const reply = { content: "(return 1)", tokens: { input: 5 }, model: "own" };
    expect(await run(DELTA_1, { attempt: 2 })).toEqual(reply);
    expect(calls).toEqual([{ ...inputOf(DELTA_1), conversation: undefined, ...first, attempt: 2 }]);
  });

  test("tool calls, and the provider data that belongs to them, are passed on unchanged", async () => {
    const reply: ModelReply = {
      content: "",
      tool_calls: [
        { id: "c1", name: "a", args: { n: [1] } },
        { name: "b", args: {}, args_error: "no JSON" },
      ],
      replay: { model: "own", parts: [{ type: "reasoning", text: "hm" }] },
      tokens: { input: 5, total_cost: 0.1 },
    };
    const calls: ModelCall[] = [];
    const model: Model = {
      complete: async (call) => {
        calls.push(call);
        return reply;
      },
    };
    const given = await worker(model).run(DELTA_1, { retry: "brief", output: "text" });
    expect(given).toEqual({ ...reply, model: "own" });
    expect(calls[0]).toMatchObject({ output: "text" });
    expect(calls[0]).not.toHaveProperty("retry");
  });

  test("a worker that served the last call needs only the new messages", async () => {
    const { model, calls } = recording();
    const { run, asked } = worker(model);
    await run(DELTA_1);
    await run(DELTA_2);
    // A second attempt at the same call.
    await run(DELTA_2);
    expect(calls.map(({ system, messages }) => ({ system, messages }))).toEqual([first, second, second]);
    expect(asked).toEqual([]);
  });

  test("a worker that did not serve the last call queries the run, once", async () => {
    const { model, calls } = recording();
    const { run, asked } = worker(model, async () => ({ version: 2, conversation: second }));
    await run(DELTA_2);
    await run(DELTA_2);
    expect(asked).toEqual(["conversation of agent/a run-1"]);
    expect(calls.map(({ system, messages }) => ({ system, messages }))).toEqual([second, second]);
  });

  test.each([
    {
      it: "at another version",
      workflow: async () => ({ version: 3, conversation: second }),
      says: "is at version 3 of the conversation, this call needs 2",
    },
    {
      it: "not to be asked",
      workflow: () => Promise.reject(new Error("no poller")),
      says: "could not be asked for the conversation: no poller",
    },
  ])("a query to a run that is $it makes the call retry later", async ({ workflow, says }) => {
    const { model, calls } = recording();
    const call = worker(model, workflow).run(DELTA_2);
    await expect(call).rejects.toThrow(says);
    await expect(call).rejects.toMatchObject({ type: "server_error", nonRetryable: false });
    expect(calls).toEqual([]);
  });
});

describe("failures", () => {
  const failing = (error: unknown): Model => ({ complete: () => Promise.reject(error) });

  test.each([
    {
      error: new ModelError("rate_limit", "slow", { retry_after_ms: 1_500 }),
      type: "rate_limit",
      nonRetryable: false,
      nextRetryDelay: 1_500,
    },
    {
      error: new ModelError("server_error", "busy"),
      type: "server_error",
      nonRetryable: false,
      nextRetryDelay: undefined,
    },
    { error: new ModelError("timeout", "slow"), type: "timeout", nonRetryable: false, nextRetryDelay: undefined },
    {
      error: new ModelError("malformed_response", "?"),
      type: "malformed_response",
      nonRetryable: false,
      nextRetryDelay: undefined,
    },
    { error: new ModelError("auth_error", "key"), type: "auth_error", nonRetryable: true, nextRetryDelay: undefined },
    {
      error: new ModelError("client_error", "no"),
      type: "client_error",
      nonRetryable: true,
      nextRetryDelay: undefined,
    },
    {
      error: new ModelError("script_exhausted", "end"),
      type: "script_exhausted",
      nonRetryable: true,
      nextRetryDelay: undefined,
    },
    { error: new TypeError("a bug, key sk-abcdefgh"), type: "unknown", nonRetryable: true, nextRetryDelay: undefined },
  ])("a $type is thrown as an ApplicationFailure of that type", async ({ error, ...failure }) => {
    const call = worker(failing(error)).run(DELTA_1);
    await expect(call).rejects.toBeInstanceOf(ApplicationFailure);
    await expect(call).rejects.toMatchObject(failure);
    // A cause would carry the request, prompt and key included, into history.
    await expect(call).rejects.not.toHaveProperty("cause", expect.anything());
  });

  test("a message contains no secrets", async () =>
    await expect(worker(failing(new Error("refused sk-abcdefgh"))).run(DELTA_1)).rejects.toThrow("refused [secret]"));

  test("a model that never answers is a timeout before the attempt's own time is up", async () => {
    const seen: AbortSignal[] = [];
    const call = worker(hanging(seen)).run(DELTA_1, {}, activityEnvironment({ startToCloseTimeoutMs: 20 }));
    await expect(call).rejects.toMatchObject({
      type: "timeout",
      message: "no answer within 0.018 s",
      nonRetryable: false,
    });
    expect(seen[0]?.aborted).toBe(true);
  });

  test("a busy provider is given up at the eighth attempt", async () => {
    const busy = worker(failing(new ModelError("rate_limit", "busy")));
    await expect(busy.run(DELTA_1, { attempt: 7 })).rejects.toMatchObject({ nonRetryable: false });
    await expect(busy.run(DELTA_1, { attempt: 8 })).rejects.toMatchObject({ nonRetryable: true });
  });

  test("a malformed reply fails for good at the third attempt", async () =>
    await expect(
      worker(failing(new ModelError("malformed_response", "?"))).run(DELTA_1, { attempt: 3 }),
    ).rejects.toMatchObject({
      nonRetryable: true,
    }));

  test.each([
    { attempt: 1, nonRetryable: false },
    { attempt: 2, nonRetryable: true },
  ])(
    "with a fallback model, attempt $attempt is the last: $nonRetryable",
    async ({ attempt, nonRetryable }) =>
      await expect(
        worker(failing(new ModelError("server_error", "busy"))).run(DELTA_1, { attempt, retry: "brief" }),
      ).rejects.toMatchObject({ type: "server_error", nonRetryable }),
  );

  test("an unknown model is not retried", async () => {
    const { runCalls } = createActivities({
      models: createModels({ env: {} }),
      tools: new ToolRegistry(),
      client: {} as never,
    });
    const input = { ...placeOf(), model: { ...inputOf(DELTA_1), model: "x/y" } };
    await expect(activityEnvironment().run(runCalls, input)).rejects.toMatchObject({
      type: "llm_not_found",
      nonRetryable: true,
    });
  });

  test.each([
    { it: "no text", answer: { text: "x" }, says: "the model gave no {content: text}" },
    { it: "nothing", answer: undefined, says: "the model gave no {content: text}" },
    {
      it: "too much",
      answer: { content: "x".repeat(MAX_PAYLOAD_BYTES + 1) },
      says: "is 1900001 bytes; the limit is 1900000",
    },
  ])("a project model that returns $it is malformed", async ({ answer, says }) => {
    const call = worker({ complete: async () => answer as never }).run(DELTA_1);
    await expect(call).rejects.toThrow(says);
    await expect(call).rejects.toMatchObject({ type: "malformed_response" });
  });
});

describe("during a model call", () => {
  test("the call heartbeats; cancelling it aborts the request and ends it as cancelled", async () => {
    const seen: AbortSignal[] = [];
    const environment = activityEnvironment();
    let beats = 0;
    const twice = new Promise<void>((resolve) =>
      environment.on("heartbeat", () => {
        beats += 1;
        if (beats === 2) resolve();
      }),
    );
    const call = worker(hanging(seen)).run(DELTA_1, {}, environment);
    const ended = expect(call).rejects.toBeInstanceOf(CancelledFailure);
    await twice;
    expect(seen[0]?.aborted).toBe(false);
    environment.cancel();
    await ended;
    expect(seen[0]?.aborted).toBe(true);
    const before = beats;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(beats).toBe(before);
  });
});
