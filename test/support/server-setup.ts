import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig } from "../../src/node/settings";
import { freePortPair } from "../../src/prove/rig/free-port-pair";
import { startServer } from "../../src/server/open-server";

/**
 * One Temporal server for the whole run, in a folder of its own: TEMPORAL_ADDRESS is in the environment of every
 * test. A run on a server of the developer's choosing sets NAVIGATOR_TEST_ADDRESS.
 */
export default async function prepareTests(): Promise<void> {
  buildIfStale();
  await startTestServer();
}

/** What is tested as a process, and the workflow bundle, must be what the sources say now. */
function buildIfStale(): void {
  const root = path.join(__dirname, "../..");
  const { status } = spawnSync(process.execPath, [path.join(root, "scripts", "build.mjs"), "--if-stale"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error("The build failed.");
  process.env.NAVIGATOR_TEST_BUNDLE = path.join(root, "dist", "workflow-bundle.js");
}

async function startTestServer(): Promise<void> {
  const given = process.env.NAVIGATOR_TEST_ADDRESS;
  if (given) {
    process.env.TEMPORAL_ADDRESS = given;
    return;
  }
  const home = mkdtempSync(path.join(tmpdir(), "navigator-test-"));
  const port = await freePortPair();
  const config = loadConfig({ ...withoutTemporal(process.env), NAVIGATOR_HOME: home, NAVIGATOR_PORT: String(port) });
  const server = await startServer({ config, progress: (line) => process.stderr.write(`${line}\n`) });
  process.env.TEMPORAL_ADDRESS = server.address;
  process.env.NAVIGATOR_TEST_UI = server.uiAddress ?? "";
  process.env.NAVIGATOR_TEST_HOME = home;
}

function withoutTemporal(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("TEMPORAL_")));
}
