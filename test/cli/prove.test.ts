import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Command } from "commander";
import { registerProofs } from "../../prove/command";
import { ProofReport } from "../../prove/frame/report";
import { PROOFS } from "../../prove/proofs";
import { createIo } from "../../src/cli/terminal/io";
import { cliHere } from "../support/cli";
import { runCli } from "../support/environment";

/** `navigator prove`: what it takes, what it refuses, what it prints. */

test("--json gives one report on stdout and the progress on stderr", async () => {
  const end = await runCli(["prove", "sandbox", "--programs", "60", "--seed", "5", "--json"]);
  expect(end.code).toBe(0);
  const report = ProofReport.parse(JSON.parse(end.stdout));
  expect(report).toMatchObject({ name: "sandbox", ok: true, seed: 5, sizes: { programs: 60 }, violations: [] });
  expect(report.figures.programs).toBe(60);
  expect(end.stderr).toContain("sandbox 50 %");
});

test("without --json there is a table of figures", async () => {
  const end = await cliHere(["prove", "sandbox", "--programs", "60"]);
  expect(end.code).toBe(0);
  expect(end.stdout).toMatch(/^sandbox: no program gets out.*\nThe promise is kept\. Seed 1, /);
  expect(end.stdout).toMatch(/\n {2}programs +60\n/);
});

test("the tools of a project are proved, and the report has the figures of each", async () => {
  const args = ["prove", "effects", "--project", "examples/refund", "--tool", "refund_card", "--missions", "15"];
  const end = await cliHere([...args, "--json"]);
  expect(end.code).toBe(0);
  const { project, figures } = ProofReport.parse(JSON.parse(end.stdout));
  expect(project?.tools).toMatchObject([
    {
      name: "refund_card",
      identity: ["order_id", "cents"],
      effects: figures.effects_done,
      repeats: 0,
      losses: 0,
      lookup: true,
    },
  ]);

  const said = await cliHere(args);
  expect(said.stdout).toMatch(/\n {2}refund_card +write +order_id, cents +reuse +\d+ +0 +0 /);
  expect(said.stdout).toContain("note: No function of these tools was called");
});

test("the tools of a project are called against its service, with arguments that it knows", async () => {
  const { startShop } = require("../../examples/refund/shop.cjs");
  const shop = await startShop();
  const file = path.join(mkdtempSync(path.join(tmpdir(), "navigator-prove-")), "args.json");
  writeFileSync(file, JSON.stringify({ refund_card: { order_id: 42, cents: 4990, why: "a proof" } }));
  try {
    const tools = ["--project", "examples/refund", "--tool", "refund_card", "--missions", "0"];
    const call = ["--call-tools", "--yes", "--args", file];
    const end = await cliHere(["prove", "effects", ...tools, ...call, "--json"], { SHOP_URL: shop.url });
    expect(end.code).toBe(0);
    const { project } = ProofReport.parse(JSON.parse(end.stdout));
    expect(project?.tools[0]?.contract).toMatchObject({ not_proved: null, undone: true });
    // It was done once, and taken back.
    expect(shop.refunds).toEqual([]);
  } finally {
    shop.close();
    rmSync(path.dirname(file), { recursive: true });
  }
});

test("a proof that tried nothing ends with exit code 1, and says so", async () => {
  // One program is too few for a value and a failure.
  const end = await cliHere(["prove", "sandbox", "--programs", "1", "--json"]);
  expect(end.code).toBe(1);
  const { ok, violations } = ProofReport.parse(JSON.parse(end.stdout));
  expect(ok).toBe(false);
  expect(violations[0]).toMatchObject({ what: expect.stringContaining("Nothing was tried"), case: null });
});

test("one case alone is a whole run with that case", async () => {
  const end = await cliHere(["prove", "sandbox", "--case", "7", "--json"]);
  expect(end.code).toBe(0);
  expect(JSON.parse(end.stdout).figures.programs).toBe(1);
});

test.each([
  { args: ["sandbox", "--programs", "many"], code: "bad_usage", says: "--programs must be a whole number" },
  { args: ["sandbox", "--programs", "0"], code: "bad_usage", says: '1 or more, got "0"' },
  { args: ["sandbox", "--seed", "-1"], code: "bad_usage", says: "--seed must be a whole number" },
  { args: ["sandbox", "--seed", ""], code: "bad_usage", says: '"random"' },
  { args: ["sandbox", "--case", "x"], code: "bad_usage", says: "--case must be a whole number" },
  { args: ["sandbox", "--project", "."], code: "bad_usage", says: "does not take --project" },
  { args: ["all", "--project", "."], code: "bad_usage", says: "does not take --project" },
  { args: ["effects", "--tool", "pay"], code: "bad_usage", says: "give --project FOLDER" },
  { args: ["effects", "--call-tools"], code: "bad_usage", says: "give --project FOLDER" },
  { args: ["effects", "--project", ".", "--args", "x.json"], code: "bad_usage", says: "give --call-tools" },
  {
    args: ["effects", "--project", "examples/refund", "--call-tools", "--args", "package.json"],
    code: "invalid_input",
    says: "arguments of each tool by its name",
  },
  {
    args: ["effects", "--project", "examples/refund", "--call-tools"],
    code: "confirmation_required",
    says: "This calls 2 tool(s) of the project for real. Nothing was called.",
  },
  { args: ["effects", "--project", "docs"], code: "not_found", says: "has none of navigator.config.json" },
  { args: ["effects", "--project", "examples/plans/lamps.yaml"], code: "not_found", says: "not a configuration file" },
  {
    args: ["effects", "--project", "examples/refund", "--tool", "refund"],
    code: "bad_usage",
    says: "Unknown tool: refund. Tools: get_order",
  },
  { args: ["effects", "--project", "examples/research"], code: "bad_project", says: "no tool with effects to prove" },
  { args: ["all", "--programs", "5"], code: "bad_usage", says: "--programs" },
  { args: ["sandbox", "--calls", "5"], code: "bad_usage", says: "--calls" },
  { args: ["sandbx"], code: "bad_usage", says: "sandbx" },
  { args: [], code: "bad_usage", says: "sandbox" },
])("navigator prove $args is refused as $code, exit code 2", async ({ args, code, says }) => {
  const end = await cliHere(["prove", ...args, "--json"]);
  expect(end).toMatchObject({ code: 2, stdout: "" });
  const { error } = JSON.parse(end.stderr);
  expect(error.code).toBe(code);
  expect(error.message).toContain(says);
});

test("a proof that needs a server ends with exit code 3 where none answers", async () => {
  const end = await cliHere(["prove", "history", "--quick", "--json"], { TEMPORAL_ADDRESS: "127.0.0.1:1" });
  expect(end).toMatchObject({ code: 3, stdout: "" });
  expect(JSON.parse(end.stderr).error.code).toBe("temporal_unavailable");
});

test.each([
  { args: ["history", "--calls", "3"], says: '--calls must be a whole number, from 8 to 2000, got "3".' },
  { args: ["crash", "--victims", "worker,cat"], says: 'of: worker, server, mcp. Got "cat".' },
  { args: ["crash", "--every", "0"], says: '--every must be a whole number, 1 or more, got "0".' },
])("navigator prove $args is refused before anything starts", async ({ args, says }) => {
  const end = await cliHere(["prove", ...args, "--json"], { TEMPORAL_ADDRESS: "127.0.0.1:1" });
  expect(end).toMatchObject({ code: 2, stdout: "" });
  expect(JSON.parse(end.stderr).error).toMatchObject({
    code: "bad_usage",
    message: expect.stringContaining(says),
  });
});

const proveCommand = (): Command => {
  const silent = { write: () => {} };
  const prove = new Command("navigator").command("prove");
  registerProofs(prove, createIo({ stdout: silent, stderr: silent }, {}));
  return prove;
};

test.each(proveCommand().commands)("the help of $_name has an example of the command", (command) => {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  expect(help).toContain(`\nExample:\n  $ navigator prove ${command.name()} `);
});

test("the help of prove and of a proof has the options of every command", async () => {
  const [group, proof] = [await cliHere(["prove", "--help"]), await cliHere(["prove", "sandbox", "--help"])];
  expect(group).toMatchObject({ code: 0, stderr: "" });
  for (const { name, promise } of PROOFS)
    expect(group.stdout).toMatch(new RegExp(`\n  ${name} .*${promise.slice(0, 20)}`));
  expect(proof).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("--json") });
});

test("every proof has a command with its promise and its sizes, and is run by `all`", () => {
  const prove = proveCommand();
  expect(prove.commands.map((command) => command.name())).toEqual([...PROOFS.map(({ name }) => name), "all"]);
  for (const { name, promise, sizes } of PROOFS) {
    const command = prove.commands.find((one) => one.name() === name);
    expect(command?.description()).toBe(promise);
    const options = command?.options.map(({ long }) => long);
    expect(options).toEqual(expect.arrayContaining(Object.keys(sizes).map((size) => `--${size}`)));
  }
});
