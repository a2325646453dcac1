import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { payerWith } from "../../prove/effects/agents";
import { effectsProof } from "../../prove/effects/definition";
import { ProofTools } from "../../prove/effects/missions/proof-tool";
import { type EffectsOptions, proveEffects } from "../../prove/effects/prove-effects";
import { runMissionInMemory } from "../../prove/effects/run-in-memory";
import { defineProof } from "../../prove/frame/proof";
import type { ProofReport, ProvedTool } from "../../prove/frame/report";
import { runProof } from "../../prove/frame/run-proof";
import type { GivenSizes } from "../../prove/frame/sizes";
import type { ToolSpec } from "../../src/core/calls/tool";
import { isDeep } from "../support/run/deep";
import { sized } from "../support/run/property";

/** `navigator prove effects --project`: on the tools of a project, by the rules that they declare. */

const folder = mkdtempSync(path.join(tmpdir(), "navigator-prove-project-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
/** A project whose tools fail the test when they are called. @param tools the fields of each, as code */
function projectOf(tools: string, more = ""): string {
  count += 1;
  const file = path.join(folder, `navigator.config.${count}.cjs`);
  writeFileSync(
    file,
    `const { absent, defineTool } = require("navigator-agents");
const run = () => { throw new Error("a proof has called a tool"); };
module.exports = { tools: [${tools}].map((tool) => defineTool({ run, ...tool })), ${more} };`,
  );
  return file;
}

const prove = (
  project: string,
  sizes: GivenSizes = { missions: sized("10", "60") },
  tools: string[] = [],
): Promise<ProofReport> => runProof(effectsProof, { seed: 1, sizes, project: { folder: project, tools } });

const toolOf = ({ project }: ProofReport, name: string) =>
  project?.tools.find((tool) => tool.name === name) as ProvedTool;

test("the tools of an example keep the promise, and none of them is called", async () => {
  const report = await prove("examples/refund", { missions: sized("15", "40") });
  expect(report.violations).toEqual([]);
  expect(report.project?.tools.map(({ name }) => name)).toEqual(["refund_card", "refund_card_large"]);
  expect(toolOf(report, "refund_card")).toMatchObject({
    effect: "write",
    identity: ["order_id", "cents"],
    on_same_effect: "reuse",
    repeats: 0,
    losses: 0,
  });
  const { effects, effects_intended } = toolOf(report, "refund_card_large");
  expect(effects).toBeGreaterThan(0);
  expect(effects).toBe(effects_intended);
  expect(report.project?.left_out.map(({ name }) => name)).toContain("get_order");
  expect(report.project?.notes.join(" ")).toContain("No function of these tools was called");
});

test("MCP servers are not started, and are named as left out", async () => {
  const { project } = await prove("examples/coding", { missions: sized("15", "40") });
  expect(project?.tools.map(({ name }) => name)).toEqual(["run_tests"]);
  expect(project?.left_out).toEqual([
    { name: "mcp files", reason: expect.stringContaining("starts none") },
    { name: "mcp src", reason: expect.stringContaining("starts none") },
    { name: "sandbox", reason: "it only reads, so it does no effect" },
  ]);
});

test("the operations of an OpenAPI document are tools like others, and a document that is not there is left out", async () => {
  const document = {
    openapi: "3.0.0",
    info: { title: "shop", version: "1" },
    servers: [{ url: "http://127.0.0.1:1" }],
    paths: {
      "/pay": {
        post: {
          operationId: "pay",
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["invoice", "cents"],
                  properties: { invoice: { type: "string" }, cents: { type: "integer" } },
                },
              },
            },
          },
          responses: { 200: { description: "paid" } },
        },
      },
    },
  };
  writeFileSync(path.join(folder, "shop.json"), JSON.stringify(document));
  const http = `{ shop: { openapi: "./shop.json", effects: { pay: { effect: "irreversible", identity: ["invoice"] } } },
    gone: { openapi: "./gone.json" } }`;
  const report = await prove(projectOf("", `http: ${http}`));
  expect(report.violations).toEqual([]);
  expect(toolOf(report, "shop_pay")).toMatchObject({ effect: "irreversible", identity: ["invoice"] });
  expect(report.project?.left_out).toEqual([{ name: "http gone", reason: expect.stringContaining("gone.json") }]);
});

const SIGNATURE = `signature: "(to :string, cents :int, memo :string) -> {tx :string}", identity: ["to", "cents"]`;

test("every way of saying which calls are effects holds", async () => {
  const policies = ["ask", "reuse", "fail", "run"].flatMap((policy) =>
    ["write", "irreversible"].map(
      (effect) => `{ name: "${effect}_${policy}", ${SIGNATURE}, effect: "${effect}", onSameEffect: "${policy}" }`,
    ),
  );
  const others = ["ask", "fail", "rerun"].map(
    (policy) => `{ name: "other_${policy}", ${SIGNATURE}, onOtherEffect: "${policy}" }`,
  );
  const rest = [
    `{ name: "looked_up", ${SIGNATURE}, effect: "irreversible", lookup: () => absent }`,
    `{ name: "again", ${SIGNATURE}, repeatable: true }`,
    `{ name: "shared", ${SIGNATURE}, identityScope: "namespace" }`,
    `{ name: "whole", signature: "(order {id :int, lines [{sku :string, price :float}]}, kind :keyword) -> :bool" }`,
    `{ name: "bare", effect: "irreversible", identity: ["a", "b"] }`,
    `{ name: "only", signature: "() -> {passed :int}" }`,
    `{ name: "flag", signature: "(on :bool) -> [:int]" }`,
  ];
  const report = await prove(projectOf([...policies, ...others, ...rest].join(", ")), { missions: sized("60", "300") });
  expect(report.violations).toEqual([]);
  for (const { calls, effects, effects_intended, repeats, losses } of report.project?.tools ?? []) {
    expect(calls).toBeGreaterThan(0);
    expect({ effects, repeats, losses }).toEqual({ effects: effects_intended, repeats: 0, losses: 0 });
  }
  expect(toolOf(report, "write_ask").stops).toBeGreaterThan(0);
  expect(toolOf(report, "again")).toMatchObject({ stops: 0, on_same_effect: "repeatable" });
});

test("missions share what a tool says that they share", async () => {
  const project = projectOf(
    `{ name: "shared", ${SIGNATURE}, identityScope: "namespace" }, { name: "own", ${SIGNATURE} }`,
  );
  const report = await prove(project, { missions: "15", cross: "0.5" });
  expect(report.violations).toEqual([]);
  expect(report.figures.cross_effects).toBeGreaterThan(5);
});

test("warnings say what follows from a declaration", async () => {
  const report = await prove(
    projectOf(`{ name: "wire", signature: "(to :string, why :string) -> {tx :string}", effect: "irreversible" },
      { name: "good", ${SIGNATURE} }, { name: "bare", identity: ["a"] }, { name: "flag", signature: "(on :bool) -> :int" },
      { name: "kept", ${SIGNATURE}, cache: true }, { name: "only", signature: "() -> :int" }`),
  );
  const of = (name: string) => toolOf(report, name).warnings.join(" ");
  expect(of("wire")).toContain("no lookup");
  expect(of("wire")).toContain("no identity");
  expect(of("good")).toBe("");
  expect(of("bare")).toContain("no signature");
  expect(of("flag")).toContain("only 2 effects");
  expect(of("kept")).toContain("cache");
  expect(of("only")).toContain("every call is the same effect");
});

describe("a ledger that does not do what a tool declares is found out", () => {
  const declared = (more: Partial<ToolSpec>): ToolSpec => ({
    name: "pay",
    effect: "write",
    signature: "(to :string, cents :int, memo :string) -> {tx :string}",
    identity: ["to", "cents"],
    ...more,
  });
  /** @param told what the ledger is told instead */
  const broken = (spec: ToolSpec, sent: Partial<ToolSpec>): EffectsOptions => {
    const tools = new ProofTools([spec]);
    const agent = payerWith(new ProofTools([{ ...spec, ...sent }]));
    return { tools, run: (mission, id, service) => runMissionInMemory(mission, id, service, { agent }) };
  };
  const proved = (options: EffectsOptions) =>
    runProof(defineProof({ ...effectsProof, onProject: true, load: async () => proveEffects(options) }), {
      seed: 1,
      sizes: { missions: sized("15", "40") },
    });

  interface Broken {
    declares: Partial<ToolSpec>;
    does: Partial<ToolSpec>;
    kind: string;
    says: RegExp;
  }
  const FAULTS: Broken[] = [
    { declares: {}, does: { identity: ["to", "memo"] }, kind: "repeats", says: /was wanted \d and done \d times/ },
    {
      declares: { on_same_effect: "reuse" },
      does: { on_same_effect: "run" },
      kind: "repeats",
      says: /was wanted \d and done \d times/,
    },
    {
      declares: { repeatable: true },
      does: { repeatable: undefined as never, on_same_effect: "reuse" },
      kind: "losses",
      says: /every call is an effect/,
    },
  ];
  const MORE_FAULTS: Broken[] = [
    { declares: {}, does: { on_same_effect: "run" }, kind: "repeats", says: /was wanted \d and done \d times/ },
    {
      declares: { on_same_effect: "run" },
      does: { on_same_effect: "reuse" },
      kind: "losses",
      says: /every call is an effect/,
    },
  ];
  test.each(isDeep ? [...FAULTS, ...MORE_FAULTS] : FAULTS)(
    "declared: $declares, done: $does",
    async ({ declares, does, kind, says }) => {
      const spec = declared(declares);
      const report = await proved(broken(spec, does));
      expect(report.figures[kind]).toBeGreaterThan(0);
      expect(report.violations.map(({ what }) => what)).toContainEqual(expect.stringMatching(says));
      // The same tool with a ledger that keeps its word is not accused.
      expect((await proved(broken(spec, {}))).violations.filter(({ what }) => says.test(what))).toEqual([]);
    },
  );
});

describe("refused", () => {
  const pay = `{ name: "pay", ${SIGNATURE} }`;
  test.each([
    {
      what: "a tool that is not there",
      tools: pay,
      only: ["paay"],
      code: "bad_usage",
      says: "Unknown tool: paay. Tools: pay.",
    },
    { what: "no tools", tools: "", code: "bad_project", says: "has no tools" },
    {
      what: "no tool with effects",
      tools: `{ name: "look", effect: "read" }`,
      code: "bad_project",
      says: "no tool with effects to prove. look: it only reads",
    },
    {
      what: "--cross without a shared tool",
      tools: pay,
      sizes: { cross: "0.2" },
      code: "bad_usage",
      says: "--cross tries nothing",
    },
    {
      what: "--undo without an undo",
      tools: pay,
      sizes: { undo: "2" },
      code: "bad_usage",
      says: "--undo tries nothing",
    },
  ])("$what", async ({ tools, only, sizes, code, says }) => {
    const run = prove(projectOf(tools), { missions: "5", ...sizes }, only);
    await expect(run).rejects.toMatchObject({ code, exitCode: 2, message: expect.stringContaining(says) });
  });

  test("a folder without a configuration", () =>
    expect(prove(folder)).rejects.toMatchObject({
      code: "not_found",
      details: { path: folder, kind: "project" },
      exitCode: 2,
    }));
});

test("effects of a tool are as many as its identity can tell apart", () => {
  const kinds = (signature: string, identity?: string[]) => {
    const tool = new ProofTools([{ name: "t", effect: "write", signature, ...(identity && { identity }) }]).of("t");
    const names = new Set(
      Array.from({ length: 50 }, (_, number) => tool.effectOf(tool.args(tool.effect(number), "m", ""))),
    );
    return [names.size, tool.kinds];
  };
  const endless = [50, Number.POSITIVE_INFINITY];
  expect(kinds("(id :int) -> :any")).toEqual(endless);
  expect(kinds("(on :bool, lines [{sku :string, free :bool}]) -> :any")).toEqual(endless);
  expect(kinds("(a :bool, b {c :bool}) -> :any")).toEqual([4, 4]);
  expect(kinds("(a :bool, memo :string) -> :any", ["a"])).toEqual([2, 2]);
  expect(kinds("() -> :any")).toEqual([1, 1]);
});
