import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Commands, openPlace, type Place, program } from "../support/cli";
import { until } from "../support/until";

/** `navigator undo`: what it shows, when it asks, and what its exit codes are. */

let place: Place;
let commands: Commands;
const calls = () => readFileSync(path.join(place.folder, "calls.log"), "utf8").trim().split("\n");
/** The undos in their order, without their keys. One whose worker was lost is made again, with its key: it stands here once. */
const undos = () =>
  [...new Set(calls().filter((line) => line.startsWith("undo ")))].map((line) => line.split(" ").slice(0, 2).join(" "));

/** A command that goes on beside this process, and what it has said so far. */
function started(args: string[]) {
  const main = path.join(__dirname, "../../dist/cli/main.js");
  const child = spawn(process.execPath, [main, ...args], { cwd: place.folder, env: process.env });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const command = { said: "", ended };
  child.stderr.on("data", (chunk) => {
    command.said += chunk;
  });
  return command;
}

beforeAll(async () => {
  place = await openPlace("undo");
  mkdirSync(path.join(place.folder, "agents"), { recursive: true });
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     const { appendFileSync, existsSync } = require("node:fs");
     const waits = async () => { while (!existsSync(__dirname + "/go")) await new Promise((resolve) => setTimeout(resolve, 50)); };
     const note = (line) => appendFileSync(__dirname + "/calls.log", line + "\\n");
     const book = { name: "book", signature: "(n :int) -> {tx :int}", undoCost: 0.5, run: ({ n }) => (note("book " + n), { tx: n }) };
     module.exports = {
       agents: "./agents",
       script: "./script.json",
       tools: [
         defineTool({ ...book, undo: async ({ n }, _, call) => { note("undo " + n + " " + call.idempotencyKey); if (n === 13) throw new Error("the hotel says no"); if (n === 21) await waits(); } }),
         defineTool({ name: "mail", signature: "(to :string) -> :string", run: () => "sent" }),
       ],
     };`,
  );
  place.write("agents/trip.yaml", "prompt: Book a trip.\ntools: [book, mail]\n");
  place.write("agents/bad.yaml", "prompt: Book a trip.\ntools: [book]\n");
  place.write("agents/slow.yaml", "prompt: Book a trip.\ntools: [book]\n");
  place.write("script.json", {
    trip: [
      program(
        '(do (task "hotel" (tool/book {:n 1})) (tool/mail {:to "ann"}) (task "car" (tool/book {:n 2})) (return 1))',
      ),
    ],
    slow: [program('(do (task "hotel" (tool/book {:n 20})) (tool/book {:n 21}) (return 1))')],
    bad: [program("(do (tool/book {:n 12}) (tool/book {:n 13}) (return 1))")],
  });
  commands = place.here();
  await commands.json(["run", "trip", "--id", "trip"]);
  await commands.json(["run", "bad", "--id", "bad"]);
  await commands.json(["run", "slow", "--id", "slow"]);
});
afterAll(() => place.close());

test("shows what would be undone, what cannot be and what it costs, and undoes nothing", async () => {
  const { code, stdout } = await commands.run(["undo", "trip", "--dry-run"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /Undo of agent\/trip, in this order:\n +1 {2}book {"n":2} \(task car, .*\), \$0.5\n +2 {2}book {"n":1}/,
  );
  expect(stdout).toContain("Cost: $1\n");
  expect(stdout).toMatch(/Cannot be undone and remains:\n +- mail {"to":"ann"} .*: tool\/mail has no undo/);
  expect(await commands.json(["undo", "trip", "--to", "hotel", "--dry-run"])).toMatchObject({
    steps: [{ task: "car" }],
    remaining: [{ tool: "mail" }],
  });
});

test("is refused without a terminal and without --yes", async () => {
  const refused = await commands.refused(["undo", "trip"], { code: 2 });
  expect(refused).toMatchObject({ code: "confirmation_required", hint: expect.stringContaining("--yes") });
  expect(await commands.refused(["undo", "trip", "--to", "nowhere", "--yes"], { code: 2 })).toMatchObject({
    code: "not_found",
    details: { path: "nowhere", kind: "record" },
  });
  expect(undos()).toEqual([]);
});

test("undoes a part, then the rest; the ledger says so", async () => {
  const part = await commands.json(["undo", "trip", "--to", "hotel", "--yes"]);
  expect(part).toMatchObject({ workflow_id: "undo/agent/trip/1", undone: [expect.any(String)], failed: [], left: [] });
  const { code, stdout } = await commands.run(["undo", "trip", "--yes", "--by", "anna"]);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1 undone\.\n1 could not be undone/),
  });
  expect(undos()).toEqual(["undo 2", "undo 1"]);
  const { effects } = await commands.json(["effects", "trip"]);
  expect(effects.map(({ tool, state }: { tool: string; state: string }) => `${tool} ${state}`)).toEqual([
    "book undone",
    "mail done",
    "book undone",
  ]);
  const undone = { at: expect.any(Number), undo: "undo/agent/trip/2", by: "anna" };
  expect(effects.map(({ undone }: { undone?: object }) => undone)).toEqual([
    undone,
    undefined,
    expect.objectContaining({ undo: "undo/agent/trip/1" }),
  ]);
  const said = /undone \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, by anna, undo\/agent\/trip\/2/;
  expect((await commands.run(["effects", "trip"])).stdout).toMatch(said);
  expect((await commands.run(["log", "trip"])).stdout).toMatch(said);
  expect((await commands.json(["log", "trip"])).undone).toMatchObject([{ tool: "book" }, { tool: "book", ...undone }]);
  expect((await commands.run(["undo", "trip", "--yes"])).stdout).toContain(
    "Nothing that agent/trip did can be undone.",
  );
});

test("waits for an undo that is under way, and then undoes what is left", async () => {
  const part = commands.run(["undo", "slow", "--to", "hotel", "--yes"]);
  await until(async () => undos().includes("undo 21"), "the first undo is under way");
  const rest = started(["undo", "slow", "--yes"]);
  await until(async () => rest.said.includes("An undo is under way: undo/agent/slow/1"), "the second one waits");
  place.write("go", "");
  expect(await part).toMatchObject({ code: 0, stdout: "1 undone.\n" });
  expect(await rest.ended).toBe(0);
  expect(rest.said).toContain("Undo of agent/slow, in this order:");
  // Each with one key: with another it would stand here twice.
  expect(undos().filter((line) => /^undo 2\d$/.test(line))).toEqual(["undo 21", "undo 20"]);
});

test("exits with 1 when something could not be undone, and says what was not tried", async () => {
  const { code, stdout } = await commands.run(["undo", "bad", "--yes"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^0 undone\.\nNot undone: book \(the hotel says no\)[\s\S]*1 not tried after that/);
  expect(await commands.json(["undo", "bad", "--yes", "--continue"], { code: 1 })).toMatchObject({
    undone: [expect.any(String)],
    failed: [{ message: "the hotel says no" }],
  });
});
