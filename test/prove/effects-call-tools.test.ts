import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { effectsProof } from "../../prove/effects/definition";
import type { AnnouncedCall } from "../../prove/frame/proof";
import type { ProofReport, ToolContract } from "../../prove/frame/report";
import { runProof } from "../../prove/frame/run-proof";
import type { JsonObject } from "../../src/core/base/json";
import { NavigatorError } from "../../src/core/base/navigator-error";

/** `navigator prove effects --project --call-tools`: whether tools and lookups keep the word on which Navigator relies. */

const folder = mkdtempSync(path.join(tmpdir(), "navigator-prove-calls-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A service that acts once for each key, and a tool for it. `doing` is written down. */
const SERVICE = `const { absent, defineTool, found, unknown, UnknownOutcome } = require("navigator-agents");
const { appendFileSync } = require("node:fs");
const book = () => {
  const done = new Map();
  return { done, pay: (key) => { if (!done.has(key)) done.set(key, { tx: "t" + (done.size + 1) }); return done.get(key); } };
};
const noted = (tool, key) => appendFileSync(__filename + ".log", tool + " " + key + "\\n");
const tool = (name, { pay, done }, more = {}) => defineTool({
  name,
  signature: "(to :string, cents :int, memo :string) -> {tx :string}",
  identity: ["to", "cents"],
  run: (args, call) => { noted(name, call.idempotencyKey); return pay(call.idempotencyKey); },
  lookup: (key) => (done.has(key) ? found(done.get(key)) : absent),
  ...more,
});
`;

let count = 0;
function projectOf(tools: string): { file: string; calls: () => string[] } {
  count += 1;
  const file = path.join(folder, `navigator.config.${count}.cjs`);
  writeFileSync(file, `${SERVICE}module.exports = { tools: (() => { const b = book(); return [${tools}]; })() };`);
  writeFileSync(`${file}.log`, "");
  return { file, calls: () => readFileSync(`${file}.log`, "utf8").split("\n").filter(Boolean) };
}

const agreed: AnnouncedCall[] = [];
const prove = (file: string, args: { [tool: string]: JsonObject } = {}, missions = "0"): Promise<ProofReport> =>
  runProof(effectsProof, {
    seed: 1,
    sizes: { missions },
    project: {
      folder: file,
      tools: [],
      calls: { args, confirm: async (calls) => void agreed.splice(0, agreed.length, ...calls) },
    },
  });

const contractOf = ({ project }: ProofReport) => project?.tools[0]?.contract as ToolContract;
const failures = ({ violations }: ProofReport) => violations.map(({ what }) => what);

test("a tool that keeps its word is called twice with one key, and undone", async () => {
  const { file, calls } = projectOf(
    'tool("pay", b, { undo: (args, result, call) => { b.done.delete(call.callKey); } })',
  );
  const report = await prove(file);
  expect(report.violations).toEqual([]);
  expect(agreed).toEqual([
    { tool: "pay", effect: "write", undo: true, args: { to: "ada", cents: 1, memo: "navigator prove" } },
  ]);
  const { checks, key, remains } = contractOf(report);
  expect(calls()).toEqual([`pay ${key}`, `pay ${key}`]);
  expect(checks.every(({ ok }) => ok)).toBe(true);
  expect(checks.map(({ check }) => check)).toContain("a second undo with the same key does, too");
  expect(remains).toBe(false);
  expect(report.figures).toMatchObject({ tools_called: 1, contract_checks: checks.length });
});

test("an irreversible tool is called once, with the arguments that were given, and what remains is told", async () => {
  const { file, calls } = projectOf(
    'tool("wire", b, { effect: "irreversible" }), tool("other", b, { lookup: undefined })',
  );
  const args = { to: "test account", cents: 1, memo: "x" };
  const { violations, project } = await prove(file, { wire: args });
  expect(violations).toEqual([]);
  expect(calls()).toHaveLength(1);
  expect(project?.tools[0]).toMatchObject({
    contract: { args, remains: true },
    warnings: [expect.stringContaining("may still be there")],
  });
  expect(project?.tools[1]?.contract).toBeUndefined();
  expect(project?.notes.join(" ")).toContain("no lookup or answer later: other");
});

test.each([
  {
    tool: "acts again for the same key",
    code: 'tool("pay", b, { run: (args, { idempotencyKey: key }) => { b.done.delete(key); b.done.set(key, { tx: String(Math.random()) }); return b.done.get(key); } })',
    says: [/a second call with the same key gives the same answer/, /the lookup finds the first answer/],
  },
  {
    tool: "looks up by arguments",
    code: 'tool("pay", b, { lookup: () => (b.done.size > 0 ? found([...b.done.values()][0]) : absent) })',
    says: [/the lookup of another key answers absent/],
  },
  {
    tool: "does not find what it did",
    code: 'tool("pay", b, { lookup: () => absent })',
    says: [/after the call, its lookup finds the answer, but it answered: absent/, /after the second call/],
  },
  {
    tool: "finds something else than it answered",
    code: 'tool("pay", b, { effect: "irreversible", lookup: (key) => (b.done.has(key) ? found({ tx: "t" }) : absent) })',
    says: [/its lookup finds the answer, but it answered: found {"tx":"t"}/],
  },
  {
    tool: "fails when it is undone again",
    code: 'tool("pay", b, { undo: (a, r, { callKey }) => { if (!b.done.delete(callKey)) throw new Error("not there"); } })',
    says: [/a second undo with the same key does, too, but it answered: not there/],
  },
  {
    tool: "acts, and says that it failed",
    code: 'tool("pay", b, { run: (args, call) => { b.pay(call.idempotencyKey); throw new Error("no"); } })',
    says: [/after a call that failed, the lookup answers absent/],
  },
  {
    tool: "does not answer, and does not know",
    code: 'tool("pay", b, { timeout: "20ms", run: () => new Promise(() => {}), lookup: (() => { let n = 0; return () => (n++ ? unknown : absent); })() })',
    says: [/after a lost answer, the lookup knows, but it answered: unknown/],
  },
])("a tool that $tool is found out", async ({ code, says }) => {
  const report = await prove(projectOf(code).file);
  expect(report.ok).toBe(false);
  expect(failures(report)).toHaveLength(says.length);
  for (const [at, text] of says.entries()) expect(failures(report)[at]).toMatch(text);
  expect(report.violations[0]).toMatchObject({ where: "tool pay", command: expect.stringMatching(/--call-tools$/) });
});

test("a lookup that does not know a new key is found out before anything is called", async () => {
  const { file, calls } = projectOf('tool("pay", b, { lookup: () => { throw new Error("no index"); } })');
  expect(failures(await prove(file))).toEqual([
    "pay: the lookup of a new key answers absent, but it answered: unknown: no index.",
  ]);
  expect(calls()).toEqual([]);
});

test("a tool that its service refuses is not accused, and the report says how to go on", async () => {
  const { violations, project } = await prove(
    projectOf('tool("pay", b, { run: () => { throw new Error("no such customer"); } })').file,
  );
  expect(violations).toEqual([]);
  expect(project?.tools[0]?.contract?.not_proved).toBe("its call failed: no such customer");
  expect(project?.tools[0]?.warnings.join(" ")).toContain("--args");
});

test("a lookup that still finds what was undone is told, and breaks no promise", async () => {
  const { violations, project } = await prove(projectOf('tool("pay", b, { undo: () => {} })').file);
  expect(violations).toEqual([]);
  expect(project?.tools[0]).toMatchObject({ contract: { undone: true, remains: true } });
  expect(project?.tools[0]?.warnings.join(" ")).toContain("its lookup still finds the call");
});

test("nothing is called when nobody agrees, nor for one case", async () => {
  const { file, calls } = projectOf('tool("pay", b)');
  const refuse = () => Promise.reject(new NavigatorError("confirmation_required", "no"));
  const project = { folder: file, tools: [], calls: { args: {}, confirm: refuse } };
  const run = (only: number | null) => runProof(effectsProof, { seed: 1, sizes: { missions: "5" }, only, project });
  await expect(run(null)).rejects.toMatchObject({ code: "confirmation_required" });
  expect((await run(1)).figures.missions).toBe(1);
  expect(calls()).toEqual([]);
});

test.each<{ what: string; tools: string; args: { [tool: string]: JsonObject }; says: string }>([
  {
    what: "a project without a lookup",
    tools: 'tool("pay", b, { lookup: undefined })',
    args: {},
    says: "no tool has a lookup",
  },
  { what: "arguments of an unknown tool", tools: 'tool("pay", b)', args: { paay: {} }, says: "--args names paay" },
])("$what is refused", async ({ tools, args, says }) => {
  await expect(prove(projectOf(tools).file, args)).rejects.toMatchObject({
    code: "bad_usage",
    message: expect.stringContaining(says),
  });
});
