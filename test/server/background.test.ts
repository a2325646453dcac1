import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client as NewestClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewestStdio } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { waitForEnd } from "../../src/node/processes";
import { type BackgroundRecord, backgroundsOf } from "../../src/server/background/record";
import { openPlace, type Place } from "../support/cli";
import { type Answer, connectClient, type McpClient } from "../support/mcp/client";
import { deepTest } from "../support/run/deep";
import { until } from "../support/until";

/** `navigator mcp` alone: what it starts in the background, who shares it, and when it ends. */

const MAIN = path.join(__dirname, "../../dist/cli/main.js");

const WORK = {
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Work", outputs: ["passed"] },
    end: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "end", on: "passed" },
  ],
};

/** Longer than any test takes: a process that nobody needs any more ends only where this is what is tested. */
const IDLE = "1h";

/** A folder as a user has it: nothing names a server, a task queue or a home. */
class Folder {
  private readonly sessions: McpClient[] = [];
  private readonly newest: NewestClient[] = [];
  /** The processes of the sessions. */
  readonly clientPids: number[] = [];

  private constructor(
    readonly place: Place,
    readonly env: { [name: string]: string },
  ) {}

  static async open(port: number, more: { [name: string]: string } = {}): Promise<Folder> {
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      NAVIGATOR_PORT: String(port),
      NAVIGATOR_MCP_IDLE: IDLE,
      ...more,
    };
    const none = { TEMPORAL_ADDRESS: "", TEMPORAL_NAMESPACE: "", NAVIGATOR_TASK_QUEUE: "", NAVIGATOR_PROJECT: "" };
    return new Folder(await openPlace("background", { ...none, ...env }), env);
  }

  /** The official client, which starts the command in the folder. */
  async session(...options: string[]): Promise<McpClient> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "mcp", ...options],
      cwd: this.place.folder,
      env: this.env,
      stderr: "ignore",
    });
    const mcp = await connectClient(transport);
    this.sessions.push(mcp);
    this.clientPids.push(transport.pid as number);
    return mcp;
  }

  /** The official client of MCP 2026-07-28. */
  async newestSession(): Promise<Pick<McpClient, "data">> {
    const client = new NewestClient(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const command = { command: process.execPath, args: [MAIN, "mcp"], cwd: this.place.folder, env: this.env };
    await client.connect(new NewestStdio({ ...command, stderr: "ignore" }));
    this.newest.push(client);
    return {
      data: async (name, args = {}) => {
        const answer = (await client.callTool(
          { name, arguments: args as { [name: string]: unknown } },
          { timeout: 300_000 },
        )) as Answer;
        if (answer.isError) throw new Error(`${name} was refused: ${answer.content[0].text}`);
        return answer.structuredContent.data;
      },
    };
  }

  get home(): string {
    return path.join(this.place.folder, ".navigator");
  }

  get running(): BackgroundRecord[] {
    return backgroundsOf(this.home).filter(({ isLive }) => isLive);
  }

  /** The one background process. */
  get only(): BackgroundRecord {
    expect(this.running).toHaveLength(1);
    return this.running[0] as BackgroundRecord;
  }

  async leave(): Promise<void> {
    await Promise.all([...this.sessions.splice(0), ...this.newest.splice(0)].map((mcp) => mcp.close()));
    this.clientPids.splice(0);
  }

  async close(): Promise<void> {
    await this.leave();
    await this.place.here().run(["server", "stop"]);
    this.place.close();
  }
}

let folder: Folder;

beforeAll(async () => {
  folder = await Folder.open(await freePortPair());
});

afterAll(() => folder.close());

/** Of the background process, its worker and its server. */
const killAll = async ({ pid, worker_pid, server_pid }: BackgroundRecord) => {
  const all = [pid, worker_pid, server_pid] as number[];
  for (const one of all) process.kill(one, "SIGKILL");
  await Promise.all(all.map((one) => waitForEnd(one, 10_000)));
};

test("two sessions that call at the same moment in a fresh folder get one server and one worker", async () => {
  const [one, other] = await Promise.all([folder.session(), folder.session()]);
  // Both have listed the tools. A folder where nobody calls anything stays as it is.
  expect(existsSync(folder.home)).toBe(false);
  const loaded = await Promise.all([
    one.data("load_workflow", { id: "work", definition: WORK }),
    other.data("list_workflows"),
  ]);
  expect(loaded[0]).toMatchObject({ id: "work" });
  const { pid, address, server_pid, worker, worker_pid } = folder.only;
  expect({ address, worker }).toEqual({ address: `127.0.0.1:${folder.env.NAVIGATOR_PORT}`, worker: "own" });
  await one.data("create_task", { workflowType: "work", id: "t-1", context: { title: "Shared" } });
  expect((await other.data("start", { taskId: "t-1" })).request).toMatchObject({ title: "Shared" });

  // Only the user may read any of it, and a repository does not see it.
  const all = readdirSync(folder.home, { recursive: true, encoding: "utf8" });
  const open = ["", ...all].filter((file) => (statSync(path.join(folder.home, file)).mode & 0o077) !== 0);
  expect({ open, ignored: readFileSync(path.join(folder.home, ".gitignore"), "utf8") }).toEqual({
    open: [],
    ignored: "*\n",
  });

  const { server, background } = await folder.place.here().json(["server", "status"]);
  expect({ server, background }).toMatchObject({ server: { pid: server_pid }, background: [{ pid, worker_pid }] });
  const { stdout } = await folder.place.here().run(["doctor"]);
  expect(stdout).toContain(path.join(folder.home, "background"));
});

test("whatever is killed, the next call of the same session starts it again with what there was", async () => {
  const mcp = await folder.session();
  await mcp.data("load_workflow", { id: "work", definition: WORK });
  await mcp.data("create_task", { workflowType: "work", id: "t-2" });
  await mcp.data("start", { taskId: "t-2" });
  const before = folder.only;
  process.kill(before.server_pid as number, "SIGKILL");
  await waitForEnd(before.server_pid as number, 10_000);
  expect(await mcp.data("current", { taskId: "t-2" })).toMatchObject({ currentStep: "work" });
  const { pid, worker_pid, server_pid } = folder.only;
  expect({ pid, worker_pid }).toEqual({ pid: before.pid, worker_pid: before.worker_pid });
  expect(server_pid).not.toBe(before.server_pid);

  process.kill(pid, "SIGKILL");
  await waitForEnd(pid, 10_000);
  expect(await mcp.data("current", { taskId: "t-2" })).toMatchObject({ currentStep: "work" });
  expect(folder.only).toMatchObject({ server_pid, owns_server: true, worker: "own" });

  await killAll(folder.only);
  expect(await mcp.data("next", { taskId: "t-2", result: "passed", version: 1 })).toMatchObject({
    terminal: "success",
  });
});

test("a backup restarts the server of a background process, which keeps it and its worker", async () => {
  const mcp = await folder.session();
  await mcp.data("load_workflow", { id: "work", definition: WORK });
  await mcp.data("create_task", { workflowType: "work", id: "t-3" });
  const { server_pid, ...before } = folder.only;
  await folder.place.here().json(["server", "backup", "b.tgz"]);
  expect(await mcp.data("start", { taskId: "t-3" })).toMatchObject({ currentStep: "work" });
  const { pid, worker_pid } = before;
  expect(folder.only).toMatchObject({ pid, worker_pid, state: "ready", owns_server: true });
  expect(folder.only.server_pid).not.toBe(server_pid);
});

deepTest("a project with a mistake does not end the session, and a corrected or changed one is loaded", async () => {
  folder.place.write("navigator.config.cjs", "module.exports = { agents: [] ");
  const mcp = await folder.session();
  const { error } = await mcp.refused("list_workflows");
  expect(error).toMatchObject({ code: "bad_project", hint: expect.stringContaining("Correct it, and call again") });
  expect(error.message).toContain("navigator.config.cjs");

  const agent = (text: string) =>
    `module.exports = { agents: [{ name: "clerk", prompt: "${text}", signature: "() -> {said :string}" }],
       script: { clerk: ['\`\`\`clojure\\n(return {:said "${text}"})\\n\`\`\`'] } };`;
  folder.place.write("navigator.config.cjs", agent("first"));
  const run = async (id: string, one: McpClient) =>
    (await one.data("run_agent", { agent: "clerk", id, waitSeconds: 20 })).step?.return;
  // The worker has seen the change, too.
  await until(async () => (await run("r-1", mcp))?.said === "first", "the agent answers");
  const { worker_pid } = folder.only;
  folder.place.write("navigator.config.cjs", agent("second"));
  await until(async () => folder.only.worker_pid !== worker_pid, "the worker has the change");
  expect(await run("r-2", await folder.session())).toEqual({ said: "second" });
  // Other code of the folder is not the project's.
  const now = folder.only.worker_pid;
  folder.place.write("src/app.ts", "export const a = 1;");
  folder.place.write("navigator.config.cjs", "module.exports = {");
  await until(async () => folder.only.error !== undefined, "the mistake is seen");
  expect(folder.only).toMatchObject({
    state: "ready",
    worker_pid: now,
    error: { code: "bad_project", details: { path: expect.stringContaining("navigator.config.cjs") } },
  });
  expect(await run("r-3", mcp)).toEqual({ said: "second" });
  folder.place.write("navigator.config.cjs", agent("third"));
  await until(async () => folder.only.error === undefined, "it is corrected");
});

deepTest(
  "a session uses what a newer version of the package has started, and replaces what an older one has",
  async () => {
    const mcp = await folder.session();
    await mcp.data("list_workflows");
    const [{ file, pid, ...record }] = backgroundsOf(folder.home) as [ReturnType<typeof backgroundsOf>[number]];
    writeFileSync(file, JSON.stringify({ ...record, pid, version: "99.0.0" }));
    await mcp.data("list_workflows");
    expect(folder.only).toMatchObject({ pid, version: "99.0.0", state: "ready" });
    writeFileSync(file, JSON.stringify({ ...record, pid, version: "0.0.1" }));
    await mcp.data("list_workflows");
    expect(folder.only.pid).not.toBe(pid);
    expect(folder.only.version).not.toBe("0.0.1");
  },
);

deepTest("where a worker serves the project there is no second one, until it is gone", async () => {
  await folder.leave();
  await folder.place.here().run(["server", "stop"]);
  await folder.place.here().run(["server", "start"]);
  const worker = await folder.place.startWorker();
  const mcp = await folder.session();
  await mcp.data("list_workflows");
  expect(folder.only).toMatchObject({ worker: "other", worker_pid: null, owns_server: false });
  await worker.stop();
  await until(async () => folder.only.worker === "own" && folder.only.state === "ready", "it has a worker of its own");
  expect((await mcp.data("list_workflows")).count).toBeGreaterThan(0);
});

deepTest(
  "it ends with the last session, but not while a mission works; the server that it started ends with it",
  async () => {
    const quick = await Folder.open(await freePortPair(), { NAVIGATOR_MCP_IDLE: "2s" });
    quick.place.write(
      "navigator.config.cjs",
      `const { defineTool } = require("navigator-agents");
     const { existsSync, writeFileSync } = require("node:fs");
     const look = async () => {
       writeFileSync(__dirname + "/called", "");
       while (!existsSync(__dirname + "/go")) await new Promise((resolve) => setTimeout(resolve, 50));
       return "done";
     };
     module.exports = {
       tools: [defineTool({ name: "look", signature: "() -> :string", effect: "write", run: look })],
       agents: [{ name: "slow", prompt: "Look.", signature: "() -> {said :string}", tools: ["look"] }],
       script: { slow: ['\`\`\`clojure\\n(return {:said (tool/look {})})\\n\`\`\`'] } };`,
    );
    const mcp = await quick.session();
    await mcp.data("run_agent", { agent: "slow", id: "slow-1", waitSeconds: 0 });
    await until(async () => existsSync(path.join(quick.place.folder, "called")), "the tool is called");
    const { pid, server_pid, log } = quick.only;
    const before = readFileSync(log, "utf8").length;
    await quick.leave();
    const said = () => readFileSync(log, "utf8").slice(before);
    await until(async () => said().includes("A mission works"), "it has looked whether it may end");
    expect(quick.only).toMatchObject({ pid, state: "ready" });
    quick.place.write("go", "");
    expect(await waitForEnd(pid, 60_000)).toBe(true);
    expect(await waitForEnd(server_pid as number, 1_000)).toBe(true);
    // What it did is there when the next session asks.
    const next = await quick.session();
    expect(await next.data("get_run", { runId: "slow-1" })).toMatchObject({ status: "completed" });
    await quick.close();
  },
);
