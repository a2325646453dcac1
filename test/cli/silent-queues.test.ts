import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defineTool } from "../../src/tools";
import { cliHere, program, setEnv } from "../support/cli";
import { temporaryFolder } from "../support/environment";
import { type McpRig, openMcpRig } from "../support/mcp/client";
import { until } from "../support/until";

/** What an operator sees where a task queue has no worker, and of several projects at once. */

const folder = temporaryFolder("silent");
const CONFIG = ["--config", folder.path];
const GRAPH = {
  id: "small",
  nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, done: { type: "end", result: "success" } },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done" },
  ],
};
const file = (name: string) => path.join(folder.path, name);
const FILES = {
  "navigator.config.json": { agents: "./agents" },
  "agents/far.json": {
    prompt: "Work.",
    tools: { remote: { signature: "(n :int) -> :int", task_queue: "nobody-here" } },
  },
  "graph.json": GRAPH,
  "plan.json": { tasks: [{ id: "a", agent: "direct", input: "1" }] },
  "tasks.json": [{ id: "silent-1", issueId: "S", workflowType: "small", priority: 9 }],
};

let rig: McpRig;
let restore = () => {};
beforeAll(async () => {
  mkdirSync(file("agents"));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(file(name), JSON.stringify(content));
  rig = await openMcpRig({
    tools: [defineTool({ name: "near", signature: "(n :int) -> :int", run: ({ n }) => n as number })],
    script: { far: [program("(return (tool/remote {:n 1}))")] },
  });
  restore = setEnv({
    TEMPORAL_NAMESPACE: rig.namespace,
    NAVIGATOR_TASK_QUEUE: rig.taskQueue,
    NAVIGATOR_PROJECT: "none",
    NAVIGATOR_HOME: file("home"),
  });
});
afterAll(async () => {
  restore();
  await rig?.stop();
  folder.remove();
});

/** Run by a project whose task queue nobody serves. */
const silently = async (args: string[]) => {
  const back = setEnv({ NAVIGATOR_TASK_QUEUE: "nobody-serves-this" });
  try {
    return await cliHere(args);
  } finally {
    back();
  }
};

test("lists go on without the tasks whose task queue has no worker, and say so", async () => {
  const started = ["task", "start", file("graph.json"), ...CONFIG];
  expect(await silently([...started, "--id", "mute", "--priority", "9"])).toMatchObject({ code: 0 });
  expect(await cliHere([...started, "--id", "heard"])).toMatchObject({ code: 0 });
  const next = ["task", "next", "--limit", "5"];
  const answer = await until(async () => {
    const { stdout } = await cliHere([...next, "--json"]);
    const { count, unconfirmed = [] } = JSON.parse(stdout);
    // A worker of a busy machine may answer too late for one list.
    return count === 1 && unconfirmed.length === 1 && JSON.parse(stdout);
  }, "both tasks are listed");
  expect(answer).toMatchObject({ count: 1, tasks: [{ id: "heard" }], unconfirmed: ["mute"] });
  const { code, stdout } = await until(async () => {
    const shown = await cliHere(next);
    return shown.stdout.includes("\nheard ") && shown;
  }, "the table has the task that a worker serves");
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^TASK .*\nheard .*\nLeft out: mute\./),
  });
  expect((await cliHere(["task", "list"])).stdout).toMatch(/\nmute +PENDING\? /);
  expect(await cliHere(["review", "list"])).toMatchObject({ code: 0, stdout: "Nothing waits for a person.\n" });
});

test("what waits for a person, and the task itself, are shown without a worker", async () => {
  const gate = {
    ...GRAPH,
    id: "gated",
    nodes: { ...GRAPH.nodes, work: { type: "gate", name: "Sign off", review: { assignees: ["group:legal"] } } },
    edges: [GRAPH.edges[0], { from: "work", to: "done", on: "passed" }],
  };
  writeFileSync(file("gated.json"), JSON.stringify(gate));
  expect(await cliHere(["task", "start", file("gated.json"), "--id", "signed", ...CONFIG])).toMatchObject({ code: 0 });
  const list = ["review", "list", "--group", "legal", "--older-than", "1s", "--kind", "gate"];
  await until(async () => (await cliHere(list)).stdout.includes("signed/work/1"), "the gate is listed");
  await rig.stopWorker();
  const { code, stdout } = await cliHere(list);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^REVIEW +KIND +TITLE +FOR +CHOICES.*\nsigned\/work\/1 +gate +Sign off +group:legal +passed /,
    ),
  });
  expect(await cliHere(["review", "list", "--text", "no such text"])).toMatchObject({
    stdout: "Nothing waits for a person.\n",
  });
  expect(await cliHere(["review", "show", "signed/work/1"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("group:legal"),
  });
  const shown = await cliHere(["task", "show", "signed"]);
  expect(shown).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/signed +gated.*signed\/work\/1.*No worker answers/s),
  });
  expect(JSON.parse((await cliHere(["task", "show", "signed", "--json"])).stdout)).toMatchObject({
    task: { id: "signed", currentStep: "work", workflowType: "gated" },
    reviews: [{ id: "signed/work/1", status: "open" }],
    no_worker: true,
  });
  expect(await cliHere(["task", "show", "no-such-task"])).toMatchObject({ code: 2 });
  await rig.startWorker();
});

test("a list that is asked for something unknown says what there is", async () => {
  const end = await cliHere(["review", "list", "--kind", "gates", "--json"]);
  expect(JSON.parse(end.stderr).error).toMatchObject({
    code: "invalid_input",
    hint: expect.stringContaining("gate,"),
  });
  const page = await cliHere(["review", "list", "--page", "x", "--json"]);
  expect(JSON.parse(page.stderr).error).toMatchObject({ code: "invalid_input", details: { path: "page" } });
});

test("a call on a task queue that nobody serves is told as blocked by the log and the client", async () => {
  expect(await cliHere(["run", "far", "--id", "far", "--detach", ...CONFIG])).toMatchObject({ code: 0 });
  const said = 'blocked: a call waits on the task queue "nobody-here", which no worker serves (agent/far)';
  await until(async () => (await cliHere(["log", "far"])).stdout.includes(said), "the log tells it");
  expect(await rig.client.blocked("agent/far")).toMatchObject([
    { workflow_id: "agent/far", help: expect.stringContaining("navigator worker --task-queue nobody-here") },
  ]);
  await rig.client.agent("far").workflow.terminate();
  await until(async () => (await rig.client.blocked("agent/far")).length === 0, "a run that has ended is not blocked");
});

test("doctor --worker says whether a worker of this machine serves the project", async () => {
  const served = await cliHere(["doctor", "--worker"]);
  expect(served).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^ok .*"${rig.taskQueue}"\n$`)) });
  const mute = await silently(["doctor", "--worker", "--json"]);
  expect(mute.code).toBe(3);
  expect(JSON.parse(mute.stdout)).toMatchObject({
    state: "missing",
    hint: expect.stringContaining("navigator worker"),
  });
});

describe("in the project all", () => {
  test.each([
    ["run", "far", "--detach", ...CONFIG],
    ["task", "start", file("graph.json"), "--id", "x", ...CONFIG],
    ["plan", "run", file("plan.json"), "--detach", ...CONFIG],
    ["task", "load", file("tasks.json")],
    ["workflow", "load", file("graph.json")],
  ])("nothing is started: navigator %s %s", async (...args) => {
    const end = await cliHere([...args, "--project", "all", "--json"]);
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(end.stderr).error).toMatchObject({
      code: "bad_project",
      hint: expect.stringContaining("--project shop"),
    });
  });

  test("task list says whose each task is, with ids that other commands take", async () => {
    const start = ["task", "start", file("graph.json"), "--id", "theirs", "--project", "bank", ...CONFIG];
    expect(await cliHere(start)).toMatchObject({ code: 0 });
    const list = () => cliHere(["task", "list", "--project", "all"]);
    await until(async () => /\nbank:task\/theirs +PENDING /.test((await list()).stdout), "it is listed");
    expect((await list()).stdout).toMatch(/\ntask\/heard +PENDING /);
    for (const id of ["bank:task/theirs", "task/heard"])
      expect(await cliHere(["task", "show", id, "--project", "all"])).toMatchObject({ code: 0 });
  });
});
