import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { projectEffects } from "../../src/core/history/read/project-effects";
import { defineTool, ToolFailure } from "../../src/tools";
import { cliHere, program, setEnv } from "../support/cli";
import { temporaryFolder } from "../support/environment";
import { connectInMemory, type McpClient, type McpRig, openMcpRig } from "../support/mcp/client";
import { readRecorded } from "../support/recorded";
import { until } from "../support/until";

/** What was done to the world, as commands, MCP clients and handles show it: of a run, a plan and a task. */

const charge = defineTool({
  name: "charge",
  signature: "(invoice :string, note :string?) -> {tx :string}",
  identity: ["invoice"],
  run: ({ invoice }) => ({ tx: `tx_${invoice}` }),
});
const wipe = defineTool({
  name: "wipe",
  signature: "(disk :string) -> :string",
  effect: "irreversible",
  run: () => {
    throw new ToolFailure("the answer was lost", { code: "unknown_outcome" });
  },
});
const hire = defineTool({
  name: "hire",
  signature: "(who :string) -> :string",
  approval: true,
  run: ({ who }) => String(who),
});

const GRAPH = {
  id: "billing",
  nodes: {
    start: { type: "start" },
    bill: { type: "task", name: "Bill", agent: "cashier" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "bill" },
    { from: "bill", to: "done" },
  ],
};
const FILES = {
  "navigator.config.json": { agents: "./agents" },
  "agents/biller.json": { prompt: "Bill.", tools: ["charge", "hire"], sequences: false },
  "agents/cashier.json": { prompt: "Charge.", tools: ["charge"] },
  "agents/wiper.json": { prompt: "Wipe.", tools: ["wipe"] },
  "agents/sleeper.json": { prompt: "Rest." },
  "graph.json": GRAPH,
};
const PLAN = {
  agents: { cashier: { prompt: "Charge.", tools: ["charge"] } },
  tasks: [{ id: "a", agent: "cashier", input: "Bill B-1." }],
};
const TWICE = [
  '(do (task "pay" (tool/charge {:invoice "A-1" :note "first"})) (tool-try (tool/hire {:who "bob"})) (tool/charge {:invoice "A-2"}) (tool/charge {:invoice 5}))',
  '(do (tool/charge {:invoice "A-2" :note "reworded"}) (return "billed"))',
];

const folder = temporaryFolder("effects");
const at = (name: string) => path.join(folder.path, name);
const CONFIG = ["--config", folder.path];

let rig: McpRig;
let mcp: McpClient;
let restore = () => {};
beforeAll(async () => {
  mkdirSync(at("agents"));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(at(name), JSON.stringify(content));
  rig = await openMcpRig({
    tools: [charge, wipe, hire],
    script: {
      biller: TWICE.map(program),
      cashier: [program('(return (tool/charge {:invoice "B-1"}))')],
      wiper: [program('(return (tool/wipe {:disk "sda"}))')],
      sleeper: [program("(return 1)")],
    },
  });
  mcp = await connectInMemory(rig.parts);
  restore = setEnv({
    TEMPORAL_NAMESPACE: rig.namespace,
    NAVIGATOR_TASK_QUEUE: rig.taskQueue,
    NAVIGATOR_PROJECT: "none",
    NAVIGATOR_HOME: at("home"),
  });
  for (const args of [
    ["run", "biller", "--id", "r", "--detach"],
    ["run", "wiper", "--id", "w", "--detach"],
    ["run", "sleeper", "--id", "idle", "--detach"],
    ["task", "start", at("graph.json"), "--id", "t"],
  ])
    expect(await cliHere([...args, ...CONFIG])).toMatchObject({ code: 0 });
  const { client } = rig;
  await client.startPlan({ id: "p", plan: PLAN, options: { llm: "scripted", base_tools: [charge.spec] } });
  await until(async () => (await client.reviewed("agent/r").reviews()).length === 1, "a person is asked about bob");
  await client.reviewed("agent/r").decide({ review: "agent/r/hire/1", choice: "reject", by: "anna", note: "no money" });
  await until(
    async () => (await client.reviewed("agent/w").reviews()).length === 1,
    "a person is asked about the disk",
  );
  const ends = [client.agent("r"), client.agent("idle"), client.plan("p"), client.task("t")].map((run) => run.result());
  await Promise.all(ends);
});
afterAll(async () => {
  restore();
  await mcp?.close();
  await rig?.stop();
  folder.remove();
});

const json = async (id: string) => JSON.parse((await cliHere(["effects", id, "--json"])).stdout);
const text = async (...args: string[]) => {
  const end = await cliHere(["effects", ...args]);
  expect(end).toMatchObject({ code: 0, stderr: "" });
  return end.stdout;
};

test("the first line counts; then come the effects with arguments, place, person and key, without colour", async () => {
  const lines = (await text("r")).trimEnd().split("\n");
  expect(lines[0]).toBe("3 effects: 2 done, 1 refused");
  expect(lines[2]).toMatch(/^STATE +TOOL +ARGUMENTS +WHERE +BY +NOTES +KEY$/);
  expect(lines[3]).toMatch(/^done +charge +\{"invoice":"A-1"\} +turn 1, task pay, program 1 +agent\/r~[\w-]{43}~1$/);
  expect(lines[4]).toMatch(/^refused +hire +\{"who":"bob"\} +turn 1, program 1 +anna +\S.* +agent\/r~[\w-]{43}~1$/);
  expect(lines[5]).toMatch(
    /^done +charge +\{"invoice":"A-2"\} +turn 1, program 1 +not done again, its answer was given once more +agent\/r~/,
  );
  expect(lines).toHaveLength(6);
});

test("--full has the programs; --json has every field", async () => {
  expect(await text("r", "--full")).toMatch(/\nProgram 1 {2}agent\/r, turn 1\n {2}\(do \(task "pay"/);
  const progress = await json("r");
  expect(progress).toMatchObject({ workflow_id: "agent/r", ledger: true, questions: [], end: { state: "completed" } });
  expect(progress.programs).toEqual([{ run: "agent/r", turn: 1, invocation: 1, model: "scripted", text: TWICE[0] }]);
  expect(progress.effects[0]).toMatchObject({
    tool: "charge",
    effect: "write",
    state: "done",
    task: "pay",
    identity_args: { invoice: "A-1" },
    args: { invoice: "A-1", note: "first" },
    answer: { tx: "tx_A-1" },
    run: "agent/r",
    program: 1,
  });
  expect(progress.effects[2]).toMatchObject({ reused: 1 });
});

test("an effect that nobody knows comes first, with the review that asks about it", async () => {
  const shown = await text("w");
  expect(shown).toMatch(/^1 effect: 1 unknown\n\nunknown {2}wipe \{"disk":"sda"\}\n/);
  expect(shown).toMatch(/\n {2}next +navigator review show agent\/w\/wipe\/1\n/);
  expect(await mcp.data("get_effects", { id: "w" })).toMatchObject({
    summary: "1 effect: 1 unknown",
    effects: [{ tool: "wipe", state: "unknown", effect: "irreversible", review: "agent/w/wipe/1" }],
  });
});

test("a plan and a task have the effects of their agents, with the run that asked for each", async () => {
  for (const id of ["plan/p", "task/t"]) {
    const progress = await json(id);
    expect(progress).toMatchObject({ workflow_id: id, effects: [{ tool: "charge", state: "done", program: 1 }] });
    expect(progress.effects[0].run.startsWith(`${id}/`)).toBe(true);
    expect(await text(id)).toContain(`, ${progress.effects[0].run} `);
    expect(await mcp.data("get_effects", { id })).toMatchObject({
      workflowId: id,
      summary: "1 effect: 1 done",
      effects: [{ tool: "charge", args: { invoice: "B-1" }, key: progress.effects[0].key }],
    });
  }
  const { contents } = await mcp.client.readResource({ uri: "navigator://tasks/t/effects" });
  expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(await mcp.data("get_effects", { id: "task/t" }));
});

test("the handles of a run, a plan and a task answer what their histories say", async () => {
  const { client } = rig;
  for (const [handle, id] of [
    [client.agent("r"), "agent/r"],
    [client.plan("p"), "plan/p"],
    [client.task("t"), "task/t"],
  ] as const) {
    const effects = await handle.effects();
    expect(effects.length).toBeGreaterThan(0);
    expect(effects).toEqual(projectEffects(await client.history(id)));
  }
});

test("the log tells in its place what was refused and what was not done again; pages count", async () => {
  const { stdout } = await cliHere(["log", "r"]);
  const progress = ["refused: hire, by anna", "not done again: charge"].map((line) =>
    stdout.indexOf(`effect  ${line}`),
  );
  expect(progress[0]).toBeGreaterThan(0);
  expect(progress[1]).toBeGreaterThan(progress[0] as number);
  const { client } = rig;
  for (const [{ workflow }, lines] of [
    [client.agent("r"), "### Effects\n3 effects: 2 done, 1 refused\n- [refused] hire"],
    [client.plan("p"), "### Effects\n1 effect: 1 done"],
    [client.task("t"), "### Effects\n1 effect: 1 done"],
  ] as const) {
    const page = await workflow.query<{ currentDetails?: string }>("__temporal_workflow_metadata");
    expect(page.currentDetails).toContain(lines);
  }
});

test("an exported history is read without a server", async () => {
  const file = at("history.json");
  writeFileSync(file, JSON.stringify(await rig.client.history("agent/r")));
  const away = setEnv({ TEMPORAL_ADDRESS: "127.0.0.1:1" });
  try {
    expect(await text("--from-history", file)).toMatch(/^3 effects: 2 done, 1 refused\n/);
  } finally {
    away();
  }
});

test("what was begun in a mission that is over is unknown, and nobody is asked any more", async () => {
  const file = at("ended.json");
  const { events } = (await rig.client.history("agent/r")) as { events: { eventType: string }[] };
  const asked = events.findIndex(({ eventType }) => eventType.endsWith("ACTIVITY_TASK_SCHEDULED"));
  const called = events.findIndex(({ eventType }, i) => i > asked && eventType.endsWith("ACTIVITY_TASK_SCHEDULED"));
  const ended = { eventId: `${called + 2}`, eventTime: new Date(0).toISOString() };
  const terminated = { ...ended, eventType: "EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED" };
  writeFileSync(file, JSON.stringify({ events: [...events.slice(0, called + 1), terminated] }));
  const shown = await text("--from-history", file);
  expect(shown).toMatch(/^1 effect: 1 unknown\n/);
  expect(shown).toContain("look the key up in the service that the tool uses");
});

test("a mission without effects, and an undo, which has no ledger, say so", async () => {
  expect(await text("idle")).toBe("no effects\n");
  const file = at("undo.json");
  writeFileSync(file, JSON.stringify(readRecorded("undo-running-mission-2.json")));
  expect(await text("--from-history", file)).toContain("has no ledger: only missions and the runs below them keep one");
});

test.each([
  [["effects"], "bad_usage", 2],
  [["effects", "r", "--from-history", "x.json"], "bad_usage", 2],
  [["effects", "nobody"], "not_found", 2],
  [["effects", "--from-history", "nowhere.json"], "not_found", 2],
])("navigator %j is refused: %s", async (args, error, code) => {
  const end = await cliHere([...args, "--json"]);
  expect(end).toMatchObject({ code, stdout: "" });
  expect(JSON.parse(end.stderr)).toMatchObject({ error: { code: error } });
});
