import { rmSync } from "node:fs";
import { stopServer } from "../../src/server/open-server";

export default async function stopTestServer(): Promise<void> {
  const home = process.env.NAVIGATOR_TEST_HOME;
  if (!home) return;
  await stopServer({ home });
  rmSync(home, { recursive: true, force: true });
}
