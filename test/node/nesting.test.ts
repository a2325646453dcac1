import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { tooDeepAt } from "../../src/core/base/json/json-problem";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { parsePlanOptions } from "../../src/core/plan/definition/options";
import { parsePlan } from "../../src/core/plan/definition/parse";
import { refuseDeepMessages } from "../../src/mcp/message-depth";
import { parseData } from "../../src/node/data-file";
import { definitionIn } from "../../src/project/catalog";
import { runBatchLine } from "../../src/simulate/lisp-batch";

/** Depth is a limit like any other: it is checked before anything walks what was read. */

const deepJson = (n: number) => `${'{"a":'.repeat(n)}1${"}".repeat(n)}`;
const DEEP: [string, string, (n: number) => string][] = [
  ["JSON lists", "a.json", (n) => "[".repeat(n) + "]".repeat(n)],
  ["JSON objects", "a.json", deepJson],
  ["YAML in brackets", "a.yaml", (n) => `a: ${"[".repeat(n)}${"]".repeat(n)}`],
  ["YAML lists on one line", "a.yaml", (n) => `${"- ".repeat(n)}x`],
  ["YAML keys on one line", "a.yaml", (n) => `${"? ".repeat(n)}x`],
];

describe.each(DEEP)("%s", (_, file, text) => {
  test("of 150 levels are read", () => expect(tooDeepAt(parseData(text(150), file))).toBeUndefined());
  // Without the limit these take minutes, or end the process.
  test.each([300, 2_000, 200_000])("of %i levels are refused with the place", (levels) => {
    expect(() => parseData(text(levels), file)).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: expect.stringMatching(/^a\.(json: .* at (a\.a|\[0\])|yaml:1:\d+: ).*/),
      }),
    );
  });
});

test("deep lines of YAML are refused, long and bracketed texts are not", () => {
  const lines = Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}a:`).join("\n");
  expect(() => parseData(`${lines} 1`, "a.yaml")).toThrow(/a\.yaml:20\d:\d+: it is nested/);
  const text = `a: |\n  ${"[".repeat(500)}\nb: "${"{".repeat(500)}"\nc: ${"x ( ".repeat(500)}`;
  expect(parseData(text, "a.yaml")).toMatchObject({ b: "{".repeat(500) });
});

test("a message to the MCP server is refused before schemas walk it", async () => {
  const heard: unknown[] = [];
  const sent: unknown[] = [];
  const transport = {
    start: async () => {},
    close: async () => {},
    send: async (message: JSONRPCMessage) => void sent.push(message),
    onmessage: (message: JSONRPCMessage) => void heard.push(message),
  };
  refuseDeepMessages(transport);
  const call = (json: string) =>
    transport.onmessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params: JSON.parse(json) });
  call(deepJson(100));
  expect(heard).toHaveLength(1);
  call(deepJson(200_000));
  expect(heard).toHaveLength(1);
  expect(sent).toMatchObject([{ id: 1, error: { code: -32602, message: expect.stringContaining("params.a.a") } }]);
});

describe.each([300, 2_000, 200_000])("a value of %i levels from a program", (levels) => {
  const deep = JSON.parse(deepJson(levels)) as never;
  const graph = (more: object) => ({
    nodes: { start: { type: "start", ...more }, done: { type: "end", result: "success" } },
    edges: [{ from: "start", to: "done" }],
  });

  test.each<[string, () => { ok: boolean }, string]>([
    ["a definition", () => parseDefinition({ ...graph({}), notes: deep }, "g"), "invalid_workflow"],
    ["a node", () => parseDefinition(graph({ notes: deep }), "g"), "invalid_workflow"],
    ["the nodes", () => parseDefinition({ nodes: deep, edges: deep }, "g"), "invalid_workflow"],
    ["a plan", () => parsePlan({ tasks: [{ id: "a", input: deep }] }), "invalid_plan_format"],
    ["a plan's results", () => parsePlanOptions({ initial_results: { a: deep } }), "invalid_input"],
    ["a plan's journal", () => parsePlanOptions({ journal: { a: { b: deep } } }), "invalid_input"],
  ])("is refused in %s", (_, read, reason) => {
    const fail = { reason, message: expect.stringContaining("nested more than 200 levels deep") };
    expect(read()).toMatchObject({ ok: false, fail });
  });
});

test("a definition in a file that nests too deep is refused like any other mistake", () => {
  const text = `{"nodes": {"start": {"type": "start", "notes": ${deepJson(250)}}}, "edges": []}`;
  expect(() => definitionIn(text, "deep.json", { fallbackId: "deep" })).toThrow(
    expect.objectContaining({ code: "invalid_input", message: expect.stringContaining("nodes.start.notes.a") }),
  );
});

test("a deep case of a batch is an answer like any other", () =>
  expect(runBatchLine(`{"id": 1, "program": "1", "context": ${deepJson(200_000)}}`, () => 0)).toMatchObject({
    id: 1,
    fail: { reason: "invalid_input", message: expect.stringContaining("context.a") },
  }));
