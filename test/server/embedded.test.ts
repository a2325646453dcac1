import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { SEARCH_ATTRIBUTES } from "../../src/core/base/search-attributes";
import { freePortPair } from "../../src/prove/rig/free-port-pair";
import { commandLineOf } from "../../src/server/process";
import { runCli, temporaryFolder } from "../support/environment";

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
  await runCli(["server", "stop"], env);
  folder.remove();
});

const json = async (...args: string[]) => {
  const end = await runCli(["server", ...args, "--json"], env);
  return { code: end.code, value: end.stdout ? JSON.parse(end.stdout) : null, stderr: end.stderr };
};

async function withClient<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

test("it starts, survives the command, is found again, and stops", async () => {
  const started = await json("start");
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
  const { code, stderr } = await runCli(["task", "list"], env);
  expect({ code, told: stderr.includes("Other users of this machine could read") }).toEqual({ code: 0, told: true });
  expect([home, database].map((place) => statSync(place).mode & 0o777)).toEqual([0o700, 0o600]);
});

test("it has the search attributes from its first moment", async () => {
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
  process.kill(value.server.pid, "SIGKILL");
  expect(await json("start")).toMatchObject({ code: 0, value: { source: expect.not.stringMatching("listening") } });
  const description = await withClient((client) => client.workflow.getHandle("kept").describe());
  expect(description.status.name).toBe("RUNNING");
});

test("two commands at once start one server", async () => {
  const [first, second] = await Promise.all([json("start"), json("start")]);
  expect([first.code, second.code]).toEqual([0, 0]);
  expect([first.value.source, second.value.source].filter((source) => source === "listening")).toHaveLength(1);
});

test("requesting another port while it runs is refused, and it keeps running", async () => {
  await json("start");
  const end = await runCli(["server", "start", "--port", String(port + 1)], env);
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

test("a backup under load has all that was there when it began; it is restored, and a damaged one changes nothing", async () => {
  await json("start");
  const file = path.join(folder.path, "backup.tar.gz");
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
    expect(await json("backup", file)).toMatchObject({ code: 0, value: { file, server: expect.any(String) } });
    // The server goes on after it was paused.
    const during = ids.length;
    while (ids.length < during + 20) await new Promise((resolve) => setTimeout(resolve, 20));
    isOver = true;
    await Promise.all(writers);
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
    expect(await json("restore", bad)).toMatchObject({ code: 2, stderr: expect.stringContaining("bad_backup") });
  expect(readdirSync(home).filter((name) => name.includes("before") || name.startsWith("restore"))).toEqual([]);
  const { value: restored } = await json("restore", file);
  expect(existsSync(restored.kept)).toBe(true);
  await json("start");
  await withClient(async (client) => {
    for (const id of ids) expect((await client.workflow.getHandle(id).describe()).status.name).toBe("RUNNING");
  });
});
