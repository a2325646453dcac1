import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { tool } from "ai";
import { z } from "zod";
import { type AgentSource, createModels, defineAgent, defineTool, NavigatorPlugin, ToolRegistry } from "../../../src";
import { loadProject } from "../../../src/project/load";
import { assertEffects, assertReturned, program, runInMemory, stub } from "../../../src/testing";
import { temporaryFolder } from "../../support/environment";

/** Tool objects of agents: whoever is given the agent has its tools. */
const made: string[] = [];
const toolThat = (name: string, says: string = name) =>
  defineTool({
    name,
    effect: "write",
    input: z.object({ order_id: z.int() }),
    run: () => {
      made.push(says);
      return says;
    },
  });
const payBack = toolThat("pay_back");
const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => city.length });
const agentWith = (tools: AgentSource["tools"], name = "clerk") => defineAgent({ name, prompt: "p", tools });
const namesOf = (...agents: ReturnType<typeof agentWith>[]) => new ToolRegistry().addToolsOf(agents).names();
const script = [program("(return (tool/pay_back {:order_id 42}))")];
beforeEach(() => made.splice(0));

test("the definition has specs; the objects stay in the process, also in copies, and no JSON has them", () => {
  const agent = agentWith([payBack, { weather }, "by_name"]);
  expect(agent.tools).toEqual([payBack.spec, expect.objectContaining({ name: "weather" }), "by_name"]);
  expect(namesOf({ ...agent, max_turns: 2 })).toEqual(["pay_back", "weather"]);
  expect(namesOf({ ...agent, tools: ["pay_back"] })).toEqual(["pay_back"]);
  expect(namesOf(JSON.parse(JSON.stringify(agent)))).toEqual([]);
  const other = toolThat("pay_back", "other");
  const copy = defineAgent({ ...agent, tools: [other] } as AgentSource);
  expect(new ToolRegistry().addToolsOf([copy]).get("pay_back")).toBe(other);
});

test("the agents among its tools bring theirs, under maps too", () => {
  const child = agentWith({ pay_back: payBack, weather }, "child");
  expect(namesOf(agentWith({ ask: { agent: child, description: "Asks." } }))).toEqual(["pay_back", "weather"]);
});

test("one object in several places is one tool; another one of its name is refused, with both places", () => {
  const registry = new ToolRegistry([payBack, { weather }]);
  registry.addToolsOf([agentWith([payBack, { weather }]), agentWith({ weather }, "b")]);
  expect(registry.names()).toEqual(["pay_back", "weather"]);
  const refused = (from: string) =>
    expect.objectContaining({ code: "already_exists", message: expect.stringContaining(from) });
  const others = [agentWith([toolThat("pay_back")], "other")];
  expect(() => registry.addToolsOf(others)).toThrow(refused("one from `tools`, one from agent other."));
  const two = [agentWith([payBack]), ...others];
  expect(() => namesOf(...two)).toThrow(refused("one from agent clerk, one from agent other."));
  expect(() => registry.addToolsOf([agentWith({ weather: { ...weather } }, "c")])).toThrow(refused("agent c"));
});

test("a plugin with agents answers for their tools, whether they are listed or not", async () => {
  for (const tools of [undefined, [payBack], new ToolRegistry([payBack])]) {
    const plugin = new NavigatorPlugin({ ...(tools && { tools }), agents: [agentWith([payBack])] });
    const { activities } = await plugin.configureWorker({ taskQueue: "q" });
    const { describeTools } = activities as { describeTools(names: string[]): Promise<unknown> };
    expect(await describeTools(["pay_back"])).toEqual({ ok: true, value: [payBack.spec] });
  }
  const agents = [agentWith([payBack])];
  expect(() => new NavigatorPlugin({ tools: [toolThat("pay_back")], models: createModels(), agents })).toThrow(
    expect.objectContaining({
      code: "already_exists",
      details: expect.objectContaining({ path: "pay_back", kind: "tool" }),
    }),
  );
});

describe("a project", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder("agent-tools");
    mkdirSync(folder.path, { recursive: true });
    const make = (says: string) =>
      `exports.payBack = require(${NAVIGATOR}).defineTool({ name: "pay_back", effect: "write", run: () => "${says}" });`;
    write("tool.cjs", make("paid"));
    write("other.cjs", make("other"));
  });
  afterEach(() => folder.remove());
  const NAVIGATOR = JSON.stringify(path.join(__dirname, "../../../src"));
  const write = (file: string, text: string) => writeFileSync(path.join(folder.path, file), text);
  const projectWith = (settings: string) => {
    write(
      "navigator.config.cjs",
      `const { defineAgent } = require(${NAVIGATOR});
       const { payBack } = require("./tool.cjs");
       const refunds = defineAgent({ name: "refunds", prompt: "p", tools: [payBack] });
       module.exports = { agents: [refunds], ${settings} };`,
    );
    return loadProject(folder.path, { env: {} });
  };

  test.each([
    ["", "agent refunds"],
    ["tools: [payBack]", "code"],
    [`tools: ["./tool.cjs"]`, "tool.cjs"],
  ])("with { agents: [refunds], %s } has the tool of its agent once", async (settings, from) => {
    const { tools } = await projectWith(settings);
    expect(tools.names()).toEqual(["pay_back"]);
    expect(tools.from("pay_back")).toBe(from);
    expect(await tools.get("pay_back")?.run({}, {} as never)).toBe("paid");
  });

  test("with another tool of that name is refused", () =>
    expect(projectWith(`tools: ["./other.cjs"]`)).rejects.toMatchObject({
      code: "already_exists",
      message: expect.stringMatching(
        /navigator\.config\.cjs: There are two tools called "pay_back": one from other\.cjs, one from agent refunds/,
      ),
    }));
});

describe("a test", () => {
  test("without `tools` runs the agent's own, those of agents among its tools, too", async () => {
    const run = await runInMemory(agentWith([payBack]), { script });
    assertReturned(run, "pay_back");
    const parent = agentWith({ ask: { agent: agentWith([payBack], "child"), description: "Asks." } }, "parent");
    const replies = { parent: [program("(return (tool/ask {}))")], child: script };
    assertReturned(await runInMemory(parent, { script: replies }), "pay_back");
    expect(made).toHaveLength(2);
  });

  test.each<[string, Parameters<typeof runInMemory>[1]]>([
    ["`tools` by name", { tools: { pay_back: stub.always("stub") } }],
    ["`tools` as a list", { tools: [toolThat("pay_back", "stub")] }],
    ["`replace`", { replace: { pay_back: stub.always("stub") } }],
  ])("%s comes first", async (_, given) => {
    assertReturned(await runInMemory(agentWith([payBack]), { script, ...given }), "stub");
    expect(made).not.toContain("pay_back");
  });

  test("with `tools` has only these: no tool of the agent acts by surprise", () =>
    expect(runInMemory(agentWith([payBack]), { script, tools: [] })).rejects.toThrow(
      /may call "pay_back", and the test has no answer for it: .* are used in a test without `tools`/,
    ));

  test("takes maps of tools in its list; a tool of the AI SDK without a name is told how to get one", async () => {
    const agent = agentWith([{ weather }]);
    const asks = [program('(return (tool/weather {:city "Ulm"}))')];
    const run = await runInMemory(agent, { script: asks, tools: [{ weather }] });
    assertEffects(run, [{ tool: "weather", args: { city: "Ulm" } }]);
    const nameless = /[Tt]his is a tool\(\) of the AI SDK: write \{ name: tool \}/;
    await expect(runInMemory(agent, { script: asks, tools: [weather as never] })).rejects.toThrow(nameless);
    expect(() => agentWith([weather as never])).toThrow(nameless);
  });
});
