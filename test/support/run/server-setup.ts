import { spawnSync } from "node:child_process";
import path from "node:path";
import { freePortPair } from "../../../prove/rig/free-port-pair";
import { loadConfig } from "../../../src/node/settings";
import { startServer } from "../../../src/server/open-server";
import { offerReplays } from "../replay/replay-starter";
import { runFolder, type TestServer, writeTestServer } from "./run-folder";

/**
 * One Temporal server for the whole run, in a folder of its own: TEMPORAL_ADDRESS is in the environment of every test that has a
 * server (run/test-environment.ts). A run on a server of the developer's choosing sets NAVIGATOR_TEST_ADDRESS.
 */
export default async function prepareTests(): Promise<void> {
  buildIfStale();
  offerReplays();
  const given = process.env.NAVIGATOR_TEST_ADDRESS;
  if (given) return writeTestServer({ env: { TEMPORAL_ADDRESS: given } });
  process.env.NAVIGATOR_TEST_SERVER = "preparing";
  // Not waited for: its program may have to be built first, and tests that need no server run meanwhile.
  void startTestServer().then(writeTestServer, (error: Error) => writeTestServer({ error: error.message }));
}

/** What is tested as a process, and the workflow bundle, must be what the sources say now. */
function buildIfStale(): void {
  const root = path.join(__dirname, "../../..");
  const { status } = spawnSync(process.execPath, [path.join(root, "scripts", "build.mjs"), "--if-stale"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error("The build failed.");
  process.env.NAVIGATOR_TEST_BUNDLE = path.join(root, "dist", "workflow-bundle.js");
}

async function startTestServer(): Promise<TestServer> {
  // The server collects its garbage a quarter as often, which saves a tenth of its time.
  process.env.GOGC ??= "400";
  const home = path.join(runFolder(), "home");
  const port = await freePortPair();
  const config = loadConfig({
    ...withoutTemporal(process.env),
    NAVIGATOR_HOME: home,
    NAVIGATOR_PORT: String(port),
  });
  const server = await startServer({ config, progress: (line) => process.stderr.write(`${line}\n`) });
  return {
    env: {
      TEMPORAL_ADDRESS: server.address,
      NAVIGATOR_TEST_UI: server.uiAddress ?? "",
      NAVIGATOR_TEST_HOME: home,
    },
  };
}

function withoutTemporal(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("TEMPORAL_")));
}
