import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { connectInMemory, WITHOUT_TEMPORAL } from "../support/mcp/client";

/** What the server lists and says, by its two settings. */

async function told(settings: { tools?: "core" | "all"; primaryStore?: string | undefined }) {
  const mcp = await connectInMemory({ ...WITHOUT_TEMPORAL, primaryStore: undefined, ...settings });
  const { tools } = await mcp.client.listTools();
  const instructions = mcp.client.getInstructions() ?? "";
  await mcp.close();
  return { tools, names: tools.map(({ name }) => name), instructions };
}

/** Counted with the tokenizer of a model. The tokenizers of others differ from it by a tenth or so. */
const tokenizer = new Tiktoken(o200k);

/** Of what a model gets of a tool. Output schemas and annotations are for the client. */
const tokensOf = (tools: { name: string; description?: string | undefined; inputSchema: object }[]): number =>
  tokenizer.encode(
    tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema })).join("\n"),
  ).length;

test("the small set has the tools of one orchestrator's loop, in at most 1,500 tokens", async () => {
  const { names, tools, instructions } = await told({ tools: "core" });
  expect(names).toEqual([
    "list_workflows",
    "create_task",
    "get_next_tasks_from_tree",
    "start",
    "current",
    "next",
    "get_task",
  ]);
  expect(tokensOf(tools)).toBeLessThanOrEqual(1_500);
  for (const name of instructions.match(/[a-z]+_[a-z_]+/g) ?? []) expect(names).toContain(name);
});

test("all tools are listed without the setting, and the small set is a part of them", async () => {
  const [all, core] = await Promise.all([told({}), told({ tools: "core" })]);
  expect(all.names).toEqual(expect.arrayContaining(core.names));
  expect(tokensOf(all.tools)).toBeLessThan(7_000);
});

test("a primary store is named in the instructions, and its moves can be confirmed with the small set", async () => {
  const { names, instructions } = await told({ tools: "core", primaryStore: "GitHub issues" });
  expect(names).toContain("confirm_sync");
  expect(instructions).toMatch(/primary store \(GitHub issues\).*_sync_reminder/);
});

test("without a primary store nobody is told to persist anything", async () => {
  expect((await told({})).instructions).not.toMatch(/sync|store/);
});
