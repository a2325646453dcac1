import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../../src/client/client";
import { openPlace, type Place, program, type WorkerProcess } from "../../support/cli";
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

const callers = (): number[] => {
  const log = path.join(place.folder, "calls.log");
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map(Number) : [];
};

async function asked(worker: WorkerProcess, route: string) {
  const answer = await fetch(`${worker.health}${route}`);
  return { status: answer.status, body: (await answer.json()) as { [field: string]: unknown } };
}

const ready = (worker: WorkerProcess) =>
  until(async () => (await asked(worker, "/readyz")).status === 200, "the worker is ready");

test("a worker that gets SIGTERM in a call is not ready, ends the call, records its result and exits with 0", async () => {
  const first = await place.startWorker(["--health-port", "0"]);
  await ready(first);
  // No address that somebody asks for ends the process.
  expect((await asked(first, "//")).status).toBe(404);
  expect(await asked(first, "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
  const { identity } = (await asked(first, "/readyz")).body;
  expect(identity).toMatch(new RegExp(`^${first.pid}@`));

  const mission = await client.startAgent({ id: queue, agent: payer("irreversible"), model: "scripted" });
  await until(async () => callers().length === 1, "the call runs");
  expect((await asked(first, "/readyz")).body).toMatchObject({ status: "ready", calls: 1, task_queue: queue });

  // Another one is there: it must not make the first one look ready.
  const second = await place.startWorker(["--health-port", "0"]);
  await ready(second);
  const end = first.stop();
  const drained = await until(async () => {
    const answer = await asked(first, "/readyz");
    return answer.status === 503 && answer;
  }, "the worker is not ready any more");
  expect(drained.body).toMatchObject({ status: "not_ready", reasons: ["draining"], calls: 1 });
  expect((await asked(first, "/healthz")).status).toBe(200);

  place.write("paid", "");
  expect(await end).toBe(0);
  expect(await mission.result()).toMatchObject({ return: `receipt of ${first.pid}` });
  expect(callers()).toEqual([first.pid]);
  expect((await asked(second, "/readyz")).status).toBe(200);
  expect(await second.stop()).toBe(0);
});

test.each([
  { args: ["--drain-seconds", "soon"], code: "bad_usage", message: /--drain-seconds must be .* got "soon"/ },
  { args: ["--health-port", "70000"], code: "bad_usage", message: /--health-port must be .* got "70000"/ },
  {
    args: ["--health-port", "7410", "--health-host", "192.0.2.1"],
    code: "port_in_use",
    message: /192\.0\.2\.1:7410/,
  },
])("a worker refuses $args before it connects", async ({ args, code, message }) => {
  const refused = await place.here().refused(["worker", ...args]);
  expect(refused).toMatchObject({ code, message: expect.stringMatching(message) });
});
