import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client as NewestClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewestStdio } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { waitForEnd } from "../../src/node/processes";
import { type BackgroundRecord, backgroundsOf } from "../../src/server/background/record";
import { openPlace, type Place } from "../support/cli";
import { listenForeign } from "../support/environment";
import { type Answer, connectClient, type McpClient } from "../support/mcp/client";
import { inspect } from "../support/mcp/process";
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

test("a fresh client walks `feature` to its end; after kill -9 of all, `current` alone says what was asked, done and is next", async () => {
  const request = {
    title: "Export as CSV",
    description: "Customers want their orders in a spreadsheet. Dates as ISO.",
    repository: "acme/shop",
  };
  let mcp: Pick<McpClient, "data"> = await folder.session();
  await mcp.data("copy_workflows", { workflowIds: ["feature"] });
  await mcp.data("load_workflows", { workflowIds: ["feature"] });
  await mcp.data("create_task", { workflowType: "feature", id: "wish-1", context: request });
  await mcp.data("start", { taskId: "wish-1" });

  /** Does what `current` says, until a person is asked, or the task has ended, or it is at a step. */
  const walk = async (taskId: string, until = ""): Promise<Answer> => {
    for (;;) {
      const told = await mcp.data("current", { taskId });
      if (told.terminal !== null || told.currentStep === until) return told;
      const children = /Do the work of the tasks? (.*?);/.exec(told.instructions)?.[1]?.match(/[^", ]+/g);
      for (const child of children ?? []) {
        const end = await walk(child, until);
        if (end.currentStep === until) return end;
      }
      if (children !== undefined) continue;
      if (told.waitingFor !== undefined && told.currentStep === "acceptance") return told;
      const result = /result "(\w+)"/.exec(told.instructions)?.[1];
      const output = { did: told.currentStep, found: `what ${told.currentStep} gave` };
      await mcp.data("next", { taskId, output, version: told.version, ...(result && { result }) });
    }
  };
  await walk("wish-1", "code_check");

  await killAll(folder.only);
  for (const client of folder.clientPids) process.kill(client, "SIGKILL");
  await folder.leave();
  // The other session is one of the newer protocol.
  mcp = await folder.newestSession();
  const told = await mcp.data("current", { taskId: "wish-1" });
  expect(told).toMatchObject({ currentStep: "build", request, version: expect.any(Number) });
  expect(told.outputs).toMatchObject({
    agree: { found: "what agree gave" },
    shape_review: { found: "what shape_review gave" },
  });
  expect(told.done.map((line: string) => line.split(" ").slice(1).join(" "))).toEqual([
    "start -> agree",
    "agree -> look_around: agreed",
    "look_around -> shape: passed",
    expect.stringMatching(/^shape -> shape_review/),
    expect.stringMatching(/^shape_review -> build: passed/),
  ]);
  expect(told.instructions).toContain('Do the work of the tasks "wish-1/code"');
  // A branch knows the same: it may be all that a session works on.
  const branch = await mcp.data("current", { taskId: "wish-1/code" });
  expect(branch).toMatchObject({
    currentStep: "code_check",
    request,
    outputs: { code: { found: "what code gave" } },
    parent: { id: "wish-1", currentStep: "build", outputs: { shape: { found: "what shape gave" } } },
  });
  expect(branch.instructions).toContain(
    'call advance_task with taskId "wish-1/code", version 0 and result "passed" or "failed"',
  );

  const asked = await walk("wish-1");
  expect(asked).toMatchObject({ currentStep: "acceptance", waitingFor: { choices: expect.any(Array) } });
  const { review } = asked.waitingFor;
  await folder.place
    .here()
    .json(["review", "decide", review, "failed", "--by", "anna", "--note", "Commas in names break it."]);
  const again = await mcp.data("current", { taskId: "wish-1" });
  expect(again).toMatchObject({
    currentStep: "integrate",
    outputs: { acceptance: { by: "anna", note: "Commas in names break it." } },
  });
  const second = await walk("wish-1");
  await folder.place.here().json(["review", "decide", second.waitingFor.review, "passed", "--by", "anna"]);
  expect(await walk("wish-1")).toMatchObject({ currentStep: "live", terminal: "success" });
  // And the Inspector's command line says the same.
  const shown = await inspect({ env: folder.env, cwd: folder.place.folder }, [
    ...["--method", "tools/call", "--tool-name", "current", "--tool-arg", "taskId=wish-1"],
  ]);
  expect(shown.structuredContent.data).toMatchObject({ terminal: "success", request });
});

test.each([
  ["named", {}, 0],
  ["somebody else's on the usual port", { NAVIGATOR_CACHE: "cache-of-another-user" }, 1],
])(
  "a server that is %s gets no worker with the code of this folder, unless it is asked for",
  async (_, more, count) => {
    const session = await folder.session();
    await session.data("list_workflows");
    const { address } = folder.only;
    const where: { [name: string]: string } =
      count === 0 ? { TEMPORAL_ADDRESS: `${address}` } : { NAVIGATOR_PORT: `${address}`.split(":")[1] as string };
    const other = await Folder.open(1, {
      ...{ NAVIGATOR_PROJECT: `elsewhere-${count}` },
      ...where,
      ...(more as typeof where),
    });
    try {
      other.place.write(
        "navigator.config.cjs",
        `module.exports = { agents: [{ name: "clerk", prompt: "Work.", signature: "() -> :string" }],
         script: { clerk: ['\`\`\`clojure\\n(return "laptop")\\n\`\`\`'] } };`,
      );
      const mcp = await other.session();
      const { error } = await mcp.refused("load_workflow", { id: "work", definition: WORK });
      expect(error).toMatchObject({ code: "no_worker", hint: expect.stringContaining("--worker") });
      const started = await mcp.data("run_agent", { agent: "clerk", id: "order-7", waitSeconds: 0 });
      expect(started).toMatchObject({ status: "running", blocked: expect.stringContaining("--worker") });
      // A process that waits for sessions has none either.
      expect(other.running.map(({ worker, worker_pid }) => ({ worker, worker_pid }))).toEqual(
        Array(count).fill({ worker: null, worker_pid: null }),
      );

      const asked = await other.session("--worker");
      expect(await asked.data("run_agent", { agent: "clerk", id: "order-7", waitSeconds: 20 })).toMatchObject({
        status: "completed",
      });
      expect(other.running.map(({ worker }) => worker).sort()).toEqual([...Array(count).fill(null), "own"].sort());
    } finally {
      await other.close();
    }
  },
);

test("a call that is open when a new version takes over, or a file is saved, ends in the worker where it began", async () => {
  const at = (name: string) => path.join(folder.place.folder, name);
  const config = (comment: string) =>
    folder.place.write(
      "navigator.config.cjs",
      `// ${comment}
       const { defineTool } = require("navigator-agents");
       const { appendFileSync, existsSync } = require("node:fs");
       const charge = async () => {
         appendFileSync(__dirname + "/charges", "one\\n");
         while (!existsSync(__dirname + "/charged")) await new Promise((resolve) => setTimeout(resolve, 50));
         return "charged";
       };
       module.exports = {
         // Busy as the machine is while the processes load their code, its worker counts as alive.
         tools: [defineTool({ name: "charge", signature: "() -> :string", effect: "write", heartbeat: "10m", run: charge })],
         agents: [{ name: "payer", prompt: "Pay.", signature: "() -> :string", tools: ["charge"] }],
         script: { payer: ['\`\`\`clojure\\n(return (tool/charge {}))\\n\`\`\`'] } };`,
    );
  config("first");
  const mcp = await folder.session();
  await mcp.data("run_agent", { agent: "payer", id: "pay-1", waitSeconds: 0 });
  await until(async () => existsSync(at("charges")), "the charge has begun");
  const old = folder.only;
  config("saved");
  await until(async () => folder.only.worker_pid !== old.worker_pid, "the change is loaded");

  const [{ file, ...record }] = backgroundsOf(folder.home) as [ReturnType<typeof backgroundsOf>[number]];
  writeFileSync(file, JSON.stringify({ ...record, version: "0.0.1" }));
  const next = await folder.session();
  expect(await next.data("get_run", { runId: "pay-1" })).toMatchObject({ status: "running" });
  expect(folder.only.pid).not.toBe(old.pid);
  folder.place.write("charged", "");
  await until(async () => (await next.data("get_run", { runId: "pay-1" })).status === "completed", "it is paid");
  expect(readFileSync(at("charges"), "utf8")).toBe("one\n");
  expect(await waitForEnd(old.worker_pid as number, 20_000)).toBe(true);
});

test("two folders have a server each, on a port each", async () => {
  const other = await Folder.open(Number(folder.env.NAVIGATOR_PORT));
  try {
    const mcp = await other.session();
    expect(await mcp.data("list_workflows")).toEqual({ count: 0, workflows: [] });
    expect(other.only.address).not.toBe(folder.only.address);
    expect((await other.place.here().json(["server", "status"])).server.address).toBe(other.only.address);
  } finally {
    await other.close();
  }
});

test("a folder whose project has the name of another one in the same home is refused, and runs no code of it", async () => {
  const port = await freePortPair();
  const first = await Folder.open(port);
  const second = await Folder.open(port, { NAVIGATOR_HOME: first.home });
  try {
    for (const { place } of [first, second]) place.write("navigator.config.json", { project: "shop" });
    expect(await (await first.session()).data("list_workflows")).toMatchObject({ count: 0 });
    const { error } = await (await second.session()).refused("list_workflows");
    await until(async () => first.running.length === 1, "the process that was refused has ended");
    expect(error).toMatchObject({ code: "already_exists", message: expect.stringContaining(first.only.folder) });
    second.place.write("navigator.config.json", { project: "other-shop" });
    expect(await (await second.session()).data("list_workflows")).toMatchObject({ count: 0 });
  } finally {
    await second.leave();
    await first.close();
    second.place.close();
  }
});

test.each([
  ["the port is another program's", "port_in_use", "NAVIGATOR_PORT", {}],
  ["there is no Temporal CLI and no way to get one", "local_server_failed", "docs.temporal.io/cli", { bare: true }],
])("%s: the call says so, and the session goes on", async (_, cause, hint, { bare }: { bare?: boolean }) => {
  const port = await freePortPair();
  const foreign = bare ? null : await listenForeign(port, "HTTP/1.1 400 Bad Request\r\n\r\n");
  const away = "http://127.0.0.1:9";
  const empty = await Folder.open(
    port,
    bare ? { PATH: "/nowhere", NAVIGATOR_CACHE: "cache", NAVIGATOR_DOWNLOAD_BASE: away } : {},
  );
  try {
    const mcp = await empty.session();
    const { error } = (await mcp.refused("list_workflows")) as { error: Answer };
    expect(error).toMatchObject({ code: "temporal_unavailable", cause });
    expect(error.hint).toContain(hint);
    expect(error.hint).toContain("background");
    if (foreign === null) return;
    await foreign.close();
    expect(await mcp.data("list_workflows")).toEqual({ count: 0, workflows: [] });
  } finally {
    await foreign?.close().catch(() => {});
    await empty.close();
  }
});
