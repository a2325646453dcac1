import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { stopServer } from "../../../src/server/open-server";
import { endReplays } from "../replay/replay-starter";
import { forgetTestServer, runFolder } from "./run-folder";

export default async function stopTestServer(): Promise<void> {
  await endReplays();
  const home = path.join(runFolder(), "home");
  forgetTestServer();
  if (!existsSync(home)) return;
  await stopServer({ home });
  rmSync(home, { recursive: true, force: true });
}
