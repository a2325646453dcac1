import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";
import { loadConfig } from "../../src/config";
import { startServer } from "../../src/server";
import { freePortPair } from "./environment";

/**
 * One Temporal server for the whole run, in a folder of its own: TEMPORAL_ADDRESS is in the environment of every
 * test. A run on a server of the developer's choosing sets NAVIGATOR_TEST_ADDRESS.
 */
export default async function prepareTests(): Promise<void> {
  await Promise.all([startTestServer(), bundleOnce()]);
}

/** The workflow bundle of the sources as they are, made once for the whole run: a second for each test file otherwise. */
async function bundleOnce(): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve("../../src/workflows"),
    logger: new DefaultLogger("WARN"),
  });
  const file = path.join(mkdtempSync(path.join(tmpdir(), "navigator-bundle-")), "workflow-bundle.js");
  writeFileSync(file, code);
  process.env.NAVIGATOR_TEST_BUNDLE = file;
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
  process.env.NAVIGATOR_TEST_HOME = home;
}

function withoutTemporal(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("TEMPORAL_")));
}
