import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type Answer, connectClient } from "../support/mcp/client";
import { BUILT, begin, ended, inspect, linesOf, say } from "../support/mcp/process";
import { dataOf, openServerProcesses, type ServerProcesses, WORK } from "../support/mcp/server-processes";
import { deepTest } from "../support/run/deep";

/** Server processes over one durable store: nothing that matters is in any of them. */

let own: ServerProcesses;
beforeAll(async () => {
  own = await openServerProcesses();
});
afterAll(() => own.close());

const inOwn = () => ({ env: { PATH: process.env.PATH, HOME: process.env.HOME, ...own.env }, cwd: own.place.folder });

deepTest("the Inspector's command line lists the tools, and its calls have answers and errors", async () => {
  const { tools } = await own.inspect(["--method", "tools/list"]);
  expect(tools.length).toBeGreaterThan(35);
  const loaded = dataOf(await own.call("load_workflow", "id=work", `definition=${JSON.stringify(WORK)}`));
  expect(loaded.data).toMatchObject({ id: "work", replaced: false, stepCount: 3 });
  const refused = await own.call("advance_task", "taskId=task-002");
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.parse(refused.content[0].text).error.code).toBe("task_not_found");
});

deepTest("the Inspector and the SDK's client over HTTP use the same store", async () => {
  const child = spawn(process.execPath, [...BUILT, "--http", "--port", "0", "--json"], inOwn());
  const url = await new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line).url)),
  );
  const task = JSON.stringify({ id: "task-http", issueId: "I-2", workflowType: "from-file" });
  const args = ["--method", "tools/call", "--tool-name", "create_task", "--tool-arg", `task=${task}`];
  expect(dataOf(await inspect({ url }, args)).data.task).toMatchObject({ id: "task-http", status: "PENDING" });
  const mcp = await connectClient(new StreamableHTTPClientTransport(new URL(url)) as never);
  expect(await mcp.data("advance_task", { taskId: "task-http" })).toMatchObject({ nextStep: "work" });
  await mcp.close();
  const end = ended(child);
  child.kill("SIGTERM");
  expect(await end).toBe(0);
});

test("stdout of a whole session contains only the protocol", async () => {
  const child = spawn(process.execPath, BUILT, inOwn());
  const { answer, broken } = linesOf(child);
  begin(child);
  await answer(1);
  const calls = [
    ["list_workflows", {}],
    ["load_workflow", { id: "work", definition: WORK }],
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
  expect(JSON.parse((await answer(7)).result.content[0].text).error.code).toBe("task_closed");
  const end = ended(child);
  child.stdin.end();
  expect({ code: await end, broken }).toEqual({ code: 0, broken: [] });
});

test("a server that is killed after each of its calls loses nothing and moves nothing twice", async () => {
  await own.killedAfter(async (mcp) => {
    await mcp.data("load_workflow", { id: "short", definition: WORK });
    await mcp.data("load_task_tree", { tasks: [{ id: "s-1", issueId: "I", workflowType: "short" }], mode: "merge" });
  });
  await own.killedAfter((mcp) => mcp.data("advance_task", { taskId: "s-1", expectedStep: "start" }));
  await own.killedAfter((mcp) => mcp.data("advance_task", { taskId: "s-1", result: "again", output: 1 }));
  const { task, pending } = await own.killedAfter(async (mcp) => ({
    ...(await mcp.data("get_task", { taskId: "s-1" })),
    ...(await mcp.data("get_pending_syncs")),
  }));
  expect(task.history.map(({ step, to }: Answer) => [step, to])).toEqual([
    ["start", "work"],
    ["work", "work"],
  ]);
  const moves = pending.filter(({ taskId }: Answer) => taskId === "s-1");
  expect(moves.map(({ output }: Answer) => output ?? null)).toEqual([null, 1]);
});
