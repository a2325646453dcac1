import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defineTool } from "../../src/tools";
import { cliHere, program, setEnv } from "../support/cli";
import { temporaryFolder } from "../support/environment";
import { connectInMemory, type McpClient, type McpRig, openMcpRig } from "../support/mcp/client";
import { until } from "../support/until";

/** A run, a task and a plan that failed: whatever shows one of them says why, as the last thing that is read. */

const ERROR = "no_luck: It was not to be.";
const FAIL = '(fail {:reason "no_luck" :message "It was not to be."})';
const GRAPH = {
  id: "unlucky",
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Work", agent: "fails" },
    done: { type: "end", result: "success" },
    bad: { type: "end", result: "failure" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done", on: "passed" },
    { from: "work", to: "bad", on: "failed" },
  ],
};
const FILES = {
  "navigator.config.json": { agents: "./agents" },
  "agents/fails.json": { prompt: "Fail." },
  "agents/rejected.json": { prompt: "Pay.", tools: ["pay"] },
  "graph.json": GRAPH,
  "plan.json": { tasks: [{ id: "a", agent: "direct", input: FAIL }] },
};

const folder = temporaryFolder("failed");
const at = (name: string) => path.join(folder.path, name);
const CONFIG = ["--config", folder.path];
const RUN = ["run", "fails", "--id", "r", "--detach", ...CONFIG];
const PLAN = ["plan", "run", at("plan.json"), "--id", "p", "--detach", ...CONFIG];
const TASK = ["task", "start", at("graph.json"), "--id", "t", ...CONFIG];
/** It waits for a person before it fails. */
const REJECTED = ["run", "rejected", "--id", "rejected", "--detach", ...CONFIG];
const REVIEW = "agent/rejected/pay/1";

let rig: McpRig;
let mcp: McpClient;
let restore = () => {};
beforeAll(async () => {
  mkdirSync(at("agents"));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(at(name), JSON.stringify(content));
  rig = await openMcpRig({
    tools: [defineTool({ name: "pay", approval: true, signature: "(n :int) -> :int", run: ({ n }) => n as number })],
    script: { fails: [program(FAIL)], rejected: [program(`(do (tool-try (tool/pay {:n 1})) ${FAIL})`)] },
  });
  mcp = await connectInMemory(rig.parts);
  restore = setEnv({
    TEMPORAL_NAMESPACE: rig.namespace,
    NAVIGATOR_TASK_QUEUE: rig.taskQueue,
    NAVIGATOR_PROJECT: "none",
    NAVIGATOR_HOME: at("home"),
  });
  for (const args of [RUN, PLAN, TASK, REJECTED]) expect(await cliHere(args)).toMatchObject({ code: 0 });
  const { client } = rig;
  const review = () => client.reviewed("agent/rejected").reviews();
  await until(async () => (await review()).length === 1, "a person is asked");
  await client.reviewed("agent/rejected").decide({ review: REVIEW, choice: "reject", by: "anna" });
  await Promise.all([client.agent("r").result(), client.agent("rejected").result()]);
  await Promise.all([client.plan("p").result(), client.task("t").result()]);
  // One of a task tree, which an orchestrator moves.
  await mcp.data("load_workflow", { id: "unlucky", definition: GRAPH });
  await mcp.data("load_task_tree", { tasks: [{ id: "led", issueId: "I", workflowType: "unlucky" }] });
});
afterAll(async () => {
  restore();
  await mcp?.close();
  await rig?.stop();
  folder.remove();
});

const lastLine = (text: string) => text.trimEnd().split("\n").at(-1);

test("advance_task and navigator task list tell the error of a step that an orchestrator reports", async () => {
  await mcp.data("advance_task", { taskId: "led" });
  const output = { reason: "no_luck", message: "It was not to be." };
  const moved = await mcp.data("advance_task", { taskId: "led", result: "failed", output });
  expect(moved).toMatchObject({ success: true, error: expect.stringContaining(ERROR) });
  const { stdout } = await cliHere(["task", "list"]);
  expect(stdout).toMatch(/^TASK .* ERROR\nled +FAILED +.* no_luck: It was not to be\.\n/);
});

/** Where the answer is data, people find the error on stderr. */
const commands: { args: string[]; code?: number; on?: "stderr" }[] = [
  { args: RUN, on: "stderr" },
  { args: ["log", "r"] },
  { args: ["log", "r", "--full"] },
  { args: ["log", "r", "--follow"] },
  { args: ["trace", "r"] },
  { args: ["effects", "r"] },
  { args: ["effects", "t"] },
  { args: ["effects", "p"] },
  { args: ["trace", "r", "--slowest", "1"] },
  { args: ["trace", "r", "--export", at("trace.jsonl")] },
  { args: ["journal", "show", "r"] },
  { args: ["journal", "show", "r", "--json"], on: "stderr" },
  { args: ["journal", "export", "r"], on: "stderr" },
  { args: ["journal", "set", "r", "late", "1", "--by", "anna", "--json"], code: 2, on: "stderr" },
  { args: ["journal", "set", "r", "late", "1", "--by", "anna", "--signal", "--json"], code: 2, on: "stderr" },
  { args: ["review", "show", REVIEW] },
  { args: ["review", "decide", REVIEW, "approve", "--by", "ben", "--json"], code: 2, on: "stderr" },
  { args: TASK },
  { args: ["task", "show", "t"], code: 1 },
  { args: ["task", "advance", "t", "--result", "passed", "--json"], code: 2, on: "stderr" },
  { args: ["log", "t"] },
  { args: ["trace", "t"] },
  { args: ["journal", "show", "task/t"] },
  { args: PLAN, on: "stderr" },
  { args: ["plan", "show", "p"] },
  { args: ["plan", "events", "p"] },
  { args: ["plan", "events", "p", "--follow"] },
  { args: ["log", "p"] },
];
const rows = commands.map(({ args, code = 0, on }) => {
  const shown = args.map((arg) => arg.replace(`${folder.path}/`, "").replace(folder.path, "."));
  return { args, code, stream: on ?? ("stdout" as const), shown: shown.join(" ") };
});
test.each(rows)("navigator $shown: the error is in the last line of $stream", async ({ args, code, stream }) => {
  const end = await cliHere(args);
  expect(end).toMatchObject({ code });
  expect(lastLine(end[stream])).toContain(ERROR);
});

const calls: [string, object][] = [
  ["get_run", { runId: "r" }],
  ["get_mission_log", { id: "r" }],
  ["get_journal", { id: "r" }],
  ["get_effects", { id: "r" }],
  ["get_effects", { id: "task/t" }],
  ["get_task", { taskId: "t" }],
  ["get_task", { taskId: "led" }],
  ["wait_for_task", { taskId: "t" }],
  ["current", { taskId: "t" }],
  ["get_mission_log", { id: "task/t" }],
];
test.each(calls)("the last member of what %s answers to %j is the error", async (name, args) => {
  const data = await mcp.data(name, args);
  expect(Object.entries(data).at(-1)).toEqual(["error", expect.stringContaining(ERROR)]);
});
