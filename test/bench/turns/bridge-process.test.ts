import { readFileSync } from "node:fs";
import path from "node:path";
import { BridgeProcess } from "../../../bench/turns/bfcl/bridge-process";
import { READS } from "../../../bench/turns/bfcl/reads";
import { BFCL } from "../../../bench/turns/bfcl/suite";

/** The process with the simulators of a suite. A script of Node stands for Python here. */

const ECHO = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, op, ...args } = JSON.parse(line);
  if (op === "end") process.exit(3);
  const said = op === "fail" ? { id, error: "it went wrong" } : { id, answer: { op, args } };
  setTimeout(() => console.log(JSON.stringify(said)), op === "slow" ? 50 : 0);
});`;

const open = () => new BridgeProcess(process.execPath, ["-e", ECHO], process.env);

test("answers come to the questions that they belong to, in any order", async () => {
  const bridge = open();
  const answers = await Promise.all([bridge.ask("slow", { a: 1 }), bridge.ask("quick")]);
  expect(answers).toEqual([
    { op: "slow", args: { a: 1 } },
    { op: "quick", args: {} },
  ]);
  await bridge.close();
});

test("what the other side throws is thrown here", async () => {
  const bridge = open();
  await expect(bridge.ask("fail")).rejects.toThrow("The bridge failed: it went wrong");
  await bridge.close();
});

test("a process that ends leaves nobody waiting", async () => {
  const bridge = open();
  await expect(Promise.all([bridge.ask("slow"), bridge.ask("end")])).rejects.toThrow("The bridge ended (exit code 3).");
  await bridge.close();
});

test("a program that is not there is said", async () => {
  const bridge = new BridgeProcess("/no/such/python", [], process.env);
  await expect(bridge.ask("load")).rejects.toThrow("ENOENT");
});

const requirements = readFileSync(path.join(__dirname, "../../../bench/peers/bfcl/requirements.txt"), "utf8");

test("what is installed is pinned by version and by hash, and the suite says the same version", () => {
  const lines = requirements.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  for (const line of lines) expect(line).toMatch(/^[a-z-]+==[\d.]+ --hash=sha256:[0-9a-f]{64}$/);
  const [, version] = /^bfcl-eval==(\S+)/m.exec(requirements) as unknown as [string, string];
  expect(BFCL.about).toContain(version);
});

test("no tool that draws a random number or remembers something counts as a read", () => {
  const writes = [
    "get_current_speed",
    "get_flight_cost",
    "displayCarStatus",
    "get_outside_temperature_from_google",
    "cd",
  ];
  expect(writes.filter((name) => READS.has(name))).toEqual([]);
});
