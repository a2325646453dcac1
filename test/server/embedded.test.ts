import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { SEARCH_ATTRIBUTES } from "../../src/core/base/search-attributes";
import { commandLineOf } from "../../src/node/processes";
import { loadConfig } from "../../src/node/settings";
import { tar } from "../../src/server/backup-archive";
import { openServer } from "../../src/server/open-server";
import { cliAlone } from "../support/cli";
import { type CliEnd, runCli, temporaryFolder, testAddress, testCli } from "../support/environment";
import { deepTest, isDeep } from "../support/run/deep";
import { until } from "../support/until";

/** The embedded server with the real CLI, as the commands start and stop it. */

let folder: ReturnType<typeof temporaryFolder>;
let env: NodeJS.ProcessEnv;
let port: number;

beforeEach(async () => {
  folder = temporaryFolder("embedded");
  port = await freePortPair();
  env = { NAVIGATOR_HOME: path.join(folder.path, "home"), NAVIGATOR_PORT: String(port) };
});
afterEach(async () => {
  await cliAlone(["server", "stop"], env);
  folder.remove();
});

const answered = ({ code, stdout, stderr }: CliEnd) => ({ code, value: stdout ? JSON.parse(stdout) : null, stderr });
const json = async (...args: string[]) => answered(await cliAlone(["server", ...args, "--json"], env));
/** The same as a process of its own. */
const inProcess = async (...args: string[]) => answered(await runCli(["server", ...args, "--json"], env));

async function withClient<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

test("it starts, survives the command, is found again, and stops", async () => {
  const started = await inProcess("start");
  expect(started).toMatchObject({
    code: 0,
    value: { address: `127.0.0.1:${port}`, uiAddress: `http://127.0.0.1:${port + 1000}`, namespace: "default" },
  });
  expect((await fetch(started.value.uiAddress)).status).toBe(200);
  // Only the user may read what missions said and did.
  const home = env.NAVIGATOR_HOME as string;
  const open = ["", ...readdirSync(home)].filter((file) => (statSync(path.join(home, file)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  const { value: status } = await json("status");
  expect(status).toMatchObject({
    running: true,
    server: { address: `127.0.0.1:${port}`, startedAt: expect.any(String) },
  });
  expect(await json("start")).toMatchObject({ code: 0, value: { source: "listening" } });
  const doctor = await cliAlone(["doctor", "--json"], env);
  expect(JSON.parse(doctor.stdout).checks).toContainEqual({
    ...{ name: "Fair queues", state: "ok", found: "priorities, and a turn for each project" },
  });
  const stopped = await json("stop");
  expect(stopped).toMatchObject({ code: 0, value: { stopped: { pid: status.server.pid } } });
  expect(commandLineOf(status.server.pid)).toBeNull();
  expect(await json("status")).toMatchObject({ code: 3, value: { running: false, server: null } });
  expect(await json("stop")).toMatchObject({ code: 0, value: { stopped: null } });
});

test("a command that finds it running narrows a home that was open to others, and says so", async () => {
  await json("start");
  const home = env.NAVIGATOR_HOME as string;
  const database = path.join(home, "temporal.db");
  chmodSync(home, 0o755);
  chmodSync(database, 0o644);
  const { code, stderr } = await cliAlone(["task", "list"], env);
  expect({ code, told: stderr.includes("Other users of this machine could read") }).toEqual({ code: 0, told: true });
  expect([home, database].map((place) => statSync(place).mode & 0o777)).toEqual([0o700, 0o600]);
});

deepTest("it has the search attributes from its first moment", async () => {
  await json("start");
  const { customAttributes } = await withClient((client) =>
    client.connection.operatorService.listSearchAttributes({ namespace: "default" }),
  );
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));
});

test("a workflow still exists after the server was killed and restarted", async () => {
  await json("start");
  await withClient((client) => client.workflow.start("waits", { workflowId: "kept", taskQueue: "nobody" }));
  const { value } = await json("status");
  // Not waited for: the command finds a process that is just being taken apart.
  process.kill(value.server.pid, "SIGKILL");
  expect(await json("start")).toMatchObject({
    code: 0,
    value: { source: expect.not.stringMatching("listening") },
    stderr: expect.stringContaining("Temporal is ready"),
  });
  const description = await withClient((client) => client.workflow.getHandle("kept").describe());
  expect(description.status.name).toBe("RUNNING");
});

deepTest("two commands at once start one server", async () => {
  const [first, second] = await Promise.all([inProcess("start"), inProcess("start")]);
  expect([first.code, second.code]).toEqual([0, 0]);
  expect([first.value.source, second.value.source].filter((source) => source === "listening")).toHaveLength(1);
});

deepTest("requesting another port while it runs is refused, and it keeps running", async () => {
  await json("start");
  const end = await cliAlone(["server", "start", "--port", String(port + 1)], env);
  expect(end).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`runs at 127.0.0.1:${port}, not on port ${port + 1}`),
  });
  expect(await json("status")).toMatchObject({ code: 0 });
});

test("a pid file with another process's id stops nothing", async () => {
  await json("start");
  const file = path.join(folder.path, "home", "server.json");
  const record = readFileSync(file, "utf8");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(record), pid: process.pid }));
  expect(await json("stop")).toMatchObject({ code: 0, value: { stopped: null } });
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, record); // for the clean-up
});

/** A `temporal` on PATH that starts no server while a file `slow` is in its folder: a backup stays in the middle, with the server away. */
async function slowCli() {
  const bin = path.join(folder.path, "bin");
  const [slow, begun, version] = ["slow", "begun", "version"].map((name) => path.join(bin, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(bin);
  const script = [
    "#!/bin/sh",
    `[ "$1" = --version ] && [ -e ${version} ] && exec cat ${version}`,
    `[ "$1" = server ] && while [ -e ${slow} ]; do touch ${begun}; sleep 0.05; done`,
    `exec ${await testCli()} "$@"`,
  ];
  writeFileSync(path.join(bin, "temporal"), `${script.join("\n")}\n`, { mode: 0o755 });
  env.PATH = `${bin}:${process.env.PATH}`;
  const isBegun = () => until(async () => existsSync(begun), "the server is stopped, and about to be started again");
  return { slow, version, isBegun };
}

/** A command as a process of its own group, as in a terminal. */
function startCommand(...args: string[]) {
  const main = path.join(__dirname, "../../src/cli/main.ts");
  const hook = path.join(__dirname, "../../scripts/register-ts.cjs");
  const child = spawn(process.execPath, ["-r", hook, main, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    cwd: folder.path,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return { pid: child.pid as number, ended: once(child, "exit") };
}

/** What backups that were killed leave. */
const leftovers = () =>
  [folder.path, env.NAVIGATOR_HOME as string].flatMap((place) =>
    readdirSync(place).filter((name) => name.startsWith(".navigator-backup-")),
  );

test("a backup under load has all that was there when it began; it is restored, and a damaged one changes nothing", async () => {
  await json("start");
  const file = path.join(folder.path, "backup-18:05.tar.gz");
  const ids: string[] = [];
  let isOver = false;
  await withClient(async (client) => {
    const write = async (writer: number) => {
      for (let n = 0; !isOver; n++) {
        const { workflowId } = await client.workflow.start("waits", {
          taskQueue: "nobody",
          workflowId: `w${writer}-${n}`,
        });
        ids.push(workflowId);
      }
    };
    const writers = [0, 1, 2, 3].map(write);
    while (ids.length < 40) await new Promise((resolve) => setTimeout(resolve, 20));
    const before = [...ids];
    const home = env.NAVIGATOR_HOME as string;
    const { pid } = (await json("status")).value.server;
    expect(await json("backup", file)).toMatchObject({
      code: 0,
      value: { file, home, server: expect.any(String), away_ms: expect.any(Number) },
    });
    const { server } = (await json("status")).value;
    expect({ ...server, isSame: server.pid === pid }).toMatchObject({ address: `127.0.0.1:${port}`, isSame: false });
    isOver = true;
    // Their calls waited while the server was away.
    await Promise.all(writers);
    expect((await Promise.all(ids.map((id) => client.workflow.getHandle(id).describe()))).length).toBe(ids.length);
    ids.splice(0, ids.length, ...before);
  });
  expect(await json("backup", file)).toMatchObject({ code: 2, stderr: expect.stringContaining("is there already") });
  expect(await json("restore", file)).toMatchObject({ code: 3, stderr: expect.stringContaining("server stop") });
  await json("stop");
  const home = env.NAVIGATOR_HOME as string;
  const whole = readFileSync(file);
  const [cut, changed] = [path.join(folder.path, "cut"), path.join(folder.path, "no-archive")];
  writeFileSync(cut, whole.subarray(0, whole.length / 2));
  writeFileSync(changed, "hello");
  for (const bad of [cut, changed, path.join(folder.path, "absent")])
    expect(await json("restore", bad)).toMatchObject({ code: 2, stderr: expect.stringContaining("invalid_input") });
  expect(readdirSync(home).filter((name) => name.includes("before") || name.startsWith("restore"))).toEqual([]);
  // By a name that tar would take for a file on another machine.
  const here = { ...env, PWD: folder.path };
  const { stdout } = await cliAlone(["server", "restore", path.basename(file), "--json"], here);
  const restored = JSON.parse(stdout);
  expect(restored).toMatchObject({ home, file: path.basename(file) });
  expect(existsSync(restored.kept)).toBe(true);
  await json("start");
  await withClient(async (client) => {
    for (const id of ids) expect((await client.workflow.getHandle(id).describe()).status.name).toBe("RUNNING");
  });
});

const SIGNALS = isDeep ? (["SIGINT", "SIGTERM", "SIGHUP"] as const) : (["SIGTERM"] as const);

test.each(SIGNALS)("%s while a backup is packed ends it; nothing is left", async (signal) => {
  await json("start");
  const bin = path.join(folder.path, "bin");
  mkdirSync(bin);
  // It shows that the backup is in its middle, and never ends.
  writeFileSync(path.join(bin, "tar"), `#!/bin/sh\ntouch ${bin}/begun\nexec sleep 1000\n`, { mode: 0o755 });
  env.PATH = `${bin}:${process.env.PATH}`;
  const { pid, ended } = startCommand("server", "backup", "b.tgz");
  await until(async () => existsSync(path.join(bin, "begun")), "the backup is in its middle");
  expect(leftovers()).toHaveLength(2);
  // As in a terminal, and under a service manager, all processes of the command get the signal.
  process.kill(-pid, signal);
  expect(await ended).toEqual([null, signal]);
  expect([leftovers(), existsSync(path.join(folder.path, "b.tgz"))]).toEqual([[], false]);
  await withClient((client) => client.workflow.start("waits", { workflowId: "later", taskQueue: "nobody" }));
});

test.each(SIGNALS)("%s while the server is away starts it again before the backup ends", async (signal) => {
  const { slow, isBegun } = await slowCli();
  await json("start");
  await withClient((client) => client.workflow.start("waits", { workflowId: "kept", taskQueue: "nobody" }));
  writeFileSync(slow, "");
  const { pid, ended } = startCommand("server", "backup", "b.tgz");
  await isBegun();
  process.kill(-pid, signal);
  // A command of this moment waits for the server, although it starts none.
  const list = cliAlone(["task", "list"], env);
  await new Promise((resolve) => setTimeout(resolve, 300));
  rmSync(slow);
  expect(await ended).toEqual([null, signal]);
  expect(await list).toMatchObject({ code: 0, stderr: expect.stringContaining("copying") });
  expect([leftovers(), existsSync(path.join(folder.path, "b.tgz"))]).toEqual([[], false]);
  await withClient((client) => client.workflow.getHandle("kept").describe());
});

test.each([
  ["and with it the server that it was starting", true],
  ["and the server that it was starting is there", false],
])("a backup is killed while the server is away, %s: the next command has the server", async (_, both) => {
  const { slow, isBegun } = await slowCli();
  await json("start");
  await withClient((client) => client.workflow.start("waits", { workflowId: "kept", taskQueue: "nobody" }));
  writeFileSync(slow, "");
  const { pid, ended } = startCommand("server", "backup", "b.tgz");
  await isBegun();
  process.kill(pid, "SIGKILL");
  await ended;
  const { pid: starting } = JSON.parse(readFileSync(path.join(env.NAVIGATOR_HOME as string, "server.json"), "utf8"));
  if (both) process.kill(starting, "SIGKILL");
  rmSync(slow);
  // It starts no server that nobody has started before.
  expect(await cliAlone(["task", "list"], env)).toMatchObject({ code: 0 });
  await withClient((client) => client.workflow.getHandle("kept").describe());
  expect(await json("status")).toMatchObject({ code: 0, value: { server: { address: `127.0.0.1:${port}` } } });
  expect([leftovers().length, existsSync(path.join(folder.path, "b.tgz"))]).toEqual([2, false]);
  expect(await json("backup", path.join(folder.path, "b.tgz"))).toMatchObject({ code: 0 });
  expect(leftovers()).toEqual([]);
});

test("a server that could not be started again as it runs is not stopped for a backup", async () => {
  const { version } = await slowCli();
  await json("start");
  const { pid } = (await json("status")).value.server;
  writeFileSync(version, "temporal version 9.9.9 (Server 1.99.0, UI 2.0.0)\n");
  expect(await json("backup", path.join(folder.path, "b.tgz"))).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/was not stopped.*it is 9\.9\.9 .*navigator server stop/),
  });
  expect((await json("status")).value.server.pid).toBe(pid);
});

test("a backup of a server that Navigator did not start is refused, with what to do", async () => {
  const home = env.NAVIGATOR_HOME as string;
  mkdirSync(home);
  writeFileSync(path.join(home, "temporal.db"), "SQLite format 3\0");
  const foreign = { NAVIGATOR_CACHE: path.join(folder.path, "cache"), NAVIGATOR_PORT: testAddress().split(":")[1] };
  for (const other of [foreign, { TEMPORAL_ADDRESS: "temporal.example:7233" }])
    expect(await cliAlone(["server", "backup", "b.tgz"], { ...env, ...other, PWD: folder.path })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Navigator did not start the Temporal server at .*[\s\S]*pg_dump/),
    });
  expect(readdirSync(folder.path)).toEqual(["home"]);
});

test("a stopped server is backed up, too, unless its file is no database", async () => {
  const home = env.NAVIGATOR_HOME as string;
  expect(await json("backup", path.join(folder.path, "b.tgz"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no database"),
  });
  mkdirSync(home);
  writeFileSync(path.join(home, "temporal.db"), "hello");
  const file = path.join(folder.path, "b.tgz");
  expect(await json("backup", file)).toMatchObject({ code: 3, stderr: expect.stringContaining("no SQLite database") });
  expect(existsSync(file)).toBe(false);
  writeFileSync(path.join(home, "temporal.db"), "SQLite format 3\0 and more");
  expect(await json("backup", file)).toMatchObject({ code: 0, value: { server: null, away_ms: null, bytes: 25 } });
});

test("a signal that ends tar before this process hears of it is no failure of tar", async () => {
  const bin = path.join(folder.path, "bin");
  mkdirSync(bin);
  writeFileSync(path.join(bin, "tar"), "#!/bin/sh\nkill -HUP $$\n", { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = `${bin}:${PATH}`;
  const stopping = new AbortController();
  const packed = tar(["-czf", "b.tgz"], stopping.signal);
  process.env.PATH = PATH;
  setTimeout(() => stopping.abort(), 300);
  await expect(packed).rejects.toMatchObject({ name: "AbortError" });
});

deepTest("restore in a folder of no project is refused; --config names the project from anywhere", async () => {
  await json("start");
  const file = path.join(folder.path, "b.tgz");
  await json("backup", file);
  const [project, empty] = ["project", "empty"].map((name) => path.join(folder.path, name)) as [string, string];
  for (const made of [project, empty]) mkdirSync(made);
  writeFileSync(path.join(project, "navigator.config.json"), "{}");
  const none = { NAVIGATOR_PORT: String(port), PWD: empty };
  expect(await cliAlone(["server", "restore", file], none)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${empty} has no navigator.config file, and no data of a server.`),
  });
  expect(readdirSync(empty)).toEqual([]);
  expect(await cliAlone(["server", "restore", file, "--config", project], none)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`into ${path.join(project, ".navigator")}, as it was at`),
  });
  expect(await cliAlone(["server", "backup", "again.tgz", "--config", project], none)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`of ${path.join(project, ".navigator")} to again.tgz`),
  });
});

test("a restore that was cut off is finished before the server starts; an empty lock stops nobody", async () => {
  await json("start");
  await withClient((client) => client.workflow.start("waits", { workflowId: "kept", taskQueue: "nobody" }));
  const file = path.join(folder.path, "b.tgz");
  await json("backup", file);
  await json("stop");
  await json("restore", file);
  const home = env.NAVIGATOR_HOME as string;
  // As it is after the old database was moved away.
  const work = path.join(home, "restore-abc");
  mkdirSync(work);
  for (const name of readdirSync(home).filter((one) => /^temporal\.db(-wal)?$/.test(one)))
    renameSync(path.join(home, name), path.join(work, name));
  const swap = { work: "restore-abc", kept: "temporal.db.before-x" };
  writeFileSync(path.join(home, "restore.json"), JSON.stringify(swap));
  const lock = path.join(home, "server.lock");
  writeFileSync(lock, "");
  utimesSync(lock, new Date(), new Date(Date.now() - 60_000));
  expect(await json("start")).toMatchObject({ code: 0, stderr: expect.stringContaining("is finished") });
  expect(readdirSync(home)).not.toContain("restore.json");
  await withClient(async (client) => {
    expect((await client.workflow.getHandle("kept").describe()).status.name).toBe("RUNNING");
  });
});

test("the end of the command that started it leaves it to another that uses it, and the last one stops it", async () => {
  const config = loadConfig({ ...process.env, ...env, TEMPORAL_ADDRESS: undefined });
  const lines: string[] = [];
  const open = () => openServer(config, { start: true, progress: (line) => lines.push(line) });
  const [first, second] = [await open(), await open()];
  expect([first.startedByUs, second.startedByUs]).toEqual([true, false]);
  // Another process on this home, as a second `navigator dev` is.
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  const leases = path.join(config.cache, "servers", `${port}.users`);
  mkdirSync(leases, { recursive: true });
  const lease = path.join(leases, `${other.pid}@${encodeURIComponent(hostname())}`);
  await until(async () => commandLineOf(other.pid as number)?.includes("setInterval"), "the process has begun");
  writeFileSync(lease, commandLineOf(other.pid as number) as string);
  await first.stop();
  expect(lines.at(-1)).toContain(`process ${other.pid} uses it`);
  await withClient((client) => client.workflow.start("waits", { workflowId: "kept", taskQueue: "nobody" }));
  other.kill();
  await once(other, "exit");
  await second.stop();
  expect((await json("status")).value.server ?? null).toBeNull();
});
