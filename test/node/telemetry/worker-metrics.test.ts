import type { Context } from "@temporalio/activity";
import { ApplicationFailure, CancelledFailure, noopMetricMeter, type PayloadCodec } from "@temporalio/common";
import { createDataConverter } from "../../../src/node/encoding/data-converter";
import { unreadable } from "../../../src/node/encoding/unreadable-payload";
import { TracedActivity } from "../../../src/node/telemetry/activity-spans";
import { CallMetrics, memoryLimit } from "../../../src/node/telemetry/call-metrics";

/** What a worker counts besides calls and runs. */

test.each([
  { constrained: 512, machine: 2_000, limit: 512 },
  { constrained: 0, machine: 2_000, limit: 2_000 },
  { constrained: undefined, machine: 2_000, limit: 2_000 },
  // What the system says of a group without a limit.
  { constrained: 2 ** 63, machine: 2_000, limit: 2_000 },
])("a process that is limited to $constrained of $machine bytes may have $limit", ({ constrained, machine, limit }) =>
  expect(memoryLimit(constrained, machine)).toBe(limit),
);

test("data that cannot be read is counted by code and key, and other failures of a codec are not", async () => {
  const failures: Error[] = [
    unreadable("encryption_key_missing", { name: "shop-1", text: "no key", help: "import it" }),
    new Error("a bug"),
  ];
  const codec: PayloadCodec = {
    encode: async (payloads) => payloads,
    decode: async () => {
      throw failures.shift();
    },
  };
  const metrics = new CallMetrics(noopMetricMeter, false);
  const count = jest.spyOn(metrics, "unreadable");
  const { payloadCodecs = [] } = metrics.countingUnreadable(createDataConverter({ codecs: [codec] })) ?? {};
  const decode = payloadCodecs.at(-1)?.decode as PayloadCodec["decode"];
  await expect(decode([])).rejects.toThrow("no key");
  await expect(decode([])).rejects.toThrow("a bug");
  expect(count.mock.calls).toEqual([["encryption_key_missing", "shop-1"]]);
});

test("each attempt to tell people is counted by how it ended", async () => {
  const [other, otherFailed] = [jest.fn(), jest.fn()];
  const metrics = { other, otherFailed } as unknown as CallMetrics;
  const context = { info: { activityType: "deliver" } } as unknown as Context;
  const deliver = (end: () => Promise<unknown>) =>
    new TracedActivity(context, null, metrics, { content: false })
      .execute({ args: [{ channel: "webhook" }], headers: {} }, end)
      .catch(() => {});
  await deliver(async () => "sent");
  await deliver(() => Promise.reject(ApplicationFailure.create({ type: "delivery_failed", message: "503" })));
  await deliver(() => Promise.reject(new CancelledFailure("the worker stops")));
  expect(other.mock.calls).toEqual([["deliver", { channel: "webhook" }, "sent"]]);
  expect(otherFailed.mock.calls.map(([, , type]) => type)).toEqual(["delivery_failed", "cancelled"]);
});
