import { spawnSync } from "node:child_process";
import path from "node:path";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/main";
import { createIo } from "../../src/cli/terminal/io";
import { cliHere } from "../support/cli";
import { runCli } from "../support/environment";

/** What the command line refuses before it does anything: exit code 2, a suggestion, and the same as JSON. */

test.each([
  { args: ["servr"], code: "bad_usage", hint: "Did you mean server?" },
  { args: ["server"], code: "bad_usage", hint: "navigator server --help" },
  { args: ["server", "start", "--prt", "1"], code: "bad_usage", hint: "Did you mean --port?" },
  { args: ["server", "start", "--port"], code: "bad_usage", hint: "navigator server start --help" },
  { args: ["server", "start", "--port", "70000"], code: "bad_usage", hint: "navigator server start --help" },
  { args: ["server", "stop", "now"], code: "bad_usage", hint: "navigator server stop --help" },
])("navigator $args is refused as $code", async ({ args, code, hint }) => {
  const forPeople = await cliHere(args);
  expect(forPeople).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(`[${code}]`) });
  expect(forPeople.stderr).toContain(hint);
  const forMachines = await cliHere([...args, "--json"]);
  expect(forMachines).toMatchObject({ code: 2, stdout: "" });
  expect(JSON.parse(forMachines.stderr).error).toMatchObject({ code, hint: expect.stringContaining(hint) });
});

test("the process of a refused command writes to stderr alone and ends with exit code 2", async () => {
  const end = await runCli(["servr", "--json"]);
  expect(end).toMatchObject({ code: 2, stdout: "" });
  expect(JSON.parse(end.stderr).error).toMatchObject({ code: "bad_usage", details: { path: "servr" } });
});

test.each([
  { setting: "NAVIGATOR_PORT", value: "lots" },
  { setting: "NAVIGATOR_MODEL", value: "gpt" },
  { setting: "NAVIGATOR_MODEL", value: "scripted:" },
  { setting: "NAVIGATOR_LOG_LEVEL", value: "loud" },
  { setting: "NAVIGATOR_DOWNLOAD_BASE", value: "not a url" },
])("the setting $setting=$value is refused by name, exit code 2", async ({ setting, value }) => {
  const end = await cliHere(["server", "status", "--json"], { [setting]: value });
  expect(end).toMatchObject({ code: 2, stdout: "" });
  expect(JSON.parse(end.stderr).error).toMatchObject({
    code: "bad_config",
    details: { path: setting, issues: [{ setting }] },
  });
});

test("help goes to stdout with exit code 0, at every level", async () => {
  for (const args of [[], ["--help"], ["server", "--help"], ["server", "start", "--help"]]) {
    const end = await cliHere(args);
    expect(end).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Usage: navigator") });
    expect(end.stdout).toContain("--json");
  }
});

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

test("the help of every command has an example that begins with the command itself", () => {
  const silent = { write: () => {} };
  const program = createProgram(createIo({ stdout: silent, stderr: silent }, {}), () => {});
  const names: string[] = [];
  for (const command of leaves(program)) {
    let help = "";
    const writeOut = (text: string) => {
      help += text;
    };
    command.configureOutput({ writeOut }).outputHelp();
    const usage = /^Usage: (navigator [a-z -]*[a-z])/.exec(help)?.[1] ?? "";
    names.push(usage);
    expect(help).toMatch(new RegExp(`\\nExample:\\n  \\$ (.*\\| )?${usage}( |\\n|$)`));
  }
  expect(names).toContain("navigator journal set");
});

test("help loads neither zod nor the Temporal SDK: a command loads what it needs when it runs", () => {
  const listing =
    'import { Module } from "node:module"; process.on("exit", () => process.stderr.write(JSON.stringify(Object.keys(Module._cache))));';
  const main = path.join(__dirname, "../../dist/cli/main.js");
  const options = ["--import", `data:text/javascript,${encodeURIComponent(listing)}`];
  const end = spawnSync(process.execPath, [...options, main, "--help"], { encoding: "utf8" });
  const loaded = JSON.parse(end.stderr) as string[];
  expect(end.stdout).toContain("Usage: navigator");
  expect(loaded.length).toBeGreaterThan(20);
  expect(loaded.filter((file) => /node_modules\/(zod|@temporalio)\//.test(file))).toEqual([]);
  expect(loaded.filter((file) => file.includes("/cli/commands/"))).toEqual([expect.stringMatching(/prove\.js$/)]);
});
