import { ActivityCompletionError } from "@temporalio/client";
import { ActivityCancellationDetails, ApplicationFailure, CancelledFailure } from "@temporalio/common";
import type { MockActivityEnvironment } from "@temporalio/testing";
import { z } from "zod";
import { createActivities } from "../../src/activities";
import type { Json } from "../../src/core/base/json";
import type { CallToolInput, UndoEffectInput } from "../../src/core/calls/activities";
import type { EffectLookup } from "../../src/core/calls/host";
import { createModels } from "../../src/models";
import { defineTool, type Tool, type ToolContext, ToolRegistry, ToolRetry, type UndoContext } from "../../src/tools";
import { gate } from "../support/gate";
import { activityEnvironment } from "./environment";

const input: CallToolInput = {
  name: "pay",
  args: { amount: 5 },
  idempotency_key: "agent/a/charge_42",
  agent: "charge",
  task: "charge_42",
  turn: 2,
};

type Run = (args: { amount: number }, call: ToolContext) => unknown;

function activities(run: Run) {
  const tools = new ToolRegistry([
    defineTool({ name: "pay", input: z.object({ amount: z.int() }), effect: "irreversible", run: run as never }),
    defineTool({ name: "look", run: () => null }),
  ]);
  return createActivities({ models: createModels({ env: {} }), tools, client: {} as never });
}

const call = (run: Run, change: Partial<CallToolInput> = {}, environment = activityEnvironment()) =>
  environment.run(activities(run).callTool, { ...input, ...change });

interface Attempt {
  environment: MockActivityEnvironment;
  answer: Promise<unknown>;
}

const throwing = (error: unknown) => () => {
  throw error;
};

test("the tool gets its arguments, the idempotency key of the call and its place", async () => {
  const environment = activityEnvironment({ attempt: 3 });
  const run = jest.fn((_args: unknown, _call: ToolContext) => ({ tx: "t1" }));
  expect(await call(run, {}, environment)).toEqual({ ok: true, value: { tx: "t1" } });
  expect(run).toHaveBeenCalledWith(
    { amount: 5 },
    {
      idempotencyKey: "agent/a/charge_42",
      signal: expect.any(AbortSignal),
      heartbeat: expect.any(Function),
      attempt: 3,
      task: "charge_42",
      agent: "charge",
      turn: 2,
      token: environment.context.info.base64TaskToken,
    },
  );
});

describe("results for the program", () => {
  test.each([
    {
      it: "an error of the tool",
      run: throwing(new Error("card refused")),
      fail: { reason: "tool_error", message: "card refused", details: { tool: "pay", code: "tool_error" } },
    },
    {
      it: "a failure that Temporal would not retry",
      run: throwing(ApplicationFailure.nonRetryable("closed", "Closed")),
      fail: { reason: "tool_error", message: "closed", details: { tool: "pay", code: "tool_error" } },
    },
    {
      it: "arguments that do not fit",
      change: { args: { amount: "much" } },
      fail: {
        reason: "tool_error",
        message: "invalid arguments: amount: expected int, got string",
      },
    },
    {
      it: "an argument that is the mask of a secret, of which the workflow may know the value",
      change: { args: { "[secret BANK_TOKEN]": 5 } as never },
      fail: {
        reason: "tool_error",
        message: expect.stringContaining("the call was not made") as unknown as string,
        details: { tool: "pay", code: "secret_in_arguments", secret: "BANK_TOKEN" },
      },
    },
    {
      it: "a tool that this worker does not have",
      change: { name: "refund" },
      fail: { reason: "tool_not_found", message: "Unknown tool: refund. Available tools: pay, look" },
    },
  ])("$it", async ({ run, change, fail }) =>
    expect(await call(run ?? (() => null), change)).toMatchObject({ ok: false, fail }),
  );
});

describe("failures for Temporal", () => {
  test("a tool that did nothing and asks for a retry", async () => {
    const asked = call(throwing(new ToolRetry("row is locked", { after_ms: 250 })));
    await expect(asked).rejects.toMatchObject({ type: "tool_retry", message: "row is locked", nextRetryDelay: 250 });
    await expect(asked).rejects.not.toMatchObject({ nonRetryable: true });
  });

  test("one that wants no pause is called again by the rule of its calls: a pause of 0 would be the end", async () => {
    const asked = call(throwing(new ToolRetry("row is locked", { after_ms: 0 })));
    await expect(asked).rejects.toMatchObject({ type: "tool_retry", nextRetryDelay: undefined });
  });

  test("a retryable ApplicationFailure is thrown unchanged", async () => {
    const failure = ApplicationFailure.create({ message: "busy", type: "Busy", nextRetryDelay: "2s" });
    await expect(call(throwing(failure))).rejects.toBe(failure);
  });

  test("a cancelled call ends as cancelled, whatever its tool throws", async () => {
    const environment = activityEnvironment();
    const asked = call(
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("half done")))),
      {},
      environment,
    );
    const ended = expect(asked).rejects.toBeInstanceOf(CancelledFailure);
    setTimeout(() => environment.cancel(), 20);
    await ended;
  });
});

describe("heartbeats", () => {
  const beats = (environment: MockActivityEnvironment) => {
    const seen: unknown[] = [];
    environment.on("heartbeat", (details) => seen.push(details));
    return seen;
  };

  test("a tool that waits heartbeats by itself", async () => {
    const environment = activityEnvironment();
    const seen = beats(environment);
    const twice = new Promise<null>((resolve) => environment.on("heartbeat", () => seen.length === 2 && resolve(null)));
    await call(() => twice, {}, environment);
    expect(seen).toHaveLength(2);
  });

  test("a quick tool sends no heartbeat", async () => {
    const environment = activityEnvironment();
    const seen = beats(environment);
    await call(() => null, {}, environment);
    expect(seen).toHaveLength(0);
  });

  test("a tool that computes for a long time heartbeats itself", async () => {
    const environment = activityEnvironment();
    const seen = beats(environment);
    await call((_, { heartbeat }) => [heartbeat(), heartbeat(), null][2], {}, environment);
    expect(seen).toHaveLength(2);
  });

  test("the same activity runs as a local activity, which has no heartbeats", async () => {
    const environment = activityEnvironment({ isLocal: true });
    const seen = beats(environment);
    const longer = async (_: unknown, { heartbeat }: { heartbeat(): void }) => {
      heartbeat();
      await new Promise((resolve) => setTimeout(resolve, 600));
      return { a: 1 };
    };
    expect(await call(longer, {}, environment)).toEqual({ ok: true, value: { a: 1 } });
    expect(seen).toEqual([]);
  });
});

describe("an outage of the network", () => {
  test("an attempt that the server gave up leaves its call to the next one: the tool is called once", async () => {
    const answer = gate();
    const run = jest.fn(async (_: unknown, { signal }: ToolContext) => {
      await answer.opened;
      return { aborted: signal.aborted };
    });
    const { callTool } = activities(run);
    const [first, second] = [1, 2].map((attempt) => {
      const client = { workflow: { getHandle: () => ({ describe: async () => ({ status: { name: "RUNNING" } }) }) } };
      const environment = activityEnvironment({ attempt }, undefined, client);
      return { environment, answer: environment.run(callTool, input) };
    }) as [Attempt, Attempt];
    first.environment.cancel("NOT_FOUND", ActivityCancellationDetails.fromProto({ isNotFound: true }));
    answer.open();
    expect(await Promise.all([first.answer, second.answer])).toEqual([
      { ok: true, value: { aborted: false } },
      { ok: true, value: { aborted: false } },
    ]);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test("an irreversible call ends when the server answers again: the SDK gives up an answer that it cannot send", async () => {
    const lines = [new ActivityCompletionError("unavailable"), new ActivityCompletionError("unavailable"), undefined];
    const heartbeat = jest.fn(async () => {
      const error = lines.shift();
      if (error !== undefined) throw error;
    });
    const environment = activityEnvironment({}, undefined, { activity: { heartbeat } });
    expect(await call(() => 1, {}, environment)).toEqual({ ok: true, value: 1 });
    expect(lines).toEqual([]);
  });
});

describe("describing tools", () => {
  const describe_ = (names: string[]) =>
    activityEnvironment({ isLocal: true }).run(activities(() => null).describeTools, names);

  test("specs are returned in the requested order", async () =>
    expect(await describe_(["look", "pay"])).toEqual({
      ok: true,
      value: [
        { name: "look", effect: "write" },
        {
          name: "pay",
          effect: "irreversible",
          signature: "(amount :int) -> :any",
          takes: { fields: { amount: {} }, drops_others: true },
        },
      ],
    }));

  test("an unknown tool is a failure that lists the known ones", async () =>
    expect(await describe_(["pya"])).toMatchObject({
      ok: false,
      fail: { reason: "tool_not_found", message: "Unknown tool: pya. Available tools: pay, look" },
    }));
});

describe("effects", () => {
  const lookup = jest.fn<Promise<EffectLookup>, Parameters<NonNullable<Tool["lookup"]>>>();
  const undo = jest.fn<Promise<Json>, Parameters<NonNullable<Tool["undo"]>>>();
  const limited = { spec: { name: "limited", effect: "write" as const, rate_limit: { max: 1, per_ms: 60_000 } } };
  const answers = { run: async () => null, lookup, undo };
  const place = { idempotency_key: "a~K", agent: null, task: null, turn: 1 };
  const effects = (blockedTimeoutMs = 0) =>
    createActivities({
      models: createModels({ env: {} }),
      tools: new ToolRegistry([
        { spec: { name: "pay", effect: "write" }, ...answers },
        { ...limited, ...answers },
        { spec: { name: "bare", effect: "write" }, run: async () => null },
      ]),
      client: {} as never,
      blockedTimeoutMs,
    });
  const lookUp = (name = "pay", environment = activityEnvironment()) =>
    environment.run(effects().lookUpEffect, { ...place, name, args: { amount: 5 } });
  const takeBack = (name = "pay", change: Partial<UndoEffectInput> = {}, environment = activityEnvironment()) =>
    environment.run(effects().undoEffect, {
      ...place,
      name,
      args: { amount: 5 },
      result: { tx: "t1" },
      idempotency_key: "a~K~undo",
      call_key: "a~K",
      ...change,
    });

  beforeEach(() => {
    lookup.mockReset().mockResolvedValue({ state: "absent" });
    undo.mockReset().mockResolvedValue({ refund: "r1" });
  });

  test("a lookup gets the key and the arguments of the call", async () => {
    lookup.mockResolvedValue({ state: "found", value: { tx: "t1" } });
    expect(await lookUp()).toEqual({ ok: true, value: { state: "found", value: { tx: "t1" } } });
    expect(lookup).toHaveBeenCalledWith("a~K", { amount: 5 }, expect.objectContaining({ idempotencyKey: "a~K" }));
  });

  test("an undo gets the call, its answer and a key of its own", async () => {
    expect(await takeBack()).toEqual({ ok: true, value: { refund: "r1" } });
    const call = expect.objectContaining({ idempotencyKey: "a~K~undo", callKey: "a~K" }) as UndoContext;
    expect(undo).toHaveBeenCalledWith({ amount: 5 }, { tx: "t1" }, call);
  });

  test("a lookup that fails is unknown, with the reason", async () => {
    lookup.mockRejectedValue(new Error("the bank is closed"));
    expect(await lookUp()).toEqual({ ok: true, value: { state: "unknown", message: "the bank is closed" } });
  });

  test("an undo that fails is an error of the tool", async () => {
    undo.mockRejectedValue(new Error("already shipped"));
    const fail = { reason: "tool_error", message: "already shipped", details: { tool: "pay", code: "tool_error" } };
    expect(await takeBack()).toEqual({ ok: false, fail });
  });

  test("a tool without these functions says so", async () => {
    const message = "the tool bare of this worker has no lookup";
    expect(await lookUp("bare")).toEqual({ ok: true, value: { state: "unknown", message } });
    const details = { tool: "bare", code: "no_undo" };
    expect(await takeBack("bare")).toMatchObject({ ok: false, fail: { reason: "tool_error", details } });
  });

  test("both may ask for another attempt", async () => {
    lookup.mockRejectedValue(new ToolRetry("busy", { after_ms: 250 }));
    await expect(lookUp()).rejects.toMatchObject({ type: "tool_retry", nextRetryDelay: 250 });
    const busy = ApplicationFailure.create({ message: "busy", type: "Busy" });
    undo.mockRejectedValue(busy);
    await expect(takeBack()).rejects.toBe(busy);
  });

  test("an undo that waited for a worker is not tried again after any other failure", async () => {
    undo.mockRejectedValue(new ToolRetry("busy"));
    await expect(takeBack("pay", { blocked_ms: 1000 })).rejects.toMatchObject({ nonRetryable: true });
  });

  test("a tool that this worker does not have is told, or waited for", async () => {
    expect(await lookUp("gone")).toMatchObject({ ok: false, fail: { reason: "tool_not_found" } });
    const asked = activityEnvironment().run(effects(60_000).lookUpEffect, { ...place, name: "gone", args: {} });
    await expect(asked).rejects.toMatchObject({ type: "configuration_error", nonRetryable: false });
  });

  test("they count for the rate limit of the tool", async () => {
    const environment = activityEnvironment();
    const { callTool, lookUpEffect } = effects();
    const input = { ...place, name: "limited", args: {} };
    expect(await environment.run(callTool, input)).toEqual({ ok: true, value: null });
    const asked = expect(environment.run(lookUpEffect, input)).rejects.toThrow();
    environment.cancel();
    await asked;
    expect(lookup).not.toHaveBeenCalled();
  });
});
