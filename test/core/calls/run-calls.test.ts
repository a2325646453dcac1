import { ownActivityReason } from "../../../src/core/calls/own-activity";
import { batchSize, isCallsJournal, mayShare } from "../../../src/core/calls/run-calls";
import type { ToolSpec } from "../../../src/core/calls/tool";

/** Which calls may share an activity (engine reference, sections 16 and 17), by what their tool says. */
const batched = (spec: Partial<ToolSpec>): ToolSpec => ({ name: "charge", effect: "write", batch: 7, ...spec });

test.each<[string, Partial<ToolSpec>]>([
  ["a write", {}],
  ["a read", { effect: "read" }],
  ["an idempotent call", { effect: "idempotent" }],
  ["two attempts", { retry: { max_attempts: 2 } }],
  ["a time limit", { timeout_ms: 60_000 }],
  ["answers that are cached", { cache: true }],
  ["a way to look effects up, and to take them back", { lookup: true, undo: true }],
])("%s shares an activity with the calls of a program, and with calls of the same tool", (_, spec) => {
  const tool = batched(spec);
  expect([ownActivityReason(tool), mayShare(tool), batchSize(tool)]).toEqual([undefined, true, 7]);
});

test.each<[string, Partial<ToolSpec>, string]>([
  ["an irreversible call", { effect: "irreversible" }, "irreversible"],
  ["an approval", { approval: true }, "approval"],
  ["an answer that comes later", { completes_later: true }, "later"],
  ["an effect that all missions share", { identity_scope: "namespace" }, "all missions"],
  ["a task queue", { task_queue: "other" }, "task queue"],
  ["a heartbeat", { heartbeat_ms: 1_000 }, "heartbeat"],
  ["a rate limit", { rate_limit: { max: 1, per_ms: 1_000 } }, "rate limit"],
  ["one attempt", { retry: { max_attempts: 1 } }, "one attempt"],
])("%s has a separate activity, and the reason is named", (_, spec, reason) => {
  const tool = batched(spec);
  expect(ownActivityReason(tool)).toContain(reason);
  expect([mayShare(tool), batchSize(tool)]).toEqual([false, undefined]);
});

test("`alone` keeps a call out of sequences; `batch` still puts it beside calls of its tool", () => {
  const tool = batched({ alone: true });
  expect([mayShare(tool), batchSize(tool)]).toEqual([false, 7]);
  expect(batchSize({ name: "charge", effect: "write" })).toBeUndefined();
});

const call = { n: 1, began: 1, at: 2, answer: { ok: true, value: 1 }, input: { name: "pay", args: {} } };
test.each<[string, unknown, boolean]>([
  ["no calls", { made: [] }, true],
  ["a call", { made: [call] }, true],
  [
    "a listed call that failed",
    { made: [{ ...call, input: undefined, answer: { ok: false, fail: { reason: "r", message: "m" } } }] },
    true,
  ],
  ["a reply", { made: [], reply: { content: "x" }, replied_at: 1 }, true],
  ["an empty call", { made: [{}] }, false],
  ["a time that is none", { made: [{ ...call, at: null }] }, false],
  ["an answer without a value", { made: [{ ...call, answer: { ok: true } }] }, false],
  ["a failure without a reason", { made: [{ ...call, answer: { ok: false, fail: {} } }] }, false],
  ["a call without a tool", { made: [{ ...call, input: { args: {} } }] }, false],
  ["a reply without a time", { made: [], reply: { content: "x" } }, false],
  ["a reply without a text", { made: [], reply: {}, replied_at: 1 }, false],
  ["a list", [], false],
])("heartbeat details with %s are what a run can read, or not", (_, details, isRead) => {
  expect(isCallsJournal(details)).toBe(isRead);
});
