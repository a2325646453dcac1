import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { backupServer } from "../../src/server/backup";
import { hasFairQueues, knownOfQueues, minorVersion, takesFairQueues } from "../../src/server/fair-queues";
import { devServerArguments } from "../../src/server/flags";
import { restoreServer } from "../../src/server/restore";
import { runCli, temporaryFolder, testCli } from "../support/environment";
import { deepTest } from "../support/run/deep";
import { until } from "../support/until";

/** Which databases get fair queues, so that nothing that waits in a queue is lost from sight. */

let folder: ReturnType<typeof temporaryFolder>;
let database: string;
beforeEach(() => {
  folder = temporaryFolder("fair");
  database = path.join(folder.path, "temporal.db");
});
afterEach(() => folder.remove());

test.each([
  ["1.29.1", 29],
  ["1.5.1 (Server 1.29.1, UI 2.42.1)", 29],
  ["1.9.1 (Server 1.32.0-162.0, UI 2.54.1)", 32],
  ["1.31.0-150.0", 31],
  ["2.0.0", Number.POSITIVE_INFINITY],
  ["unknown", null],
])("the server of %s has the minor version %p", (text, minor) => expect(minorVersion(text)).toBe(minor));

test("a new database gets fair queues and keeps them; an old one only from a server that takes its tasks along", () => {
  expect(takesFairQueues(database, "1.28.0")).toBe(false);
  expect(takesFairQueues(database, "1.29.1")).toBe(true);
  writeFileSync(database, "");
  expect(takesFairQueues(database, "1.29.1")).toBe(true);
  const old = path.join(folder.path, "old", "temporal.db");
  mkdirSync(path.dirname(old));
  writeFileSync(old, "");
  expect(takesFairQueues(old, "1.29.1")).toBe(false);
  expect(takesFairQueues(old, "1.32.0")).toBe(true);
  expect(takesFairQueues(old, "1.29.1")).toBe(true);
});

test("doctor says what is known of them", () => {
  expect(knownOfQueues("1.28.1", null)).toMatchObject({ state: "note", hint: expect.stringContaining("1.30") });
  expect(knownOfQueues("1.31.0", null)).toMatchObject({ state: "note", found: expect.stringContaining("not known") });
  expect(knownOfQueues("1.29.1", database)).toMatchObject({ found: expect.stringContaining("priorities only") });
  takesFairQueues(database, "1.29.1");
  expect(knownOfQueues("1.29.1", database)).toMatchObject({ state: "ok" });
});

test("a backup says whether the queues of its database are fair, and a restored one is served as it says", async () => {
  const home = path.join(folder.path, "home");
  const other = path.join(folder.path, "other");
  for (const place of [home, other]) {
    mkdirSync(place);
    copyFileSync(path.join(__dirname, "../database/fixtures/whole.db"), path.join(place, "temporal.db"));
  }
  takesFairQueues(path.join(home, "temporal.db"), "1.32.0");
  const progress = () => {};
  const [fair, plain] = ["fair.tgz", "plain.tgz"].map((name) => path.join(folder.path, name)) as [string, string];
  await backupServer({ home, file: fair, progress });
  await backupServer({ home: other, file: plain, progress });
  await restoreServer({ home: other, file: fair, progress });
  await restoreServer({ home, file: plain, progress });
  expect([other, home].map((place) => hasFairQueues(path.join(place, "temporal.db")))).toEqual([true, false]);
});

deepTest("what waits in the queues of a database from before is done after an upgrade", async () => {
  const home = path.join(folder.path, "home");
  mkdirSync(home, { mode: 0o700 });
  const port = await freePortPair();
  const address = `127.0.0.1:${port}`;
  const place = { port, database: path.join(home, "temporal.db"), namespace: "default", fairQueues: false };
  const before = devServerArguments(place).map((part) => part.replace("useNewMatcher=true", "useNewMatcher=false"));
  const server = spawn(await testCli(), before, { stdio: "ignore" });
  const connection = await until(() => Connection.connect({ address }), "the server of before answers");
  await until(() => connection.workflowService.describeNamespace({ namespace: "default" }), "the namespace is there");
  await new Client({ connection }).workflow.start("waits", { workflowId: "w", taskQueue: "q" });
  await until(async () => {
    const { stats } = await connection.workflowService.describeTaskQueue({
      namespace: "default",
      taskQueue: { name: "q" },
      taskQueueType: 1,
      reportStats: true,
    });
    return Number(stats?.approximateBacklogCount ?? 0) === 1;
  }, "it waits in the queue");
  await connection.close();
  const gone = once(server, "exit");
  server.kill("SIGTERM");
  await gone;

  const env = { NAVIGATOR_HOME: home, NAVIGATOR_PORT: String(port) };
  expect((await runCli(["server", "start"], env)).code).toBe(0);
  const version = JSON.parse((await runCli(["server", "status", "--json"], env)).stdout).server.version;
  expect(existsSync(path.join(home, "fair-queues"))).toBe((minorVersion(version) ?? 0) >= 30);
  const now = await Connection.connect({ address });
  const { workflowExecution } = await now.withDeadline(Date.now() + 60_000, () =>
    now.workflowService.pollWorkflowTaskQueue({ namespace: "default", taskQueue: { name: "q" }, identity: "test" }),
  );
  expect(workflowExecution?.workflowId).toBe("w");
  await now.close();
  await runCli(["server", "stop"], env);
});
