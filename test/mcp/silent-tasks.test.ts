import type { Extra } from "../../src/mcp/context/request";
import type { ServerContext } from "../../src/mcp/context/server-context";
import { TemporalTasks } from "../../src/mcp/tasks/temporal-tasks";

/** MCP tasks while no worker answers: each answer comes within seconds, from what the server knows (mcp reference, section 6). */

const never = () => new Promise<never>(() => {});
const extra = { era: "2025-11-25", client: { name: "cursor", capabilities: {} } } as unknown as Extra;

const asked: { identity?: string; reason?: string }[] = [];
const workflow = {
  workflowId: "agent/run-1",
  describe: async () => ({ status: { name: "RUNNING" }, runId: "r", startTime: new Date(0), closeTime: undefined }),
  result: never,
  client: {
    options: { namespace: "default" },
    workflowService: { requestCancelWorkflowExecution: async (request: object) => void asked.push(request) },
  },
};
const backend = {
  client: {
    project: null,
    agent: () => ({ workflow, status: never }),
    reviewed: () => ({ workflow }),
  },
  taskService: { task: never, cancel: never },
};
const tasks = new TemporalTasks({ backend: async () => backend } as unknown as ServerContext);

const timed = async <T>(work: Promise<T>): Promise<T> => {
  const began = Date.now();
  const answer = await work;
  expect(Date.now() - began).toBeLessThan(10_000);
  return answer;
};

test.each(["agent/run-1", "task/order"])("the state of %s is told without what only a worker knows", async (id) =>
  expect(await timed(tasks.get(id, extra))).toMatchObject({
    status: "working",
    statusMessage: expect.stringContaining("No worker answers"),
  }),
);

test("a run is asked to stop by the name of the client, and nobody waits for a worker", async () => {
  await timed(tasks.cancel("agent/run-1", extra));
  expect(asked).toMatchObject([{ identity: "agent:cursor", reason: "agent:cursor: by MCP" }]);
});

test("a task whose worker is silent is not said to be cancelled", async () =>
  expect(timed(tasks.cancel("task/order", extra))).rejects.toMatchObject({ code: "no_worker" }));
