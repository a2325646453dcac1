import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defineTool } from "../../../src/tools";
import { cliHere, program, setEnv } from "../../support/cli";
import { temporaryFolder } from "../../support/environment";
import { newNamespace } from "../../support/namespace";
import { openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** What a person on call does to missions, plans and tasks with the command line. */

const folder = temporaryFolder("on-call");
const at = (name: string) => path.join(folder.path, name);
const FILES = {
  "navigator.config.json": { agents: "./agents" },
  "agents/pays.json": { prompt: "Pay.", tools: ["pay", "book"] },
  "agents/fails.json": { prompt: "Fail." },
};
const BOOK = defineTool({ name: "book", effect: "write", signature: "(n :int) -> :int", run: ({ n }) => n as number });
const PAY = defineTool({ name: "pay", approval: true, signature: "(n :int) -> :int", run: ({ n }) => n as number });
const BOOKS_AND_PAYS = '(do (task "booked" (tool/book {:n 7})) (return (tool/pay {:n 1})))';
const PLAN = {
  plan: { tasks: [{ id: "a", agent: "direct", input: BOOKS_AND_PAYS }] },
  options: { base_tools: [BOOK.spec, PAY.spec] },
};

let rig: Rig;
let restore = () => {};
beforeAll(async () => {
  mkdirSync(at("agents"));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(at(name), JSON.stringify(content));
  const namespace = await newNamespace();
  rig = await openRig({
    namespace,
    tools: [BOOK, PAY],
    script: {
      pays: [program(BOOKS_AND_PAYS)],
      fails: [program('(fail {:reason "no_luck" :message "It was not to be."})')],
    },
  });
  restore = setEnv({
    TEMPORAL_NAMESPACE: namespace,
    NAVIGATOR_TASK_QUEUE: rig.taskQueue,
    NAVIGATOR_PROJECT: "none",
    NAVIGATOR_HOME: at("home"),
    NAVIGATOR_IDENTITY: at("identity"),
    USER: "olga",
  });
});
afterAll(async () => {
  restore();
  await rig?.stop();
  folder.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape, and a test fails where one is not as it says
async function json(...args: string[]): Promise<any> {
  const end = await cliHere([...args, "--json"]);
  if (end.code !== 0) throw new Error(`${args.join(" ")}: ${end.stderr}`);
  return JSON.parse(end.stdout);
}
async function refused(...args: string[]): Promise<{ code: string; message: string; hint?: string }> {
  const { code, stdout, stderr } = await cliHere([...args, "--json"]);
  expect({ args, code, stdout }).toEqual({ args, code: expect.any(Number), stdout: "" });
  return JSON.parse(stderr).error;
}
const start = (agent: string, id: string) => json("run", agent, "--id", id, "--detach", "--config", folder.path);
const asks = (id: string) =>
  until(async () => (await rig.client.reviewed(id).reviews()).length === 1, `${id} asks a person`);
const listed = async (...args: string[]): Promise<string[]> =>
  (await json("list", ...args)).missions.map(({ workflow_id }: { workflow_id: string }) => workflow_id);

test("list tells what each waits for, since when and why it failed; every filter narrows it", async () => {
  await start("pays", "waits");
  await start("fails", "fails");
  await asks("agent/waits");
  await rig.client.agent("fails").result();
  await until(async () => (await listed("--status", "waiting")).length === 1, "the list has the state");
  await until(async () => (await listed("--status", "failed")).length === 1, "the list has the end");

  const { missions } = await json("list");
  expect(missions).toMatchObject([
    {
      workflow_id: "agent/waits",
      state: "waiting",
      waits_for: expect.stringContaining("pay"),
      since: expect.any(Number),
    },
    { workflow_id: "agent/fails", state: "failed", error: "no_luck: It was not to be." },
  ]);
  const { stdout } = await cliHere(["list"]);
  expect(stdout).toMatch(/^ID +KIND +STATE +STARTED \(UTC\) +SINCE +ABOUT +WAITS FOR +.*ERROR\n/);
  expect(stdout).toContain("no_luck: It was not to be.");

  expect(await listed("--agent", "fails")).toEqual(["agent/fails"]);
  expect(await listed("--text", "WAIT")).toEqual(["agent/waits"]);
  expect(await listed("--kind", "plan")).toEqual([]);
  expect(await listed("--since", "1h", "--query", 'ExecutionStatus = "Failed"')).toEqual(["agent/fails"]);
  expect(await listed("--since", "2990-01-01")).toEqual([]);
  const first = await json("list", "--limit", "1");
  expect(first.missions).toHaveLength(1);
  expect(await listed("--limit", "1", "--page", first.next)).toEqual(["agent/fails"]);
  expect(await listed("--project", "all")).toHaveLength(2);

  expect(await refused("list", "--status", "stuck")).toMatchObject({ code: "invalid_arguments" });
  expect(await refused("list", "--since", "yesterday")).toMatchObject({ code: "invalid_arguments" });
  expect(await refused("list", "--query", "Stuck ==")).toMatchObject({ code: "invalid_arguments" });
});

test("cancel ends it with everything below it, and tells what it had done and how to take that back", async () => {
  await rig.client.startPlan({ id: "stops", ...PLAN });
  await until(async () => (await rig.client.inbox({ mission: "plan/stops" })).items.length === 1, "the plan asks");
  expect(await json("cancel", "stops", "--note", "ordered twice")).toMatchObject({
    workflow_id: "plan/stops",
    by: "olga",
    end: { state: "cancelled" },
    effects: [{ tool: "book", state: "done" }],
  });
  const { code, stdout } = await cliHere(["cancel", "waits", "--by", "anna"]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^agent\/waits cancelled[\s\S]*navigator undo/),
  });
  expect(JSON.stringify(await rig.client.history("agent/waits"))).toContain("anna");
  expect(await refused("cancel", "waits")).toMatchObject({ code: "run_over" });
  expect(await refused("cancel", "nobody")).toMatchObject({ code: "not_found" });
});

test("terminate says what it means, asks first, and keeps the reason", async () => {
  await start("pays", "stuck");
  await asks("agent/stuck");
  expect(await refused("terminate", "stuck", "--reason", "stuck")).toMatchObject({
    code: "confirmation_required",
    hint: expect.stringContaining("navigator cancel agent/stuck"),
  });
  await json("terminate", "stuck", "--reason", "stuck since the deploy", "--yes");
  await until(async () => (await listed("--status", "terminated")).length === 1, "the list has the end");
  expect((await json("list", "--status", "terminated")).missions).toMatchObject([
    { workflow_id: "agent/stuck", error: "terminated: olga: stuck since the deploy" },
  ]);
});
