import type { Answer } from "../support/mcp/client";
import { dataOf, openServerProcesses, type ServerProcesses, WORK } from "../support/mcp/server-processes";

/** Sessions of many server processes, one after another, over one durable store. */

let own: ServerProcesses;
beforeAll(async () => {
  own = await openServerProcesses();
});
afterAll(() => own.close());
const call = (name: string, ...args: string[]) => own.call(name, ...args);

test("the Inspector's command line: one process loads, others query, move and confirm", async () => {
  const loaded = dataOf(await call("load_workflow", "id=work", `definition=${JSON.stringify(WORK)}`));
  expect(loaded.data).toMatchObject({ id: "work", replaced: false, stepCount: 3 });
  expect(dataOf(await call("get_execution_plan", "workflowId=work")).data.levels).toEqual([
    ["start"],
    ["work"],
    ["end"],
  ]);
  const tasks = JSON.stringify([{ id: "task-001", issueId: "I-1", workflowType: "work" }]);
  expect(dataOf(await call("load_task_tree", `tasks=${tasks}`)).data).toMatchObject({ loaded: 1 });
  expect(dataOf(await call("get_next_tasks_from_tree", "limit=5")).data).toMatchObject({ count: 1 });
  const moved = dataOf(await call("advance_task", "taskId=task-001", "expectedStep=start"));
  expect(moved.data).toMatchObject({ success: true, nextStep: "work" });
  const [{ id }] = moved._sync_reminder.pending;
  expect(dataOf(await call("get_task", "taskId=task-001"))._sync_reminder.pending).toEqual([
    { id, taskId: "task-001" },
  ]);
  expect(dataOf(await call("confirm_sync", `syncIds=["${id}"]`)).data).toEqual({
    confirmed: [id],
    notFound: [],
    remaining: 0,
  });
  expect(dataOf(await call("get_pending_syncs"))).toEqual({ data: { count: 0, pending: [] } });

  const refused = await call("advance_task", "taskId=task-002");
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.parse(refused.content[0].text).error.code).toBe("task_not_found");
  expect((await call("advance_task", "outcome=passed")).content[0].text).toContain("-32602");
});

test("the Inspector reads resources and prompts; the project's folder is loaded, except its broken file", async () => {
  const { resources } = await own.inspect(["--method", "resources/list"]);
  expect(resources.map(({ uri }: Answer) => uri)).toContain("navigator://workflows/from-file");
  const { contents } = await own.inspect(["--method", "resources/read", "--uri", "navigator://workflows"]);
  expect(JSON.parse(contents[0].text)).toContainEqual(
    expect.objectContaining({ id: "from-file", source: "project", version: 1 }),
  );
  const prompt = ["--method", "prompts/get", "--prompt-name", "resume", "--prompt-args", "taskId=task-001"];
  expect((await own.inspect(prompt)).messages[0].content.text).toContain("task-001");
});

test("the Inspector walks a task to its end with only what each answer says, each call sent twice", async () => {
  dataOf(await call("load_workflow", "id=walk", `definition=${JSON.stringify(WORK)}`));
  const request = JSON.stringify({ title: "Fix the login", description: "It fails with a plus sign" });
  const created = dataOf(await call("create_task", "workflowType=walk", "id=walked", `context=${request}`)).data;
  let told = dataOf(await call("start", `taskId=${created.task.id}`)).data;
  const taskId = `taskId=${told.request.id}`;
  for (let moves = 0; told.terminal === null && moves < 5; moves++) {
    const result = moves === 0 ? "again" : "passed";
    expect(told.instructions).toContain(`"${result}"`);
    const args = [taskId, `result=${result}`, `output=visit ${moves}`, `version=${told.version}`];
    const moved = dataOf(await call("next", ...args)).data;
    expect(dataOf(await call("next", ...args)).data).toMatchObject({
      version: moved.version,
      currentStep: moved.currentStep,
    });
    // Another process that knows nothing of the talk so far.
    told = dataOf(await call("current", taskId)).data;
    expect(told).toMatchObject({
      version: moved.version,
      request: { title: "Fix the login" },
      outputs: { work: `visit ${moves}` },
    });
  }
  expect(told).toMatchObject({ terminal: "success", currentStep: "end", version: 3 });
});

describe("a server that is killed after every call of a session of forty loses nothing and moves nothing twice", () => {
  const ROUNDS = Array.from({ length: 17 }, (_, i) => i + 1);

  test("the task is loaded and started", async () => {
    await own.killedAfter((mcp) => mcp.data("load_workflow", { id: "long", definition: WORK }));
    await own.killedAfter((mcp) =>
      mcp.data("load_task_tree", { tasks: [{ id: "long-1", issueId: "I-3", workflowType: "long" }], mode: "merge" }),
    );
    await own.killedAfter((mcp) => mcp.data("advance_task", { taskId: "long-1", expectedStep: "start" }));
  });

  test.each(ROUNDS)("round %d", async (round) => {
    const moved = await own.killedAfter((mcp) =>
      mcp.data("advance_task", { taskId: "long-1", result: "again", output: round }),
    );
    expect(moved.task.history).toHaveLength(round + 1);
    const { task } = await own.killedAfter((mcp) => mcp.data("get_task", { taskId: "long-1" }));
    expect(task.history.at(-1)).toMatchObject({ step: "work", to: "work", output: round });
  });

  test("each move was made once", async () => {
    await own.killedAfter((mcp) => mcp.data("advance_task", { taskId: "long-1", result: "passed" }));
    const { pending } = await own.killedAfter((mcp) => mcp.data("get_pending_syncs"));
    const moves = pending.filter(({ taskId }: Answer) => taskId === "long-1");
    expect(moves.map(({ output }: Answer) => output ?? null)).toEqual([null, ...ROUNDS, null]);
    expect(await own.killedAfter((mcp) => mcp.data("get_execution_plan", { workflowId: "long" }))).toMatchObject({
      levelCount: 3,
    });
  });
});
