import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../../src/client/client";
import { openPlace, type Place, program } from "../../support/cli";
import { testAddress } from "../../support/environment";
import { agent } from "../../support/rig";
import { until } from "../../support/until";

/** Worker processes as an orchestrator sees them: probes, SIGTERM in the middle of a call, exit codes. */

const queue = `drain-${randomUUID()}`;

let place: Place;
let connection: Connection;
let client: NavigatorClient;

beforeAll(async () => {
  place = await openPlace("drain", { NAVIGATOR_TASK_QUEUE: queue });
  // The call takes until the test says so, and tells which process made it.
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     const { appendFileSync, existsSync } = require("node:fs");
     const pay = async (_args, call) => {
       appendFileSync(__dirname + "/calls.log", process.pid + "\\n");
       while (!existsSync(__dirname + "/paid")) {
         call.signal.throwIfAborted();
         await new Promise((resolve) => setTimeout(resolve, 20));
       }
       return "receipt of " + process.pid;
     };
     module.exports = { script: "./script.json", tools: [defineTool({ name: "pay", effect: "irreversible", run: pay })] };`,
  );
  place.write("script.json", { payer: [program('(return (task "pay" (tool/pay {})))')] });
  connection = await Connection.connect({ address: testAddress() });
  client = new NavigatorClient(new Client({ connection, namespace: place.namespace }), queue);
});

afterAll(async () => {
  await connection.close();
  place.close();
});

/** An irreversible call is held while a second worker starts: its worker counts as alive, busy as the machine is. */
const HEARTBEAT = { write: {}, irreversible: { heartbeat_ms: 600_000 } };

const payer = (effect: "write" | "irreversible") =>
  agent({ name: "payer", tools: [{ name: "pay", effect, ...HEARTBEAT[effect] }], max_turns: 1 });

test("a call that takes longer than --drain-seconds is aborted, and the worker exits with 0 all the same", async () => {
  const isolated = `${queue}-aborted`;
  const config = readFileSync(path.join(place.folder, "navigator.config.cjs"), "utf8").replaceAll(
    "/paid",
    "/never-paid",
  );
  place.write("slow/navigator.config.cjs", config.replace('"irreversible"', '"write"'));
  place.write("slow/script.json", readFileSync(path.join(place.folder, "script.json"), "utf8"));
  const args = ["--config", path.join(place.folder, "slow"), "--task-queue", isolated];
  const worker = await place.startWorker([...args, "--drain-seconds", "0"]);
  const slow = new NavigatorClient(client.temporal, isolated);
  const mission = await slow.startAgent({ id: isolated, agent: payer("write"), model: "scripted" });
  const log = path.join(place.folder, "slow", "calls.log");
  await until(async () => existsSync(log), "the call runs");
  expect(await worker.stop()).toBe(0);
  // It may be made again: the next worker does.
  place.write("slow/never-paid", "");
  const next = await place.startWorker(args);
  expect(await mission.result()).toMatchObject({ fail: null, return: `receipt of ${next.pid}` });
  expect(await next.stop()).toBe(0);
});

test("a read within a workflow task does not outlast --drain-seconds: the next worker makes it, and the model sees no failure", async () => {
  const isolated = `${queue}-read`;
  const config = readFileSync(path.join(place.folder, "navigator.config.cjs"), "utf8").replaceAll(
    "/paid",
    "/never-paid",
  );
  place.write("read/navigator.config.cjs", config.replace('"irreversible"', '"read"'));
  place.write("read/script.json", readFileSync(path.join(place.folder, "script.json"), "utf8"));
  const args = ["--config", path.join(place.folder, "read"), "--task-queue", isolated];
  const worker = await place.startWorker([...args, "--drain-seconds", "0"]);
  const reading = new NavigatorClient(client.temporal, isolated);
  const reader = agent({ name: "payer", tools: [{ name: "pay", effect: "read" }], max_turns: 1 });
  const mission = await reading.startAgent({ id: isolated, agent: reader, model: "scripted" });
  const log = path.join(place.folder, "read", "calls.log");
  await until(async () => existsSync(log), "the call runs");
  expect(await worker.stop()).toBe(0);
  place.write("read/never-paid", "");
  const next = await place.startWorker(args);
  expect(await mission.result()).toMatchObject({ fail: null, return: `receipt of ${next.pid}` });
  expect(await next.stop()).toBe(0);
});
