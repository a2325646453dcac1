import { isObject } from "../../src/core/base/is-object";
import type { Json, JsonObject } from "../../src/core/base/json";
import { McpProcess } from "../rig/mcp-process";

/** A graph that an orchestrator walks through the MCP server. */
const GRAPH: JsonObject = {
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
const VISITS = 4;

/** Where an orchestrator works: the environment and folder of its MCP processes. */
export interface McpPlace {
  env: NodeJS.ProcessEnv;
  folder: string;
}

/**
 * Walks a task to its end through the MCP server. With `kill_ms`, each process is killed that many milliseconds into its
 * call, and another one gets the same call again, as an orchestrator does that received no answer.
 *
 * @returns the way of the task, and how often a process was killed
 */
export async function walkTask(
  { env, folder }: McpPlace,
  taskId: string,
  kill_ms: ((call: number) => number) | null,
): Promise<{ way: Json; kills: number }> {
  let mcp = await McpProcess.open(env, folder);
  let kills = 0;
  let calls = 0;
  const call = async (name: string, args: JsonObject): Promise<JsonObject> => {
    calls += 1;
    if (kill_ms !== null) {
      await mcp.killDuring(name, args, kill_ms(calls));
      kills += 1;
      mcp = await McpProcess.open(env, folder);
    }
    return mcp.call(name, args);
  };
  try {
    await call("load_workflow", { id: "prove-crash", definition: GRAPH });
    await call("load_task_tree", { tasks: [{ id: taskId, issueId: "1", workflowType: "prove-crash" }], mode: "merge" });
    let { version = null } = await call("start", { taskId });
    for (let visit = 1; visit <= VISITS; visit++) {
      const result = visit === VISITS ? "passed" : "again";
      ({ version = null } = await call("next", { taskId, result, output: `visit ${visit}`, version }));
    }
    const { task } = await mcp.call("get_task", { taskId });
    return { way: wayOf(task as Json), kills };
  } finally {
    await mcp.kill();
  }
}

/** What must be the same: the moves with their outputs, and the status. */
function wayOf(task: Json): Json {
  if (!isObject(task)) return null;
  const history = Array.isArray(task.history) ? task.history.filter(isObject) : [];
  const moves = history.map(({ step = null, to = null, output = null }) => ({ step, to, output }));
  return { status: task.status ?? null, moves } as Json;
}
