import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { openPlace, type Place } from "../support/cli";
import { temporaryFolder } from "../support/environment";
import { connectClient } from "../support/mcp/client";
import { begin, ended, FROM_SOURCES, linesOf, say } from "../support/mcp/process";
import { whereOf } from "../support/where-of";

/** `navigator mcp` as a process: nothing but the protocol on stdout, and an end when its client is gone. */

const folder = temporaryFolder("mcp");
const AWAY = {
  PATH: process.env.PATH ?? "",
  HOME: folder.path,
  TEMPORAL_ADDRESS: "127.0.0.1:1",
  NAVIGATOR_HOME: folder.path,
  NAVIGATOR_LOG_LEVEL: "debug",
};
beforeAll(() => {
  mkdirSync(path.join(folder.path, "loud"));
  writeFileSync(
    path.join(folder.path, "loud", "navigator.config.cjs"),
    `console.log("loading"); process.stdout.write("still loading\\n"); console.info({ a: 1 });
     setInterval(() => console.log("working"), 20).unref(); module.exports = {};`,
  );
});
afterAll(() => folder.remove());

const start = (args: string[] = []) =>
  spawn(process.execPath, [...FROM_SOURCES, ...args], { env: AWAY, cwd: folder.path });

test("stdout contains only the protocol, whatever the project writes, without Temporal, and when a tool refuses", async () => {
  const child = start(["--config", "loud"]);
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const { answer, broken, lines } = linesOf(child);
  begin(child);
  await answer(1);
  say(child, { id: 2, method: "tools/list" });
  say(child, { id: 3, method: "tools/call", params: { name: "list_workflows", arguments: {} } });
  say(child, { id: 4, method: "tools/call", params: { name: "fly" } });
  say(child, { id: 5, method: "no/such/method" });
  child.stdin.write("this is no JSON\n");
  say(child, { id: 6, method: "ping" });
  expect((await answer(2)).result.tools.length).toBeGreaterThan(30);
  const refused = await answer(3);
  expect(refused.result.isError).toBe(true);
  expect(JSON.parse(refused.result.content[0].text)).toMatchObject({
    error: { code: "temporal_unavailable", hint: expect.stringContaining("TEMPORAL_ADDRESS") },
  });
  expect(await answer(5)).toMatchObject({ error: { code: -32601 } });
  await answer(6);
  const end = ended(child);
  child.stdin.end();
  expect(await end).toBe(0);
  expect(broken).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(6);
  expect(stderr).toContain("still loading");
  expect(stderr).toContain("working");
});

test("a client that sends requests and ends its input at once still gets the answers", async () => {
  const child = start();
  const { answer, lines } = linesOf(child);
  const end = ended(child);
  begin(child);
  say(child, { id: 2, method: "tools/call", params: { name: "list_workflows", arguments: {} } });
  child.stdin.end();
  expect(await end).toBe(0);
  expect(lines.map(({ id }) => id)).toEqual([1, 2]);
  await answer(2);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends it with code 0", async (signal) => {
  const child = start();
  const { answer } = linesOf(child);
  begin(child);
  await answer(1);
  const end = ended(child);
  child.kill(signal);
  expect(await end).toBe(0);
});

test("the SDK's client over stdio sees the tools", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: FROM_SOURCES,
    env: AWAY,
    cwd: folder.path,
    stderr: "ignore",
  });
  const mcp = await connectClient(transport);
  expect((await mcp.refused("get_task", { taskId: "t" })).error.code).toBe("temporal_unavailable");
  await mcp.close();
});

describe("invalid command lines", () => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace("mcp-refused", { TEMPORAL_ADDRESS: "127.0.0.1:1" });
  });
  afterAll(() => place.close());

  test.each([
    [["mcp", "--may", "everything"], "bad_usage --may"],
    [["mcp", "--http", "--service", "timer"], "invalid_input name"],
    [["mcp", "--http", "--host", "0.0.0.0"], "bad_config NAVIGATOR_MCP_TOKEN"],
    [["mcp", "--http", "--host", "192.168.0.1", "--port", "x"], "bad_config NAVIGATOR_MCP_TOKEN"],
    [["mcp", "--http", "--port", "x"], "bad_usage --port"],
    [["mcp", "--http", "--port", "70000"], "bad_usage --port"],
    [["mcp", "--http", "--host", "203.0.113.1", "--token", "long"], "port_in_use 203.0.113.1:3333"],
  ])("%j: %s", async (args, where) => {
    expect(whereOf(await place.here().refused(args, { code: 2 }))).toBe(where);
  });

  test("a project that is not there is named by its path", async () =>
    expect(whereOf(await place.here().refused(["mcp", "--config", "nowhere"], { code: 2 }))).toBe(
      `not_found file ${path.join(place.folder, "nowhere")}`,
    ));

  test("over HTTP with a token a client without it is refused; SIGTERM ends the server with code 0", async () => {
    const child = start(["--http", "--port", "0", "--token", "long", "--json"]);
    const url = await new Promise<string>((resolve) =>
      createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line).url)),
    );
    expect((await fetch(url, { method: "POST" })).status).toBe(401);
    const end = ended(child);
    child.kill("SIGTERM");
    expect(await end).toBe(0);
  });
});
