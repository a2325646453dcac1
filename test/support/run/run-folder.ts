import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The folder of one run of jest: its processes share it. Jest's own process makes it, and the others find it in their environment. */
export const runFolder = (): string =>
  (process.env.NAVIGATOR_TEST_RUN ??= mkdtempSync(path.join(tmpdir(), "navigator-test-")));

/** One line for each test file that has ended. */
export const costsFile = (): string => path.join(runFolder(), "costs.jsonl");

/** The Temporal server of this run, as the environment of its tests; `error`: why there is none. Undefined: it is still being prepared. */
export type TestServer =
  | { env: { TEMPORAL_ADDRESS: string; NAVIGATOR_TEST_UI?: string; NAVIGATOR_TEST_HOME?: string } }
  | { error: string };

const serverFile = () => path.join(runFolder(), "server.json");

export function writeTestServer(server: TestServer): void {
  writeFileSync(`${serverFile()}.new`, JSON.stringify(server));
  renameSync(`${serverFile()}.new`, serverFile());
}

export const forgetTestServer = (): void => rmSync(serverFile(), { force: true });

export function readTestServer(): TestServer | undefined {
  try {
    return JSON.parse(readFileSync(serverFile(), "utf8")) as TestServer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
