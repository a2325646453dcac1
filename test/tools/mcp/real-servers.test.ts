import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../support/environment";
import { mcpSource, node, type Opened, open, SERVERS, variable } from "./sources";

/** Two public servers from npm, as they are. */

describe("@modelcontextprotocol/server-filesystem over stdio", () => {
  const folder = temporaryFolder("mcp-files");
  const source = mcpSource("files", node(SERVERS.filesystem, folder.path));
  let files: Opened;
  beforeAll(async () => {
    files = await open(source);
  });
  afterAll(async () => {
    await source.close();
    folder.remove();
  });

  test("its tools have the server's name before theirs, signatures and effects", () => {
    expect(files.tool("files_read_text_file").spec).toEqual({
      name: "files_read_text_file",
      effect: "read",
      signature: "(path :string, tail :float?, head :float?) -> {content :string}",
      description: expect.stringContaining("tail: If provided, returns only the last N lines of the file"),
      timeout_ms: 60_000,
    });
    const effect = (name: string) => files.tool(name).spec.effect;
    expect([effect("files_write_file"), effect("files_edit_file"), effect("files_create_directory")]).toEqual([
      "write",
      "irreversible",
      "write",
    ]);
    expect(files.tool("files_edit_file").spec.signature).toBe(
      "(path :string, edits [{oldText :string, newText :string}], dryRun :bool?) -> {content :string}",
    );
  });

  test("a file is written, edited and read", async () => {
    const file = path.join(folder.path, "note.txt");
    await files.call("files_write_file", { path: file, content: "one\ntwo\n" });
    await files.call("files_edit_file", { path: file, edits: [{ oldText: "two", newText: "three" }] });
    expect(readFileSync(file, "utf8")).toBe("one\nthree\n");
    expect(await files.call("files_read_text_file", { path: file, head: 1, tail: null })).toEqual({ content: "one" });
  });

  test("a refusal of the server is thrown with its message", async () => {
    await expect(files.call("files_read_text_file", { path: "/etc/passwd" })).rejects.toThrow(/access denied/i);
    await expect(files.call("files_read_text_file", { path: path.join(folder.path, "none") })).rejects.toThrow(
      "ENOENT",
    );
  });

  test("an image is described by type and size", async () => {
    const file = path.join(folder.path, "dot.png");
    writeFileSync(file, Buffer.alloc(3_000));
    expect(await files.call("files_read_media_file", { path: file })).toMatchObject({
      content: [{ type: "image", mimeType: "image/png", bytes: 3_000 }],
    });
  });

  test("arguments that do not fit never reach the server", async () => {
    await expect(files.call("files_read_text_file", { pth: "x" })).rejects.toThrow(
      "invalid arguments: there is no pth; there are path, tail, head",
    );
    await expect(files.call("files_read_text_file", { path: 5 })).rejects.toThrow("path: expected string, got int");
  });
});

describe("@modelcontextprotocol/server-everything over stdio", () => {
  const env = { ...process.env, SHOP_TOKEN: "tok-12345678", REGION: "north-west" };
  const settings = {
    ...node(SERVERS.everything, "stdio"),
    prefix: "",
    env: { API_TOKEN: variable("SHOP_TOKEN"), REGION: variable("REGION") },
  };
  const source = mcpSource("all", settings, env);
  let all: Opened;
  beforeAll(async () => {
    all = await open(source);
  });
  afterAll(() => source.close());

  test("with an empty prefix tools are called as the server calls them", () =>
    expect(all.names).toEqual(expect.arrayContaining(["echo", "get-sum", "get-tiny-image"])));

  test("structured content is data", async () =>
    expect(await all.call("get-structured-content", { location: "New York" })).toEqual({
      temperature: 33,
      conditions: "Cloudy",
      humidity: 82,
    }));

  test("text stays text", async () => expect(await all.call("get-sum", { a: 2, b: 3 })).toContain("is 5"));

  test("an image among text is described by type and size", async () =>
    expect(await all.call("get-tiny-image")).toEqual([
      { type: "text", text: "Here's the image you requested:" },
      { type: "image", mimeType: "image/png", bytes: expect.any(Number) },
      { type: "text", text: "The image above is the MCP logo." },
    ]));

  test("resources are described by their address", async () => {
    const text = await all.call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
    expect(text).toContainEqual({
      type: "resource",
      uri: expect.stringMatching(/^demo:/),
      mimeType: "text/plain",
      text: expect.any(String),
    });
    const links = await all.call("get-resource-links", { count: 1 });
    expect(links).toContainEqual(expect.objectContaining({ type: "resource_link", uri: expect.any(String) }));
  });

  test("progress of a long call counts as a heartbeat", async () => {
    // The call ends when it has been heard of twice: progress that comes together with an answer may be dropped.
    const ending = new AbortController();
    let heard = 0;
    const heartbeat = () => {
      heard += 1;
      if (heard === 2) ending.abort(new Error("heard twice"));
    };
    const call = all.call(
      "trigger-long-running-operation",
      { duration: 50, steps: 1_000 },
      { heartbeat, signal: ending.signal },
    );
    await expect(call).rejects.toThrow("heard twice");
  });

  test("it gets its settings and nothing else of the worker's environment; a secret does not come back", async () => {
    const seen = JSON.parse((await all.call("get-env")) as string) as { [name: string]: string };
    expect(seen).toMatchObject({ API_TOKEN: "[secret SHOP_TOKEN]", REGION: "north-west", PATH: process.env.PATH });
    expect(seen).not.toHaveProperty("SHOP_TOKEN");
    expect(seen).not.toHaveProperty("JEST_WORKER_ID");
  });

  test("a tool that needs MCP tasks is left out", async () => {
    expect(all.names).not.toContain("simulate-research-query");
  });
});
