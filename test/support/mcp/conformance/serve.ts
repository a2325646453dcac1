import { randomBytes } from "node:crypto";
import { StateSeal } from "../../../../src/mcp/context/sealed-state";
import type { ServerExtras } from "../../../../src/mcp/context/server-context";
import { serveHttp } from "../../../../src/mcp/transports/http/server";
import { LOOPBACK_HOSTS } from "../../../../src/node/http/guard";
import { createLogger } from "../../../../src/node/log";
import { registerLists } from "./lists";
import { questionTools } from "./questions";
import { fixtureTasks, taskTools } from "./tasks";
import { askingTools, callTools } from "./tools";

/**
 * Navigator's MCP server over HTTP with what the conformance suite calls besides. No command of Navigator does this: only this file
 * registers the fixtures. Its first line on stdout is the address.
 */
async function main(): Promise<void> {
  const key = randomBytes(32).toString("hex");
  const seal = new StateSeal(() => key);
  const extras: ServerExtras = {
    tools: (server) => [...callTools(), ...askingTools(server), ...questionTools(seal), ...taskTools()],
    register: registerLists,
    tasks: fixtureTasks,
  };
  const server = await serveHttp(
    {
      // The suite reads the first resource of the list. No Temporal is needed for the answer that there is none.
      backend: async () =>
        ({
          client: { temporal: { withDeadline: (_: number, work: () => unknown) => work() } },
          taskService: {
            listWorkflows: async () => [],
            nextTasks: async () => [],
            tasksByStatus: async () => ({ tasks: {} }),
          },
        }) as never,
      project: { folder: __dirname, agents: {}, definitions: null },
      model: "scripted",
      log: createLogger("silent"),
      version: "0.0.0",
      files: false,
      seal,
      extras,
    },
    { host: "127.0.0.1", port: 0, hosts: LOOPBACK_HOSTS, origins: [], token: null },
  );
  process.stdout.write(`${server.url}\n`);
  process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
}

void main();
