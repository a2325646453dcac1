import { mcpTool } from "../../../src/tools/mcp/mcp-tool";
import { Secrets } from "../../../src/tools/secrets";
import { toolCall } from "../tool-call";
import { mcpSource, node, open, SERVERS } from "./sources";

/** Tools of MCP servers are checked by their schemas, and resources are data. */

const made = (schemas: object, structuredContent: object = {}, limits: { read_ms?: number; check_ms?: number } = {}) =>
  mcpTool(
    { name: "sum", inputSchema: { type: "object" }, ...schemas },
    {
      name: "sum",
      connection: { call: async () => ({ content: [], structuredContent }) } as never,
      secrets: new Secrets({}),
      effects: {},
      place: "mcp.a",
      timeout_ms: 1_000,
      read_ms: 60_000,
      ...limits,
    },
  );

test("arguments and structured results are checked by all that the schemas say", async () => {
  const inputSchema = {
    type: "object",
    properties: { at: { type: "string", format: "date" }, n: { type: "integer", maximum: 9 } },
    dependentRequired: { n: ["at"] },
  };
  const outputSchema = { type: "object", properties: { of: { enum: ["a", "b"] } }, required: ["of"] };
  const sum = made({ inputSchema, outputSchema }, { of: "c" });
  const refused = (args: object, code: string, path: string) =>
    expect(sum.run(args as never, toolCall())).rejects.toMatchObject({
      details: { code, issues: expect.arrayContaining([expect.objectContaining({ path })]) },
    });
  await refused({ at: "soon" }, "invalid_tool_args", "at");
  await refused({ n: 1 }, "invalid_tool_args", "");
  await refused({ at: "2026-11-26", n: 1 }, "invalid_result", "of");
  expect(await made({ inputSchema, outputSchema }, { of: "b" }).run({ n: 1, at: "2026-11-26" }, toolCall())).toEqual({
    of: "b",
  });
});

test("a tool whose schema cannot be checked is left out, with the reason", () => {
  const pattern = { type: "object", properties: { a: { type: "string", pattern: "(" } } };
  expect(() => made({ inputSchema: pattern })).toThrow(/its inputSchema cannot be checked: .*\(/);
});

/** `levels` definitions, each of which is `of` the next one: what one says twice, the last one says 2^levels times. */
const tower = (levels: number, of: (next: object) => object, end: object) => ({
  type: "object",
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, i) => [`d${i}`, i === levels ? end : of({ $ref: `#/$defs/d${i + 1}` })]),
  ),
});
const deep = (levels: number): object => {
  let value: object = {};
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
};
const property = (next: object) => ({ properties: { a: next } });
const any = (next: object) => ({ anyOf: [property(next), property(next)] });

test.each([
  ["a pattern", { properties: { a: { type: "string", pattern: "^(a+)+$" } } }, { a: `${"a".repeat(30)}!` }],
  ["choices inside each other", tower(22, any, { type: "string" }), deep(23)],
])("a result on which the server's schema spends too long is refused: %s", async (_, schema, result) => {
  const outputSchema = { type: "object", ...schema };
  const sum = made({ outputSchema }, result, { check_ms: 100 });
  await expect(sum.run({}, toolCall())).rejects.toMatchObject({
    message: "invalid results: the check by the server's schema does not end: it takes longer than 100 ms",
    details: { code: "invalid_result" },
  });
  expect(await made({ outputSchema }, {}).run({}, toolCall())).toEqual({});
});

test("a result with too many levels is refused as such", () =>
  expect(
    made({ outputSchema: { type: "object", properties: { a: { $ref: "#" } } } }, deep(100_000)).run({}, toolCall()),
  ).rejects.toMatchObject({
    message: expect.stringContaining("too many levels"),
    details: { code: "invalid_result" },
  }));

test("a tool whose schema takes too long to read is left out", () => {
  const inputSchema = tower(22, (next) => ({ allOf: [next, next] }), { properties: { a: { type: "string" } } });
  expect(() => made({ inputSchema }, {}, { read_ms: 100 })).toThrow(
    "its schemas cannot be read: it takes longer than 100 ms",
  );
});

test("resources are listed and read, with a limit of size", async () => {
  const source = mcpSource("all", { ...node(SERVERS.everything, "stdio"), resources: true });
  const all = await open(source);
  expect(all.tool("all_read_resource").spec.effect).toBe("read");
  const { resources, templates } = (await all.call("all_list_resources")) as {
    resources: { uri: string }[];
    templates: object[];
  };
  expect([resources.length > 0, templates.length > 0]).toEqual([true, true]);
  const [{ uri }] = resources as [{ uri: string }];
  const [part] = (await all.call("all_read_resource", { uri, max_bytes: 20 })) as [
    { text: string; bytes: number; cut: boolean },
  ];
  expect(part).toMatchObject({ uri, cut: true });
  expect(part.text).toHaveLength(20);
  const [whole] = (await all.call("all_read_resource", { uri })) as [typeof part];
  expect(whole).toMatchObject({ cut: false, bytes: part.bytes });
  expect(whole.text.startsWith(part.text)).toBe(true);
  await expect(all.call("all_read_resource", { uri, max_bytes: 0 })).rejects.toMatchObject({
    details: { code: "invalid_tool_args" },
  });
  await expect(all.call("all_read_resource", { uri: "demo://nothing/here" })).rejects.toThrow(/demo:\/\/nothing/);
  await source.close();
  const files = mcpSource("files", { ...node(SERVERS.filesystem, __dirname), resources: true });
  await expect(files.open()).rejects.toThrow("mcp.files.resources: the server has no resources");
  await files.close();
});
