import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { openPlace, type Place } from "../support/cli";
import { testAddress } from "../support/environment";
import { type Answer, connectClient } from "../support/mcp/client";
import { BUILT, begin, ended, inspect, linesOf, say } from "../support/mcp/process";
import { newNamespace } from "../support/namespace";

/** Server processes over one durable store: nothing that matters is in any of them. */

const WORK = {
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Work", outputs: ["again", "passed"] },
    end: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "work", on: "again" },
    { from: "work", to: "end", on: "passed" },
  ],
};

let place: Place;
let worker: Awaited<ReturnType<Place["startWorker"]>>;
let env: { [name: string]: string };
beforeAll(async () => {
  const namespace = await newNamespace();
  const queue = `mcp-${namespace}`;
  place = await openPlace("mcp", { TEMPORAL_NAMESPACE: namespace, NAVIGATOR_TASK_QUEUE: queue });
  env = {
    TEMPORAL_ADDRESS: testAddress(),
    TEMPORAL_NAMESPACE: namespace,
    NAVIGATOR_TASK_QUEUE: queue,
    NAVIGATOR_PROJECT: "none",
  };
  place.write("workflows/from-file.json", { id: "from-file", ...WORK });
  place.write("workflows/broken.json", "{");
  place.write("navigator.config.cjs", 'module.exports = { primaryStore: "the tests" };');
  worker = await place.startWorker();
});
afterAll(async () => {
  await worker.stop();
  place.close();
});

const inProcess = () => ({ env, cwd: place.folder });
const data = ({ structuredContent, isError }: Answer) => {
  expect(isError).toBeUndefined();
  return structuredContent;
};
const call = (name: string, ...args: string[]) => {
  const given = args.flatMap((arg) => ["--tool-arg", arg]);
  return inspect(inProcess(), ["--method", "tools/call", "--tool-name", name, ...given]);
};

test("the Inspector's command line: one process loads, others query, move and confirm", async () => {
  const { tools } = await inspect(inProcess(), ["--method", "tools/list"]);
  expect(tools.length).toBeGreaterThan(35);
  const loaded = data(await call("load_workflow", "id=work", `definition=${JSON.stringify(WORK)}`));
  expect(loaded.data).toMatchObject({ id: "work", replaced: false, stepCount: 3 });
  expect(data(await call("get_execution_plan", "workflowId=work")).data.levels).toEqual([["start"], ["work"], ["end"]]);
  const tasks = JSON.stringify([{ id: "task-001", issueId: "I-1", workflowType: "work" }]);
  expect(data(await call("load_task_tree", `tasks=${tasks}`)).data).toMatchObject({ loaded: 1 });
  expect(data(await call("get_next_tasks_from_tree", "limit=5")).data).toMatchObject({ count: 1 });
  const moved = data(await call("advance_task", "taskId=task-001", "expectedStep=start"));
  expect(moved.data).toMatchObject({ success: true, nextStep: "work" });
  const [{ id }] = moved._sync_reminder.pending;
  expect(data(await call("get_task", "taskId=task-001"))._sync_reminder.pending).toEqual([{ id, taskId: "task-001" }]);
  expect(data(await call("confirm_sync", `syncIds=["${id}"]`)).data).toEqual({
    confirmed: [id],
    notFound: [],
    remaining: 0,
  });
  expect(data(await call("get_pending_syncs"))).toEqual({ data: { count: 0, pending: [] } });

  const refused = await call("advance_task", "taskId=task-002");
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.parse(refused.content[0].text).error.code).toBe("task_not_found");
  expect((await call("advance_task", "outcome=passed")).content[0].text).toContain("-32602");
});

test("the Inspector reads resources and prompts; the project's folder is loaded, except its broken file", async () => {
  const { resources } = await inspect(inProcess(), ["--method", "resources/list"]);
  expect(resources.map(({ uri }: Answer) => uri)).toContain("navigator://workflows/from-file");
  const { contents } = await inspect(inProcess(), ["--method", "resources/read", "--uri", "navigator://workflows"]);
  expect(JSON.parse(contents[0].text)).toContainEqual(
    expect.objectContaining({ id: "from-file", source: "project", version: 1 }),
  );
  const prompt = ["--method", "prompts/get", "--prompt-name", "resume", "--prompt-args", "taskId=task-001"];
  expect((await inspect(inProcess(), prompt)).messages[0].content.text).toContain("task-001");
});

test("the Inspector and the SDK's client over HTTP use the same store", async () => {
  const child = spawn(process.execPath, [...BUILT, "--http", "--port", "0", "--json"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    cwd: place.folder,
  });
  const url = await new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line).url)),
  );
  const task = JSON.stringify({ id: "task-http", issueId: "I-2", workflowType: "from-file" });
  const args = ["--method", "tools/call", "--tool-name", "create_task", "--tool-arg", `task=${task}`];
  expect(data(await inspect({ url }, args)).data.task).toMatchObject({ id: "task-http", status: "PENDING" });
  const mcp = await connectClient(new StreamableHTTPClientTransport(new URL(url)) as never);
  expect(await mcp.data("advance_task", { taskId: "task-http" })).toMatchObject({ nextStep: "work" });
  await mcp.close();
  const end = ended(child);
  child.kill("SIGTERM");
  expect(await end).toBe(0);
});

test("stdout of a whole session contains only the protocol", async () => {
  const child = spawn(process.execPath, BUILT, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    cwd: place.folder,
  });
  const { answer, broken } = linesOf(child);
  begin(child);
  await answer(1);
  const calls = [
    ["list_workflows", {}],
    ["create_task", { task: { id: "task-raw", issueId: "I", workflowType: "work" } }],
    ["advance_task", { taskId: "task-raw" }],
    ["advance_task", { taskId: "task-raw", result: "passed" }],
    ["advance_task", { taskId: "task-raw", result: "passed" }],
    ["get_mission_log", { id: "task/task-raw" }],
    ["list_catalog", {}],
  ];
  for (const [index, [name, args]] of calls.entries()) {
    say(child, { id: index + 2, method: "tools/call", params: { name, arguments: args } });
    await answer(index + 2);
  }
  expect(JSON.parse((await answer(6)).result.content[0].text).error.code).toBe("task_closed");
  const end = ended(child);
  child.stdin.end();
  expect({ code: await end, broken }).toEqual({ code: 0, broken: [] });
});

test("a server that is killed after every call of a session of forty loses nothing and moves nothing twice", async () => {
  const session = async <T>(use: (mcp: Awaited<ReturnType<typeof connectClient>>) => Promise<T>): Promise<T> => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: BUILT,
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
      cwd: place.folder,
      stderr: "ignore",
    });
    const mcp = await connectClient(transport);
    const answer = await use(mcp);
    process.kill(transport.pid as number, "SIGKILL");
    await mcp.close();
    return answer;
  };
  await session((mcp) => mcp.data("load_workflow", { id: "long", definition: WORK }));
  await session((mcp) =>
    mcp.data("load_task_tree", { tasks: [{ id: "long-1", issueId: "I-3", workflowType: "long" }], mode: "merge" }),
  );
  await session((mcp) => mcp.data("advance_task", { taskId: "long-1", expectedStep: "start" }));
  for (let round = 1; round <= 17; round++) {
    const moved = await session((mcp) =>
      mcp.data("advance_task", { taskId: "long-1", result: "again", output: round }),
    );
    expect(moved.task.history).toHaveLength(round + 1);
    const { task } = await session((mcp) => mcp.data("get_task", { taskId: "long-1" }));
    expect(task.history.at(-1)).toMatchObject({ step: "work", to: "work", output: round });
  }
  await session((mcp) => mcp.data("advance_task", { taskId: "long-1", result: "passed" }));
  const { pending } = await session((mcp) => mcp.data("get_pending_syncs"));
  const own = pending.filter(({ taskId }: Answer) => taskId === "long-1");
  expect(own.map(({ output }: Answer) => output ?? null)).toEqual([
    null,
    ...Array.from({ length: 17 }, (_, i) => i + 1),
    null,
  ]);
  expect(await session((mcp) => mcp.data("get_execution_plan", { workflowId: "long" }))).toMatchObject({
    levelCount: 3,
  });
});

test("the Inspector walks a task to its end with only what each answer says, each call sent twice", async () => {
  data(await call("load_workflow", "id=walk", `definition=${JSON.stringify(WORK)}`));
  const request = JSON.stringify({ title: "Fix the login", description: "It fails with a plus sign" });
  const created = data(await call("create_task", "workflowType=walk", "id=walked", `context=${request}`)).data;
  let told = data(await call("start", `taskId=${created.task.id}`)).data;
  const taskId = `taskId=${told.request.id}`;
  for (let moves = 0; told.terminal === null && moves < 5; moves++) {
    const result = moves === 0 ? "again" : "passed";
    expect(told.instructions).toContain(`"${result}"`);
    const args = [taskId, `result=${result}`, `output=visit ${moves}`, `version=${told.version}`];
    const moved = data(await call("next", ...args)).data;
    expect(data(await call("next", ...args)).data).toMatchObject({
      version: moved.version,
      currentStep: moved.currentStep,
    });
    // Another process that knows nothing of the talk so far.
    told = data(await call("current", taskId)).data;
    expect(told).toMatchObject({
      version: moved.version,
      request: { title: "Fix the login" },
      outputs: { work: `visit ${moves}` },
    });
  }
  expect(told).toMatchObject({ terminal: "success", currentStep: "end", version: 3 });
});
