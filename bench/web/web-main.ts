import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { TaskService } from "../../src/client/tasks/task-service";
import { NO_PEOPLE } from "../../src/core/review/people/people-file";
import { createLogger } from "../../src/node/log";
import { FileStreamStore } from "../../src/node/streams/file-store";
import type { Project } from "../../src/project/load";
import { ToolRegistry } from "../../src/tools";
import { serveWeb } from "../../src/web/server";
import type { FromWeb, ToWeb, WebSetup } from "./web-process";

const UNLIMITED = { perSecond: 100_000, burst: 100_000 };

/** A web server of Mission Control in a process of its own, so that it can be weighed. */
async function main({ address, taskQueue, folder, token }: WebSetup): Promise<void> {
  const say = (message: FromWeb) => process.send?.(message);
  const connection = await Connection.connect({ address });
  const client = new NavigatorClient(new Client({ connection }), taskQueue);
  const taskService = new TaskService(client, { agents: {}, model: "scripted" });
  const streams = new FileStreamStore(`${folder}/streams`);
  const project: Partial<Project> = {
    folder,
    agents: {},
    definitions: null,
    name: client.project,
    tools: new ToolRegistry([]),
  };
  const server = await serveWeb(
    {
      backend: async () => ({ client, taskService }),
      project: project as Project,
      model: "scripted",
      streams,
      people: () => NO_PEOPLE,
      signerOf: () => ({ nobody: "The benchmark decides nothing." }) as never,
      log: createLogger("warn"),
      version: "bench",
      temporalUi: null,
      pageFolder: null,
    },
    {
      host: "127.0.0.1",
      port: 0,
      hosts: ["127.0.0.1"],
      origins: [],
      token: null,
      anonymous: false,
      findToken: () => null,
      home: folder,
      localToken: token,
      rateLimit: UNLIMITED,
      strangerLimit: UNLIMITED,
      isSecure: false,
    },
  );
  process.on("message", (asked: ToWeb) => {
    if (asked.ask === "memory") void weigh().then((rss) => say({ event: "memory", rss }));
  });
  // Whoever started us is gone: nobody would end us.
  process.once("disconnect", () => process.exit(0));
  say({ event: "ready", url: server.url });
}

/** More than once: what one collection finds dead lets others go, and pages return to the system a little later. */
async function weigh(): Promise<number> {
  for (let times = 0; times < 3; times++) {
    globalThis.gc?.();
    await sleep(500);
  }
  return process.memoryUsage.rss();
}

process.on("SIGINT", () => {});
main(JSON.parse(process.argv[2] as string) as WebSetup).catch((error: unknown) => {
  process.stderr.write(`web: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
