import type { Client } from "@temporalio/client";
import { defaultFailureConverter, defaultPayloadConverter, type Payload, type PayloadCodec } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { readKeptCalls } from "../../src/activities/read-kept-calls";
import type { CallsJournal } from "../../src/core/calls/run-calls";

/** A run reads what the heartbeats of its own activities keep: the server takes them from the activities alone. */

const kept: CallsJournal = {
  ...{ activity: "7", n: 2, reported: true },
  made: [{ n: 1, began: 1, at: 2, answer: { ok: true, value: { paid: 1 } } }],
  under_way: { n: 2, began: 3 },
};

/** As a codec of a project writes: nobody else can read it. */
const codec: PayloadCodec = {
  encode: async (payloads) =>
    payloads.map(({ data }) => ({
      metadata: { encoding: Buffer.from("binary/reversed") },
      data: Buffer.from(data ?? []).reverse(),
    })),
  decode: async (payloads) =>
    payloads.map(({ data }) => ({
      metadata: { encoding: Buffer.from("json/plain") },
      data: Buffer.from(data ?? []).reverse(),
    })),
};

const plain = (value: unknown): Payload => defaultPayloadConverter.toPayload(value) as Payload;
const encoded = async (value: unknown): Promise<Payload> => (await codec.encode([plain(value)]))[0] as Payload;

/** An activity of the run that is under way. */
const pending = (payload: Payload | undefined, name = "runCalls") => ({
  activityType: { name },
  ...(payload === undefined ? {} : { heartbeatDetails: { payloads: [payload] } }),
});

async function read(n: number, pendingActivities: object[] | undefined, payloadCodecs: PayloadCodec[] = []) {
  const asked: unknown[] = [];
  const client = {
    withAbortSignal: (_: AbortSignal, work: () => unknown) => work(),
    options: {
      loadedDataConverter: {
        payloadConverter: defaultPayloadConverter,
        failureConverter: defaultFailureConverter,
        payloadCodecs,
      },
    },
    workflow: {
      getHandle: (...run: unknown[]) => {
        asked.push(run);
        return { describe: async () => ({ raw: { pendingActivities } }) };
      },
    },
  } as unknown as Client;
  const workflowExecution = { workflowId: "agent/a", runId: "run-1" };
  const environment = new MockActivityEnvironment({ workflowExecution }, { client });
  const found = await environment.run<[number], CallsJournal | null, typeof readKeptCalls>(readKeptCalls, n);
  return { found, asked };
}

test("of several activities under way, it is the one with the number", async () => {
  const other = { ...kept, n: 1, activity: "6" };
  const { found, asked } = await read(2, [pending(plain(other)), pending(plain(kept)), pending(undefined)]);
  expect(found).toEqual(kept);
  // The run that asks, and no other one of its workflow.
  expect(asked).toEqual([["agent/a", "run-1"]]);
});

test("what a codec has written is decoded", async () => {
  expect((await read(2, [pending(await encoded(kept))], [codec])).found).toEqual(kept);
});

test("without the codec it has nothing", async () => {
  expect((await read(2, [pending(await encoded(kept))])).found).toBeNull();
});

test.each<[string, object[] | undefined]>([
  ["no activity is under way", undefined],
  ["none has this number", [pending(plain({ ...kept, n: 3 }))]],
  ["it has kept nothing yet", [pending(undefined)]],
  ["another activity has kept the same", [pending(plain(kept), "callTool")]],
  ["its heartbeat has something else", [pending(plain({ n: 2, made: "none" })), pending(plain(null))]],
])("there is nothing where %s", async (_, activities) => {
  expect((await read(2, activities)).found).toBeNull();
});
