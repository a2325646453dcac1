import { connectInMemory, type McpClient, type McpRig, openMcpRig } from "../support/mcp/client";
import { until } from "../support/until";

/** Tasks that wait for a time, as an orchestrator sees them. */
const graph = (time: string) => ({
  nodes: {
    start: { type: "start" },
    ship: { type: "task", name: "Ship" },
    pause: { type: "wait", for: time, name: "Let it settle" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "ship" },
    { from: "ship", to: "pause" },
    { from: "pause", to: "done" },
  ],
});

let rig: McpRig;
let mcp: McpClient;
beforeAll(async () => {
  rig = await openMcpRig();
  mcp = await connectInMemory(rig.parts);
});
afterAll(async () => {
  await mcp.close();
  await rig.stop();
});

test("the answer has the time of the wait, nobody is offered the task, and it continues by itself", async () => {
  /** The task behind its first step. */
  const shipped = async (id: string, time: string) => {
    await mcp.call("load_workflow", { id: `for-${time}`, definition: graph(time) });
    const task = { id, issueId: "I", workflowType: `for-${time}`, currentStep: "ship" };
    await mcp.call("load_task_tree", { tasks: [task] });
    return (await mcp.data("advance_task", { taskId: id, result: "passed" })).task;
  };
  const task = await shipped("t-1", "1h");
  expect(task).toMatchObject({ currentStep: "pause", status: "IN_PROGRESS", waitingUntil: expect.any(Number) });
  const { instructions } = await mcp.data("current", { taskId: "t-1" });
  expect(instructions).toContain(`The task waits until ${new Date(task.waitingUntil).toISOString()}`);
  expect(await mcp.data("get_task_progress", { taskId: "t-1" })).toMatchObject({ waitingUntil: task.waitingUntil });
  expect(await mcp.data("get_next_tasks_from_tree")).toMatchObject({ count: 0 });
  await until(
    async () => (await mcp.data("get_tasks_by_status", { status: "IN_PROGRESS" })).counts.IN_PROGRESS === 1,
    "lists show it at work",
  );
  await shipped("t-2", "2s");
  expect(await mcp.data("wait_for_task", { taskId: "t-2", waitSeconds: 20 })).toMatchObject({
    status: "ended",
    task: { currentStep: "done", status: "COMPLETED" },
  });
});
