import { describeShared, sharedDefinitions, sharedTasks } from "../core/graph/definition/shared-data";
import { type Answer, connectInMemory, type McpClient, type McpRig, openMcpRig } from "../support/mcp/client";
import { deepTest } from "../support/run/deep";
import { until } from "../support/until";

/** Published definitions and their tasks through the MCP server: loaded, levelled, drawn, walked to their ends. */

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

describeShared("definitions beside this repository", () => {
  test.each(sharedDefinitions)("$file is loaded, levelled and drawn", async ({ id, raw }) => {
    const { nodes } = raw as { nodes: object };
    expect(await mcp.data("load_workflow", { id, definition: raw })).toMatchObject({
      stepCount: Object.keys(nodes).length,
    });
    const { levels } = await mcp.data("get_execution_plan", { workflowId: id });
    expect(levels.flat().sort()).toEqual(Object.keys(nodes).sort());
    expect((await mcp.data("get_diagram", { workflowId: id })).diagram).toContain("flowchart TD");
  });

  deepTest("the tasks reach their ends, the next one first, each move confirmed", async () => {
    await mcp.call("load_task_tree", { tasks: sharedTasks });
    // Somebody works on these already: they are offered to nobody.
    for (const task of (await mcp.data("get_tasks_by_status")).tasks.IN_PROGRESS ?? []) await move(task);
    // A parent moves a moment after its child has ended, so the queue may be empty before all is done.
    await until(
      async () => {
        for (let task = await next(); task !== undefined; task = await next()) {
          const { _sync_reminder } = await move(task);
          const syncIds = (_sync_reminder?.pending ?? []).map(({ id }: Answer) => id);
          if (syncIds.length > 0) expect((await mcp.data("confirm_sync", { syncIds })).notFound).toEqual([]);
        }
        const { counts } = await mcp.data("get_tasks_by_status");
        return counts.PENDING + counts.IN_PROGRESS === 0;
      },
      "no task is left",
      60_000,
    );
    const { counts } = await mcp.data("get_tasks_by_status");
    expect(counts.COMPLETED + counts.FAILED + counts.HITL + counts.PAUSED).toBeGreaterThanOrEqual(sharedTasks.length);
    for (const { id } of (await mcp.data("get_pending_syncs")).pending)
      await mcp.call("confirm_sync", { syncIds: [id] });
    expect((await mcp.call("list_workflows"))._sync_reminder).toBeUndefined();
  });
});

const next = async (): Promise<Answer> => (await mcp.data("get_next_tasks_from_tree")).tasks[0];

/** By the first result that leads on. */
async function move(task: Answer): Promise<Answer> {
  const { nextSteps } = await mcp.data("get_task_progress", { taskId: task.id });
  const results = ["passed", ...nextSteps.map(({ on }: Answer) => on), undefined].filter(
    (one) => one !== "max_retries_exceeded",
  );
  let last: Answer;
  for (const result of [...new Set(results)]) {
    const args = { taskId: task.id, ...(result === undefined ? {} : { result }) };
    const answer = await mcp.client.callTool({ name: "advance_task", arguments: args });
    last = answer.structuredContent;
    if (!answer.isError && last.data.success) return last;
  }
  throw new Error(`${task.id} is stuck at ${task.currentStep}: ${JSON.stringify(last)}`);
}
