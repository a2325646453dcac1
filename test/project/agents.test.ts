import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loadProject } from "../../src/project/load";
import { temporaryFolder } from "../support/environment";

/** Agents of a project that name each other as tools. */
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("agents");
  mkdirSync(path.join(folder.path, "agents"));
  write("navigator.config.json", JSON.stringify({ agents: "./agents" }));
});
afterEach(() => folder.remove());

const write = (file: string, text: string) => writeFileSync(path.join(folder.path, file), text);

const LEAD = `
prompt: Find out.
tools:
  search: { agent: searcher, description: Looks things up }
`;

test("an agent can name another one of the project, in any order of reading", async () => {
  write("agents/lead.yaml", LEAD);
  write("agents/searcher.yaml", "prompt: Search.\nsignature: '(q :string) -> [:string]'\n");
  const { agents } = await loadProject(folder.path);
  expect(Object.keys(agents)).toEqual(["lead", "searcher"]);
  expect(agents.lead?.tools).toMatchObject([{ name: "search", agent: { name: "searcher", prompt: "Search." } }]);
});

test("an unknown agent, and a circle, are reported with their place", async () => {
  write("agents/lead.yaml", LEAD);
  await expect(loadProject(folder.path)).rejects.toThrow(/lead\.yaml:4:\d+.*tools\.search.*no agent "searcher"/s);
  write("agents/searcher.yaml", "prompt: Search.\ntools:\n  ask: { agent: lead, description: Asks back }\n");
  await expect(loadProject(folder.path)).rejects.toThrow(/lead -> searcher -> lead is a circle/);
});

test("two agents with one name are refused", async () => {
  write("agents/a.yaml", "name: same\nprompt: Do.\n");
  write("agents/b.yaml", "name: same\nprompt: Do.\n");
  await expect(loadProject(folder.path)).rejects.toThrow(/Two agents are called "same": .*a\.yaml and .*b\.yaml/);
});

describe("the approval of a project's tool", () => {
  const terms = { assignees: ["group:finance"], timeout_ms: 172_800_000 };
  beforeEach(() => {
    const approval = "{ assignees: ['group:finance'], timeout: '2d' }";
    const pay = `{ name: "pay", effect: "irreversible", approval: ${approval}, run: () => 1 }`;
    rmSync(path.join(folder.path, "navigator.config.json"));
    write("navigator.config.cjs", `module.exports = { agents: "./agents", tools: ["./pay.cjs"] };`);
    write("pay.cjs", `const { defineTool } = require("navigator-agents");\nexports.pay = defineTool(${pay});\n`);
  });
  const payer = (approval: string) =>
    write("agents/payer.yaml", `prompt: Pay.\ntools:\n  pay: { approval: ${approval} }\n`);

  test("stays where an agent file asks, too", async () => {
    payer("true");
    const { agents, agent } = await loadProject(folder.path);
    for (const one of [agents.payer, await agent("payer")])
      expect(one?.tools).toMatchObject([{ name: "pay", approval: terms }]);
  });

  test("is not given to others by an agent file", async () => {
    payer("{ assignees: [dora] }");
    await expect(loadProject(folder.path)).rejects.toMatchObject({
      code: "invalid_agent",
      message: "Agent payer: tools.pay.approval, assignees dora are others than the tool's: group:finance.",
    });
  });
});
