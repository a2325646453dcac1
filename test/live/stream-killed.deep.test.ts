import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { startWorkerProcess } from "../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../src/client/client";
import type { Chunk } from "../../src/models";
import { Loopback } from "../models/loopback";
import { chat } from "../models/stream-wire";
import { testAddress } from "../support/environment";
import { gate } from "../support/gate";
import { historyText } from "../support/history-text";
import { agent } from "../support/rig";

/** A worker that dies in the middle of an answer: the mission is not lost, and its listener hears that it begins anew. */
test("killed while its model streams, a run gives the whole answer, which is heard as a second attempt", async () => {
  const [provider, connection] = await Promise.all([
    new Loopback().start(),
    Connection.connect({ address: testAddress() }),
  ]);
  provider.reset(
    { pieces: [...chat.begin, chat.text("Once "), new Promise(() => {})] },
    { pieces: [...chat.begin, chat.text("Upon "), chat.text("a time."), ...chat.end] },
  );
  const heard: Chunk[] = [];
  const begun = gate();
  const outside = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    heard.push(JSON.parse(Buffer.concat(chunks).toString()) as Chunk);
    response.end();
    begun.open();
  });
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  const taskQueue = `stream-${randomUUID()}`;
  const launch = () =>
    startWorkerProcess({
      config: path.join(__dirname, "streaming/navigator.config.cjs"),
      taskQueue,
      env: {
        TEMPORAL_ADDRESS: testAddress(),
        NAVIGATOR_BASE_URL: `${provider.url}/v1`,
        HEARD_URL: `http://127.0.0.1:${(outside.address() as AddressInfo).port}`,
      },
    });

  let worker = await launch();
  try {
    const client = new NavigatorClient(new Client({ connection }), taskQueue);
    const run = await client.startAgent({
      agent: agent({ name: "teller", prompt: "Tell a tale.", output: "text" }),
      model: "openai-compatible/m",
      on_chunk: "outside",
      collect_messages: true,
    });
    await begun.opened;
    await worker.kill();
    worker = await launch();
    const step = await run.result();

    expect(step).toMatchObject({
      return: "Upon a time.",
      fail: null,
      usage: { turns: 1, llm_requests: 1 },
      warnings: [],
    });
    const workflowId = run.workflow.workflowId;
    const place = { workflowId, agent: "teller", turn: 1, model: "openai-compatible/m" };
    expect(heard[0]).toEqual({ ...place, attempt: 1, text: "Once " });
    const again = heard.slice(1);
    expect(again).toEqual(again.map(({ text, done }) => ({ ...place, attempt: 2, text, ...(done ? { done } : {}) })));
    expect(again.map(({ text }) => text).join("")).toBe("Upon a time.");
    expect(again.filter(({ done }) => done)).toEqual([again.at(-1)]);
    expect(provider.seen).toHaveLength(2);
    // History has the finished answer, and nothing of what was heard on the way.
    const history = historyText(await client.history(workflowId));
    expect(history).toContain("Upon a time.");
    expect(history).not.toContain("Once ");
  } finally {
    await worker.stop();
    outside.closeAllConnections();
    outside.close();
    await Promise.all([provider.close(), connection.close()]);
  }
});
