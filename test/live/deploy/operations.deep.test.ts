import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { freePortPair } from "../../../prove/rig/free-port-pair";
import { NavigatorClient } from "../../../src/client/client";
import { cliHere, openPlace, type Place, setEnv, writeProject } from "../../support/cli";
import { agent } from "../../support/rig";
import { freePort } from "../../support/servers/free-port";
import { until } from "../../support/until";

/**
 * Each command of docs/operations.md, in the order of the page, on an embedded server: a project with missions that are done,
 * that failed, that wait and that are blocked, and two workers.
 */
const MAIN = path.join(__dirname, "../../../dist/cli/main.js");
const PAGE = readFileSync(path.join(__dirname, "../../../docs/operations.md"), "utf8");
const blocks = [...PAGE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code as string);

let place: Place;
let connection: Connection;
let client: NavigatorClient;
let env: { [name: string]: string };
let leave: () => void;
const workers: { [variable: string]: ChildProcess } = {};

beforeAll(async () => {
  const port = await freePortPair();
  // An address that nobody has: no test server and no namespace of its own is needed.
  place = await openPlace("operations", { TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
  place.write("bin/navigator", `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(path.join(place.folder, "bin/navigator"), 0o755);
  env = {
    PATH: `${path.join(place.folder, "bin")}:${process.env.PATH}`,
    NAVIGATOR_PORT: String(port),
    NAVIGATOR_HOME: path.join(place.folder, ".navigator"),
    NAVIGATOR_IDENTITY: path.join(place.folder, ".identity"),
    NAVIGATOR_PROJECT: "shop",
    HEALTH_PORT: String(await freePort()),
  };
  const [before, takeBack, { TEMPORAL_ADDRESS }] = [process.cwd(), setEnv(env), process.env];
  // The embedded server is found as a user's commands find it.
  delete process.env.TEMPORAL_ADDRESS;
  process.chdir(place.folder);
  leave = () => {
    process.chdir(before);
    takeBack();
    if (TEMPORAL_ADDRESS !== undefined) process.env.TEMPORAL_ADDRESS = TEMPORAL_ADDRESS;
  };
  writeProject(place);
  await here("server start");
  connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  client = new NavigatorClient(new Client({ connection }), { project: "shop" });
  await startWorker("WORKER_PID");
  await startWorker("OLD_WORKER_PID");
  await here(`run charge --context '{"order_id":42}' --id order-42 --detach`);
  await here("run fails --id failed-1 --detach");
  await here(`run asks --context '{"order_id":43}' --id order-43 --detach`);
  await client.startAgent({ id: "stuck-1", agent: agent({ name: "stuck", tools: ["gone"] }), model: "scripted" });
  await Promise.all(["order-42", "failed-1"].map((id) => client.agent(id).result()));
  await until(async () => (await client.blocked()).length === 1, "a mission is blocked");
  await until(async () => (await client.agent("order-43").status()).state === "waiting", "another one waits");
});

afterAll(async () => {
  for (const worker of Object.values(workers)) worker.kill("SIGKILL");
  await connection?.close();
  await cliHere(["server", "stop"]);
  leave?.();
  place?.close();
});

async function startWorker(variable: string): Promise<void> {
  const child = spawn("navigator", ["worker", "--json"], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  workers[variable] = child;
  await once(child.stdout as NodeJS.ReadableStream, "data");
  env[variable] = String(child.pid);
}

/** What a worker that was drained ends with. */
const endOf = async (variable: string) => {
  const child = workers[variable] as ChildProcess;
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
};

const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => (quoted ?? bare) as string);

async function here(line: string): Promise<string> {
  const { code, stdout, stderr } = await cliHere(words(line));
  expect({ line, code, ...(code === 0 ? {} : { stderr }) }).toEqual({ line, code: 0 });
  return stdout;
}

/** A block as the reader runs it: in this process where it has only commands of ours, else in a shell. */
async function run(block: string): Promise<string> {
  const lines = block.trim().split("\n");
  if (lines.every((line) => /^navigator [^&|>#$]*$/.test(line) || line.includes("CloseTime"))) {
    let all = "";
    for (const line of lines) all += await here(line.replace(/^navigator /, ""));
    return all;
  }
  const script = block.replaceAll("7410", env.HEALTH_PORT as string);
  const shell = spawn("bash", ["-ec", `exec > said 2>&1\n${script}`], { env: { ...process.env, ...env } });
  const [code] = await once(shell, "exit");
  const said = readFileSync("said", "utf8");
  expect({ block, code, ...(code === 0 ? {} : { said }) }).toEqual({ block, code: 0 });
  return said;
}

interface Step {
  /** How the block begins. */
  block: string;
  says: RegExp[];
  before?: () => Promise<unknown>;
  after?: () => Promise<unknown>;
}

const STEPS: Step[] = [
  { block: "navigator doctor\n", says: [/Server features/, /Ready\./] },
  { block: "navigator list --status blocked", says: [/stuck-1.*blocked/, /order-43.*waiting/, /failed-1.*failed/] },
  { block: "navigator log stuck-1", says: [/tool gone is on no worker/, /order-43 +parked/, /Duration/] },
  { block: "navigator list --text order-42", says: [/order-42/, /charge_card/] },
  { block: "navigator cancel stuck-1", says: [/stuck-1/] },
  { block: "navigator retry failed-1", says: [/failed-1-again-2/] },
  { block: "kill -TERM", says: [], after: async () => expect(await endOf("WORKER_PID")).toBe(0) },
  {
    block: "navigator server backup before-upgrade.tar.gz",
    says: [/Backed up [\d,]+ kB/],
    after: async () => {
      expect(await endOf("OLD_WORKER_PID")).toBe(0);
      // What waits goes on at the new version.
      await client.agent("order-43").recordDecision({ id: "payment_confirmed", value: true, by: "anna" });
      expect((await client.agent("order-43").result()).return).toEqual({ status: "shipped" });
    },
  },
  {
    block: "navigator server backup backup.tar.gz",
    says: [/Backed up/],
    after: async () => process.kill(Number(readFileSync("worker.pid", "utf8")), "SIGTERM"),
  },
  {
    block: "navigator server stop",
    says: [/Stopped/, /Restored [\d,]+ kB/, /before-/],
    after: async () => expect((await client.agent("order-43").result()).return).toEqual({ status: "shipped" }),
  },
  { block: "navigator keys rotate", says: [/shop-\d{4}/], before: () => here("keys create") },
  {
    block: "navigator people list",
    says: [/ben/, /anna/],
    before: async () => [await here("people add anna"), await here("people add ben")],
  },
  { block: "navigator list --since 24h --json", says: [/"workflow_id": "shop:agent\/order-42"/] },
  { block: "navigator doctor --worker", says: [/serves "navigator-shop"/], before: () => startWorker("LATE_PID") },
  { block: "navigator list --status running", says: [] },
  { block: "NAVIGATOR_LOG_LEVEL=debug", says: [] },
  { block: "navigator server status", says: [/runs at 127\.0\.0\.1/] },
];

test("each block of the page is here, in its order", () =>
  expect(blocks.map((block, at) => block.startsWith(STEPS[at]?.block ?? "?"))).toEqual(STEPS.map(() => true)));

test.each(STEPS.map((step, at) => ({ ...step, at })))("$block", async ({ at, says, before, after }) => {
  await before?.();
  const said = await run(blocks[at] as string);
  for (const words of says) expect(said).toMatch(words);
  await after?.();
});
