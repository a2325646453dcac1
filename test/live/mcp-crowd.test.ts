import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { openPlace } from "../support/cli";
import { testAddress } from "../support/environment";
import { connectClient, type McpClient } from "../support/mcp/client";
import { BUILT, ended } from "../support/mcp/process";
import { newNamespace } from "../support/namespace";

/** Many orchestrators at once on one queue, through two server processes: nobody gets what another has, and nothing is left. */

const TASKS = 2_000;
const CLIENTS = 50;
const LOADED_AT_ONCE = 250;
const GRAPH = {
  nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, end: { type: "end", result: "success" } },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "end", on: "passed" },
  ],
};

test("50 clients on a queue of 2,000 tasks: none is claimed twice, none is lost", async () => {
  const namespace = await newNamespace();
  const queue = `crowd-${namespace}`;
  const env = {
    TEMPORAL_ADDRESS: testAddress(),
    TEMPORAL_NAMESPACE: namespace,
    NAVIGATOR_TASK_QUEUE: queue,
    NAVIGATOR_PROJECT: "none",
  };
  const place = await openPlace("crowd", env);
  const worker = await place.startWorker();
  const servers = await Promise.all([openServer(env, place.folder), openServer(env, place.folder)]);
  const clients: McpClient[] = [];
  try {
    for (let i = 0; i < CLIENTS; i++) {
      const { url } = servers[i % servers.length] as { url: string };
      clients.push(await connectClient(new StreamableHTTPClientTransport(new URL(url)) as never));
    }
    const [first] = clients as [McpClient];
    await first.data("load_workflow", { id: "crowd", definition: GRAPH });
    const tasks = Array.from({ length: TASKS }, (_, i) => ({
      id: `t${i}`,
      issueId: `I-${i % 100}`,
      workflowType: "crowd",
      currentStep: "work",
      priority: i % 10,
    }));
    // In calls of a size that is answered within seconds.
    for (let at = 0; at < TASKS; at += LOADED_AT_ONCE) {
      const loaded = await first.data("load_task_tree", {
        tasks: tasks.slice(at, at + LOADED_AT_ONCE),
        mode: at === 0 ? "replace" : "merge",
      });
      expect(loaded.loaded).toBe(LOADED_AT_ONCE);
    }

    const claims = new Map<string, string[]>();
    await Promise.all(clients.map((mcp, i) => workOff(mcp, `client-${i}`, claims)));
    expect(claims.size).toBe(TASKS);
    expect([...claims].filter(([, owners]) => owners.length !== 1)).toEqual([]);
    const { counts } = await first.data("get_tasks_by_status", { status: "PENDING" });
    expect(counts).toMatchObject({ PENDING: 0, IN_PROGRESS: 0, COMPLETED: TASKS });
    expect(new Set([...claims.values()].flat()).size).toBe(CLIENTS);
  } finally {
    await Promise.all(clients.map((mcp) => mcp.close()));
    await Promise.all(servers.map((server) => server.stop()));
    await worker.stop();
    place.close();
  }
});

/** Claims and advances until there is nothing more to claim; others may still be at theirs. */
async function workOff(mcp: McpClient, owner: string, claims: Map<string, string[]>): Promise<void> {
  for (let empty = 0; empty < 3; ) {
    const { claimed } = await mcp.data("claim_next_tasks", { owner, limit: 2, leaseSeconds: 600 });
    if (claimed.length === 0) {
      empty += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    } else empty = 0;
    for (const { task, token } of claimed) {
      claims.set(task.id, [...(claims.get(task.id) ?? []), owner]);
      const moved = await mcp.data("advance_task", { taskId: task.id, result: "passed", claim: token });
      expect(moved).toMatchObject({ success: true, terminal: "success" });
    }
  }
}

async function openServer(env: NodeJS.ProcessEnv, cwd: string): Promise<{ url: string; stop(): Promise<unknown> }> {
  const child = spawn(process.execPath, [...BUILT, "--http", "--port", "0", "--json"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    cwd,
  });
  const url = await new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line).url)),
  );
  const end = ended(child);
  return {
    url,
    stop: () => {
      child.kill("SIGTERM");
      return end;
    },
  };
}
