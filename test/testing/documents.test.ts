import { defineAgent } from "../../src/project/authoring/define-agent";
import {
  assertOnce,
  crashWorker,
  type DocumentReference,
  memoryDocuments,
  program,
  runInMemory,
} from "../../src/testing";
import { defineTool } from "../../src/tools";

const LARGE = "order\n".repeat(500_000);
const exportOrders = defineTool({ name: "export_orders", run: () => LARGE });
const firstLine = defineTool({
  name: "first_line",
  run: async ({ orders }, { documents }) => {
    for await (const piece of documents?.stream(orders as string) ?? [])
      return Buffer.from(piece).toString("utf8").split("\n")[0];
    return null;
  },
});
const tools = [exportOrders, firstLine];
const agent = defineAgent({ prompt: "Export.", tools });
const script = [
  program(`(let [o (task "export" (tool/export_orders {}))]
             (return {:first (tool/first_line {:orders (get o "document")}) :document o}))`),
];

test("an answer that is too large for a history is a document, which the next tool and the test read", async () => {
  const documents = memoryDocuments();
  const faults = [crashWorker({ after: { tool: "export_orders" } })];
  const run = await runInMemory(agent, { script, tools, documents, faults });
  const { first, document } = run.step.return as {
    first: string;
    document: DocumentReference & { [key: string]: never };
  };
  expect(first).toBe("order");
  expect(document).toMatchObject({ bytes: LARGE.length, media_type: "text/plain", start: LARGE.slice(0, 1_000) });
  expect(Buffer.from(await documents.read(document)).toString("utf8")).toBe(LARGE);
  assertOnce(run, "export_orders");
  await expect(memoryDocuments().read(document)).rejects.toMatchObject({ code: "payload_unreadable" });
});

test("each mission has its own; a test can take them away, as without `largePayloads`", async () => {
  expect((await runInMemory(agent, { script, tools })).step.return).toMatchObject({ first: "order" });
  const without = await runInMemory(agent, { script: [...script, program("(return 0)")], tools, documents: null });
  expect(without.effects).toMatchObject([{ tool: "export_orders", error: expect.stringContaining("largePayloads") }]);
});
