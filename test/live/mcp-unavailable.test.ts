import { readFileSync } from "node:fs";
import path from "node:path";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { loadConfig } from "../../src/node/settings";
import { encodingOfFolder } from "../../src/project/encoding";
import { lazyBackend } from "../../src/server/backend/lazy-backend";
import { startServer, stopServer } from "../../src/server/open-server";
import { temporaryFolder } from "../support/environment";
import { connectInMemory, type McpClient, WITHOUT_TEMPORAL } from "../support/mcp/client";
import { until } from "../support/until";

/** A server of Temporal's that is not there yet, goes, and comes back; and one without any worker. */

const home = temporaryFolder("mcp-unavailable");
let config: ReturnType<typeof loadConfig>;
let lazy: ReturnType<typeof lazyBackend>;
let mcp: McpClient;
beforeAll(async () => {
  const port = String(await freePortPair());
  config = loadConfig({ HOME: process.env.HOME, NAVIGATOR_HOME: home.path, NAVIGATOR_PORT: port });
  const encoding = await encodingOfFolder({});
  lazy = lazyBackend(config, { ...WITHOUT_TEMPORAL, project: { ...WITHOUT_TEMPORAL.project, name: null, encoding } });
  mcp = await connectInMemory({ ...WITHOUT_TEMPORAL, backend: lazy.backend });
});
afterAll(async () => {
  await mcp.close();
  await lazy.close();
  await stopServer(config);
  home.remove();
});

const codeOf = async (name: string, args: object) => (await mcp.refused(name, args)).error.code;
const start = () => startServer({ config, progress: () => {} });

test("a call reports that Temporal is away, works when it is back, and reports and works again after another outage", async () => {
  expect(await codeOf("get_task", { taskId: "t" })).toBe("temporal_unavailable");
  await start();
  expect(await codeOf("get_task", { taskId: "t" })).toBe("task_not_found");
  expect(await mcp.data("list_workflows")).toEqual({ count: 0, workflows: [] });

  const { pid } = JSON.parse(readFileSync(path.join(home.path, "server.json"), "utf8")) as { pid: number };
  process.kill(pid, "SIGKILL");
  expect(await codeOf("get_task", { taskId: "t" })).toBe("temporal_unavailable");

  await start();
  await until(async () => (await codeOf("get_task", { taskId: "t" })) === "task_not_found", "it is reached again");
});

test("without a worker a call returns by itself, and names what is missing", async () => {
  const definition = {
    nodes: { start: { type: "start" }, end: { type: "end", result: "success" } },
    edges: [{ from: "start", to: "end" }],
  };
  const { error } = await mcp.refused("load_workflow", { id: "a", definition });
  expect(error).toMatchObject({ code: "no_worker", hint: expect.stringContaining("navigator worker") });
});
