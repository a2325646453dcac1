import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ToolRetry } from "../../../src/tools";
import { effectOf } from "../../../src/tools/mcp/mcp-tool";
import { temporaryFolder } from "../../support/environment";
import { isAlive } from "../../support/is-alive";
import { until } from "../../support/until";
import { mcpSource, node, type Opened, open, SERVERS, variable } from "./sources";

/** What a server can do to its worker, and the other way round. */

const folder = temporaryFolder("mcp");
const notes = path.join(folder.path, "notes");
const fixture = (more: object = {}, env: NodeJS.ProcessEnv = process.env) =>
  mcpSource("own", { ...node(SERVERS.fixture), env: { NOTES: notes }, ...more }, env);
afterAll(() => folder.remove());

describe("a working server", () => {
  const source = fixture();
  let own: Opened;
  beforeAll(async () => {
    own = await open(source);
  });
  afterAll(() => source.close());

  test("all pages of its list are read; names get writable characters; a tool without a schema is left out", () =>
    expect(own.names.sort()).toEqual(
      ["key", "crash", "crash_read", "wait", "grow", "echo", "fails", "pid"].map((name) => `own_${name}`).sort(),
    ));

  test("the idempotency key is sent", async () =>
    expect(await own.call("own_key", {}, { idempotencyKey: "agent/a/charge" })).toBe("agent/a/charge"));

  test("arguments get their own names back; text is parsed where a result is declared", async () =>
    expect(await own.call("own_echo", { some_text: "x", filter: { max_size: 2 } })).toEqual({
      got: { "some-text": "x", $filter: { "max-size": 2 } },
    }));

  test("a tool that fails is an error with its message", async () =>
    await expect(own.call("own_fails")).rejects.toThrow(/^no such order$/));

  test("a cancelled call is cancelled on the server too", async () => {
    const controller = new AbortController();
    const call = own.call("own_wait", { ms: 60_000 }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(call).rejects.toThrow("enough");
    await until(async () => readFileSync(notes, "utf8").includes("cancelled"), "the server hears of it");
  });

  test("when the server's list changes, the tools change", async () => {
    await own.call("own_grow");
    await until(async () => own.names.includes("own_grown"), "the new tool");
    expect(own.names).not.toContain("own_pid");
    expect(await own.call("own_grown")).toBe("I am new");
  });
});

describe("a server that dies", () => {
  const source = fixture({ timeout: "5s" });
  let own: Opened;
  beforeEach(async () => {
    own = await open(source);
  });
  afterEach(() => source.close());

  test("while it writes: the outcome is unknown, with its last output; the next call restarts it", async () => {
    await expect(own.call("own_crash")).rejects.toMatchObject({
      message: expect.stringMatching(
        /^the outcome is unknown: .*exit code 7; .*the disk is full\. The effect may have happened\.$/s,
      ),
      details: { code: "unknown_outcome" },
    });
    const pid = Number(await own.call("own_pid"));
    expect(isAlive(pid)).toBe(true);
  });

  test("while it reads: the call may be made again", async () =>
    await expect(own.call("own_crash_read")).rejects.toBeInstanceOf(ToolRetry));

  test("between two calls: the second uses a new one", async () => {
    const pid = Number(await own.call("own_pid"));
    process.kill(pid, "SIGKILL");
    await until(async () => !isAlive(pid), "its end");
    expect(Number(await own.call("own_pid"))).not.toBe(pid);
  });

  test("repeatedly: each start waits longer, and a call does not wait for it", async () => {
    const waits: number[] = [];
    // On a busy machine the wait may be over before the call: it is then longer after the next crash.
    await until(async () => {
      await own.call("own_crash").catch(() => {});
      const error = await own.call("own_pid").catch((thrown: unknown) => thrown);
      if (error instanceof ToolRetry) waits.push(error.after_ms ?? 0);
      return waits.some((ms) => ms > 1_000);
    }, "a wait of more than a second, which the call reports instead of waiting");
  });
});

describe("a call beyond its time limit", () => {
  test.each([
    { effect: "write", message: /^the outcome is unknown: Request timed out/, code: "unknown_outcome" },
    { effect: "read", message: /^the server gave no answer in time/, code: "timeout" },
  ])("is an error; its effect is $effect", async ({ effect, message, code }) => {
    const source = fixture({ timeout: "300ms", effects: { wait: effect }, tools: ["wait"] });
    const own = await open(source);
    await expect(own.call("own_wait", { ms: 5_000 })).rejects.toMatchObject({
      message: expect.stringMatching(message),
      details: { code },
    });
    await source.close();
  });
});

describe("a server of an older protocol", () => {
  test("that ends at a question before its handshake is started again, and is not asked a second time", async () => {
    const started = () => readFileSync(notes, "utf8").match(/^started/gm)?.length ?? 0;
    const before = started();
    const source = fixture({ env: { NOTES: notes, MODE: "strict" } });
    const own = await open(source);
    const pid = Number(await own.call("own_pid"));
    expect(started() - before).toBe(2);
    process.kill(pid, "SIGKILL");
    await until(async () => !isAlive(pid), "its end");
    expect(Number(await own.call("own_pid"))).not.toBe(pid);
    expect(started() - before).toBe(3);
    await source.close();
  });
});

describe("an unavailable server", () => {
  test("one that ends at once is reported with its last output, without its secret", async () => {
    const env = { API_TOKEN: variable("THE_TOKEN"), MODE: "broken" };
    const source = fixture({ env }, { ...process.env, THE_TOKEN: "tok-12345678" });
    await expect(source.open()).rejects.toMatchObject({
      code: "tool_source_failed",
      exitCode: 1,
      message: expect.stringMatching(
        /^The MCP server "own" \(.*node.*\) cannot be started: Connection closed; it ended with exit code 3; its last output:\nstarting with \[secret THE_TOKEN\]\nno database here$/,
      ),
    });
  });

  test.each<{ it: string; settings: object; message: RegExp; code?: string }>([
    { it: "no such program", settings: { command: "/no/such/server" }, message: /"own".*cannot be started: .*ENOENT/ },
    {
      it: "a URL where nobody is",
      settings: { url: "http://127.0.0.1:9/mcp" },
      message: /"own" \(http:\/\/127.0.0.1:9\) cannot be reached: .*(ECONNREFUSED|bad port)/,
    },
    {
      it: "a URL that is none",
      settings: { url: "ftp://a/b" },
      message: /^mcp.own.url: must be an http or https URL$/,
      code: "bad_project",
    },
    {
      it: "a variable that is not set",
      settings: { command: "x", env: { KEY: variable("NO_SUCH_KEY") } },
      message: /^mcp.own.env.KEY: the environment variable NO_SUCH_KEY is not set$/,
      code: "bad_project",
    },
    {
      it: "an allow list with a name that it has not",
      settings: { ...node(SERVERS.fixture), tools: ["key", "kay"] },
      message: /^mcp.own.tools: there is no "kay"; there are key, crash, /,
      code: "bad_project",
    },
    {
      it: "an allow list with a tool that cannot be used",
      settings: { ...node(SERVERS.fixture), tools: ["bad schema"] },
      message: /^mcp.own.tools: "bad schema" cannot be used: \$ref "#\/\$defs\/Nothing" leads nowhere$/,
      code: "bad_project",
    },
    {
      it: "an effect of a tool that it has not",
      settings: { ...node(SERVERS.fixture), effects: { kay: "read" } },
      message: /^mcp.own.effects: there is no "kay"/,
      code: "bad_project",
    },
    {
      it: "an identity that its tool has not",
      settings: { ...node(SERVERS.fixture), effects: { crash: { identity: ["door"] } } },
      message: /^mcp.own.effects.crash: identity names door, which the signature does not have; it has code\.$/,
      code: "bad_project",
    },
  ])("$it", async ({ settings, message, code = "tool_source_failed" }) => {
    const source = mcpSource("own", settings);
    await expect(source.open()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await source.close();
  });
});

describe("the end of a server", () => {
  const pidOf = async () => Number(/started (\d+)\n$/.exec(readFileSync(notes, "utf8"))?.[1]);

  test("one that ends on request, and a stubborn one", async () => {
    for (const MODE of ["", "stubborn"]) {
      const source = fixture({ env: { NOTES: notes, MODE } });
      await source.open();
      const pid = await pidOf();
      await source.close();
      expect(isAlive(pid)).toBe(false);
    }
  });

  test("a killed worker leaves none behind", async () => {
    const worker = spawn(process.execPath, [path.join(__dirname, "open-main.cjs"), SERVERS.fixture, notes], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => worker.stdout.once("data", resolve));
    const pid = await pidOf();
    expect(isAlive(pid)).toBe(true);
    worker.kill("SIGKILL");
    await until(async () => !isAlive(pid), "the server's end");
    expect(existsSync(notes)).toBe(true);
  });
});

test.each([
  [{ readOnlyHint: true, destructiveHint: true }, "read"],
  [undefined, "write"],
  [{}, "write"],
  [{ readOnlyHint: false }, "write"],
  [{ destructiveHint: false }, "write"],
  [{ idempotentHint: true, destructiveHint: true }, "write"],
  [{ idempotentHint: false }, "irreversible"],
  [{ destructiveHint: true }, "irreversible"],
  [{ destructiveHint: false, idempotentHint: false }, "irreversible"],
])("a server's hints on a tool, %j, make it %s", (annotations, effect) =>
  expect(effectOf(annotations === undefined ? {} : { annotations })).toBe(effect),
);
