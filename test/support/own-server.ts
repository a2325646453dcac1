import { readFileSync } from "node:fs";
import path from "node:path";
import { loadConfig } from "../../src/node/settings";
import { startServer, stopServer } from "../../src/server/open-server";
import { freePortPair } from "./environment";
import { isAlive } from "./is-alive";
import { until } from "./until";

/** A Temporal server of a test's own, which can be killed and comes back on the database that it had. */
export interface OwnServer {
  address: string;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** @param folder its database, log and pid file are kept there */
export async function openOwnServer(folder: string): Promise<OwnServer> {
  const port = String(await freePortPair());
  const config = loadConfig({ HOME: process.env.HOME, NAVIGATOR_HOME: folder, NAVIGATOR_PORT: port });
  const open = () => startServer({ config, progress: () => {} });
  const { address } = await open();
  return {
    address,
    kill: async () => {
      const { pid } = JSON.parse(readFileSync(path.join(folder, "server.json"), "utf8")) as { pid: number };
      process.kill(pid, "SIGKILL");
      await until(async () => !isAlive(pid), "the server is gone");
      await open();
    },
    stop: async () => void (await stopServer({ home: folder })),
  };
}
