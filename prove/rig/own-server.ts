import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { loadConfig } from "../../src/node/settings";
import { serverStatus, startServer, stopServer } from "../../src/server/open-server";
import { freePortPair } from "./free-port-pair";
import { whenInterrupted } from "./interrupted";

/** A Temporal server of a proof's own, which can be killed and comes back on the database that it had. */
export interface OwnServer {
  address: string;
  namespace: string;
  /** SIGKILL; resolves when it is up again. */
  kill(): Promise<void>;
  /** Ends it, and removes its database unless the folder was given. */
  stop(): Promise<void>;
}

/**
 * @param folder its database, log and pid file are kept there; default: a temporary folder
 * @throws NavigatorError when no server can be started
 */
export async function openOwnServer(folder?: string): Promise<OwnServer> {
  const home = folder ?? mkdtempSync(path.join(tmpdir(), "navigator-prove-"));
  mkdirSync(home, { recursive: true });
  const remove = () => (folder === undefined ? rmSync(home, { recursive: true, force: true }) : undefined);
  try {
    const { NAVIGATOR_CACHE, HOME, NAVIGATOR_DOWNLOAD_BASE } = process.env;
    const config = loadConfig({
      HOME,
      NAVIGATOR_CACHE,
      NAVIGATOR_DOWNLOAD_BASE,
      NAVIGATOR_HOME: home,
      NAVIGATOR_PORT: String(await freePortPair()),
    });
    const open = () => startServer({ config, progress: () => {} });
    const { address, namespace } = await open();
    const stay = whenInterrupted(() => {
      const record = serverStatus({ home });
      if (record !== null) process.kill(record.pid, "SIGKILL");
      remove();
    });
    return {
      address,
      namespace,
      kill: async () => {
        const record = serverStatus({ home });
        if (record === null)
          throw new NavigatorError("temporal_unavailable", `The server of ${home} ended unexpectedly.`);
        process.kill(record.pid, "SIGKILL");
        await gone(record.pid);
        await open();
      },
      stop: async () => {
        stay();
        await stopServer({ home });
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Until there is no such process: a zombie's threads may still use the port. It is a child of this process, which reaps it. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
