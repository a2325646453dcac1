import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ToolRetry } from "../../../src/tools";
import { Link } from "../../../src/tools/mcp/link";
import { temporaryFolder } from "../../support/environment";
import { until } from "../../support/until";
import { mcpSource, node, type Opened, open } from "./sources";

/** Servers of protocol 2026-07-28, which speak nothing older, as tools: over stdio, and over HTTP. */

const folder = temporaryFolder("mcp-newer");
const notes = path.join(folder.path, "notes");
const program = path.join(__dirname, "newer-server.mjs");
const noted = () => (existsSync(notes) ? readFileSync(notes, "utf8") : "");
afterAll(() => folder.remove());

interface Place {
  settings: { url: string } | { command: string; args: string[]; env: { [name: string]: string } };
  kill(): Promise<void>;
}

async function startHttp(): Promise<Place> {
  const child = spawn(process.execPath, [program, "http"], {
    env: { ...process.env, NOTES: notes },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
  );
  const kill = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { settings: { url: `http://127.0.0.1:${port}/mcp` }, kill };
}

const startStdio = async (): Promise<Place> => ({
  settings: { ...node(program), env: { NOTES: notes } },
  kill: async () => {},
});

describe.each([
  { way: "stdio", start: startStdio },
  { way: "HTTP", start: startHttp },
])("over $way", ({ way, start }) => {
  let place: Place;
  let own: Opened;
  let source: ReturnType<typeof mcpSource>;
  const opened = async (more: object = {}) => {
    const source = mcpSource("new", { ...place.settings, ...more });
    return { source, own: await open(source) };
  };
  beforeAll(async () => {
    place = await start();
    ({ source, own } = await opened());
  });
  afterAll(async () => {
    await source.close();
    await place.kill();
  });

  test("the protocol is 2026-07-28", async () => {
    const address = "url" in place.settings ? { ...place.settings, headers: {} } : undefined;
    const stdio = { ...node(program), env: { ...process.env } as { [name: string]: string }, cwd: __dirname };
    const link = new Link(address ?? stdio, { onClose() {}, onToolsChanged() {}, onError() {} });
    await link.open();
    expect({ protocol: link.protocol, version: link.version }).toEqual({
      protocol: "2026-07-28",
      version: "newer 1.0.0",
    });
    await link.close();
  });

  test("the idempotency key is sent", async () =>
    expect(await own.call("new_key", {}, { idempotencyKey: "agent/a/charge" })).toBe("agent/a/charge"));

  test("an argument that the tool wants in a header is there, too", async () =>
    expect(await own.call("new_region", { region: "Zürich" })).toBe(
      way === "stdio" ? "Zürich without a header" : "Zürich =?base64?WsO8cmljaA==?=",
    ));

  test("a server that asks for another round gets it; a tool that needs a person to ask is told that there is none", async () => {
    expect(await own.call("new_again")).toBe("again with seen");
    await expect(own.call("new_ask")).rejects.toThrow(
      /^it needs what missions do not give: Cannot request input 'which' \(elicitation\/create\)/,
    );
  });

  test("a call that is answered with a task ends with it; each look is a heartbeat", async () => {
    const heartbeat = jest.fn();
    expect(await own.call("new_work", { kind: "good" }, { heartbeat })).toBe("the work is done");
    expect(heartbeat.mock.calls.length).toBeGreaterThanOrEqual(3);
  });

  test.each([
    { kind: "bad", message: /^its task failed: no paper$/ },
    { kind: "refused", message: /^no ink$/ },
    { kind: "asking", message: /^it asks for input, which missions do not give$/ },
  ])(
    "a task that is $kind is an error of the tool",
    async ({ kind, message }) => await expect(own.call("new_work", { kind })).rejects.toThrow(message),
  );

  test("a task that nobody knows any more: the outcome of a write is unknown, a read is made again", async () => {
    await expect(own.call("new_work", { kind: "gone" })).rejects.toMatchObject({
      message: expect.stringMatching(/its task was lost: .*not found/),
      details: { code: "unknown_outcome" },
    });
    await expect(own.call("new_read_work", { kind: "gone" })).rejects.toBeInstanceOf(ToolRetry);
  });

  test("a task that is not over in time is cancelled; so is one whose call is cancelled", async () => {
    const short = await opened({ timeout: "5s" });
    await expect(short.own.call("new_work", { kind: "endless" })).rejects.toMatchObject({
      message: expect.stringMatching(/Request timed out: its task is not over/),
      details: { code: "unknown_outcome" },
    });
    await until(async () => /cancelled endless/.test(noted()), "the server hears of it");
    const controller = new AbortController();
    const before = noted().length;
    const call = own.call("new_work", { kind: "endless" }, { signal: controller.signal });
    call.catch(() => {});
    await until(async () => /began endless/.test(noted().slice(before)), "the task");
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await until(async () => /cancelled endless/.test(noted().slice(before)), "the server hears of that, too");
    await short.source.close();
  });

  test("a server that ends while its task works: the outcome is unknown, and the call is not made again", async () => {
    const dying = await opened(way === "stdio" ? {} : { timeout: "20s" });
    const before = noted().length;
    await expect(dying.own.call("new_work", { kind: way === "stdio" ? "dead" : "gone" })).rejects.toMatchObject({
      details: { code: "unknown_outcome" },
    });
    expect(noted().slice(before).match(/began/g)).toHaveLength(1);
    await dying.source.close();
  });

  test("when the server's list changes, the tools change", async () => {
    await own.call("new_grow");
    await until(async () => own.names.includes("new_grown"), "the new tool");
    expect(own.names).not.toContain("new_pid");
    expect(await own.call("new_grown")).toBe("I am new");
  });
});
