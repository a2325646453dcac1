import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { SchemaOrBoolean } from "../../src/core/signature/json-schema/schema-reader";
import { SchemaReader } from "../../src/core/signature/json-schema/schema-reader";
import { OpenApiSettings, OpenApiSource, type Tool } from "../../src/tools";
import { toolTypes } from "../../src/tools/write-tool-types";
import { temporaryFolder } from "../support/environment";
import { SHOP } from "./openapi/service";

const TSC = path.join(__dirname, "../../node_modules/typescript/bin/tsc");

/** A tool as a source makes it. */
function toolOf(name: string, input: SchemaOrBoolean, output?: SchemaOrBoolean): Tool {
  const schemas = { input, output, inputReader: new SchemaReader(input), outputReader: new SchemaReader(output) };
  return { spec: { name, effect: "read" }, schemas, run: async () => null };
}

const typeIn = (text: string, name: string): string | undefined =>
  text
    .split("\n")
    .find((line) => line.startsWith(`  "${name}": `))
    ?.slice(`  "${name}": `.length, -1);

/** What the compiler says of modules that have these types. */
function compiled(modules: readonly string[]): { status: number | null; stdout: string } {
  const folder = temporaryFolder("tool-types");
  const files = modules.map((_text, i) => path.join(folder.path, `module-${i}.ts`));
  for (const [i, file] of files.entries()) writeFileSync(file, modules[i] as string);
  const args = [TSC, "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--types", "", ...files];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
  folder.remove();
  return { status, stdout };
}

/** All that is written here, for the compiler. */
const written: string[] = [];
const typesOf = (tools: readonly Tool[]): string => {
  const types = toolTypes(tools);
  written.push(types);
  return types;
};

test("the operations of a document have their types, and what it refers to is named, also in a circle", async () => {
  const settings = OpenApiSettings.parse({ openapi: SHOP, baseUrl: "http://127.0.0.1:1", prefix: "" });
  const { tools } = await new OpenApiSource("shop", settings, { folder: __dirname, env: {} }).open();
  const types = typesOf(tools);
  expect(typeIn(types, "listOrders")).toBe(
    "{ input: { status?: StatusInput[]; ids?: number[]; filter_since?: string; where?: { [name: string]: unknown }; X_Request_ID?: string }; output: Order[] }",
  );
  expect(types).toContain('export type StatusInput = "open" | "paid";');
  expect(types).toContain("export type Order = { id: number; sku: string; status?: Status; parent?: Order };");
  expect(types).toContain("  /** Lists orders. Newest first -- X_Request_ID: Named in the logs */");
  written.push(`${types}
    export const order: Tools["createOrder"]["input"] = { sku: "a", card: "4242", parent: { sku: "b" } };
    export const answer: Tools["listOrders"]["output"] = [{ id: 1, sku: "a", parent: { id: 2, sku: "b", status: "paid" } }];
    // @ts-expect-error the price is no field of an order
    export const priced: Tools["createOrder"]["input"] = { sku: "a", price: 5 };
    // @ts-expect-error a text is needed
    export const wrong: Tools["createOrder"]["input"] = { sku: 5 };`);
});

test.each<[string, SchemaOrBoolean, string]>([
  ["nothing", { type: "object", properties: {} }, "{ [name: string]: never }"],
  ["anything", true, "unknown"],
  ["values", { enum: ["a", 1, null] }, '"a" | 1 | null'],
  ["types", { type: ["string", "null"] }, "string | null"],
  ["alternatives", { oneOf: [{ type: "integer" }, { type: "array", items: { enum: [1, 2] } }] }, "number | (1 | 2)[]"],
  [
    "fields besides alternatives",
    { properties: { a: { const: 1 } }, anyOf: [{ type: "object", properties: { b: {} } }] } as never,
    "{ a?: 1 } & ({ b?: unknown })",
  ],
  [
    "an empty object, which may hold anything",
    { type: "object", properties: { a: { type: "object", properties: {} } } },
    "{ a?: { [name: string]: unknown } }",
  ],
  ["maps", { type: "object", additionalProperties: { type: "boolean" } }, "{ [name: string]: boolean }"],
  [
    "names that are no identifiers, and what one side does not see",
    { type: "object", properties: { "a b": {}, "c-d": { type: "null" }, e: { readOnly: true } }, required: ["a b"] },
    "{ a_b: unknown; c_d?: null }",
  ],
  ["what has a default", { type: "object", properties: { a: { default: 1 } }, required: ["a"] }, "{ a?: unknown }"],
  ["a reference that leads nowhere", { $ref: "#/$defs/None" }, "NoneInput"],
])("of JSON Schema: %s", (_what, input, type) => {
  const types = typesOf([toolOf("a", input)]);
  expect(typeIn(types, "a")).toBe(`{ input: ${type}; output: unknown }`);
});

test("names stay apart, and texts of servers cannot leave their comment", () => {
  const of = (type: string) => ({ $ref: "#/$defs/Tools", $defs: { Tools: { type } } }) as SchemaOrBoolean;
  const spec = {
    name: "b",
    effect: "read",
    description: "x */ evil(); /*",
    signature: "(at :string?) -> [:int]",
  } as const;
  const types = typesOf([
    toolOf("a", {}, of("string")),
    toolOf("c", {}, of("number")),
    { spec, run: async () => null },
  ]);
  expect(types).toContain("export type Tools2 = string;");
  expect(types).toContain("export type Tools3 = number;");
  expect(typeIn(types, "b")).toBe("{ input: { at?: string | null }; output: number[] }");
});

test("the compiler takes all of them", () => {
  expect(written.length).toBeGreaterThan(10);
  expect(compiled(written)).toEqual({ status: 0, stdout: "" });
});
