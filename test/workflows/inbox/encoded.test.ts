import { Client, Connection } from "@temporalio/client";
import type { Payload, PayloadCodec } from "@temporalio/common";
import { NavigatorClient } from "../../../src/client/client";
import { defineTool } from "../../../src/tools";
import { testAddress } from "../../support/environment";
import { newNamespace } from "../../support/namespace";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** The inbox of a project whose payloads are encoded: nothing in the memo can be read without the codec. */

const ENCODING = "binary/hidden";
const bytes = (text: string) => new TextEncoder().encode(text);
const flipped = (data: Uint8Array) => data.map((byte) => byte ^ 0x5a);

/** Stands for one that encrypts. */
const codec: PayloadCodec = {
  encode: async (payloads) =>
    payloads.map(({ metadata, data }) => ({
      metadata: { encoding: bytes(ENCODING), kept: flipped(metadata?.encoding ?? new Uint8Array()) },
      data: flipped(data ?? new Uint8Array()),
    })),
  decode: async (payloads) =>
    payloads.map((payload) => {
      const { metadata, data } = payload;
      if (Buffer.from(metadata?.encoding ?? []).toString() !== ENCODING) return payload;
      return { metadata: { encoding: flipped(metadata?.kept ?? new Uint8Array()) }, data: flipped(data as Uint8Array) };
    }),
};

const pay = defineTool({
  name: "pay",
  signature: "(cents :int) -> :int",
  effect: "irreversible",
  approval: { assignees: ["anna"] },
  run: ({ cents }) => cents as number,
});

let rig: Rig;
let namespace: string;
let connection: Connection;
beforeAll(async () => {
  namespace = await newNamespace();
  connection = await Connection.connect({ address: testAddress() });
  rig = await openRig({
    namespace,
    tools: [pay],
    dataConverter: { payloadCodecs: [codec] },
    script: { payer: [fenced("(return (tool/pay {:cents 4711}))")] },
  });
  await rig.client.startAgent({
    id: "payer",
    agent: agent({ name: "payer", tools: [pay.spec], max_turns: 2 }),
    model: "scripted",
  });
  await until(async () => (await rig.client.inbox()).items.length === 1, "it asks");
});
afterAll(async () => {
  await rig?.stop();
  await connection?.close();
});

test("with the codec the inbox reads what waits", async () => {
  const { items } = await rig.client.inbox({ assignee: "anna" });
  expect(items).toMatchObject([
    {
      kind: "approval",
      irreversible: true,
      review: { data: { args: { cents: 4711 } }, choices: ["approve", "reject"] },
    },
  ]);
});

test("the server has nothing of it that can be read", async () => {
  const { workflowExecutionInfo } = await connection.workflowService.describeWorkflowExecution({
    namespace,
    execution: { workflowId: "agent/payer" },
  });
  const fields = workflowExecutionInfo?.memo?.fields ?? {};
  expect(Object.keys(fields)).toContain("reviews");
  for (const { metadata, data } of Object.values(fields) as Payload[]) {
    expect(Buffer.from(metadata?.encoding ?? []).toString()).toBe(ENCODING);
    expect(Buffer.from(data ?? []).toString("latin1")).not.toMatch(/4711|approve|pay/);
  }
});

test("without the codec the inbox says so, instead of showing nothing", async () => {
  const stranger = new NavigatorClient(new Client({ connection, namespace }), rig.taskQueue);
  const refusal = { code: "payload_unreadable", message: expect.stringContaining(ENCODING) };
  await expect(stranger.inbox()).rejects.toMatchObject(refusal);
  await expect(stranger.openReviews()).rejects.toMatchObject(refusal);
  await expect(stranger.openReviews({ workflow: "agent/payer" })).rejects.toMatchObject(refusal);
});

test("a call that was approved is made: its worker asks the run in the same encoding", async () => {
  const run = rig.client.agent("payer");
  await run.decide({ review: "agent/payer/pay/1", choice: "approve", by: "anna" });
  expect(await run.result()).toMatchObject({ return: 4711, fail: null });
});
