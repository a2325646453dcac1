import { type ExecFileException, execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { temporaryFolder, testAddress } from "../support/environment";

/** Every example as its reader runs it, on the test server; what it did outside is counted. */
const root = path.join(__dirname, "../..");

const runner = path.join(root, "dist/examples/runner/main.js");

interface Played {
  code: number;
  stderr: string;
  told: {
    effects: { [kind: string]: number };
    runs: { return: unknown; fail: unknown; journal: object; reviews: { status: string; decision?: object }[] }[];
    [fact: string]: unknown;
  };
}

async function play(name: string, env: NodeJS.ProcessEnv = {}): Promise<Played> {
  const { PATH, HOME } = process.env;
  const options = { env: { PATH, HOME, TEMPORAL_ADDRESS: testAddress(), ...env }, timeout: 400_000 };
  const args = [runner, name, "--yes", "--json"];
  const { stdout, stderr, code } = await promisify(execFile)(process.execPath, args, options).then(
    (end) => ({ ...end, code: 0 }),
    (end: ExecFileException & { stdout: string; stderr: string }) => ({ ...end, code: Number(end.code ?? -1) }),
  );
  if (stdout === "") throw new Error(`the example ${name} ended with ${code}:\n${stderr}`);
  return { code, stderr, told: JSON.parse(stdout) as Played["told"] };
}

test("refund: exactly the approved calls run, two people approve a large amount, nothing runs after a rejection", async () => {
  const { code, told, stderr } = await play("refund");
  expect(code).toBe(0);
  expect(told.effects).toEqual({ refunds: 2, "cents given back": 2500 + 129_900 });
  expect(told.refunds).toMatchObject([
    { order_id: 42, cents: 2500 },
    { order_id: 77, cents: 129_900 },
  ]);
  expect(told.feedback).toMatch(
    /^Note: anna changed the arguments of tool\/refund_card before it ran, to \{:cents 2500 /,
  );
  expect(told.runs.map((run) => run.return)).toEqual([
    { outcome: "refunded", cents: 2500 },
    { outcome: "refunded", cents: 129_900 },
    { outcome: "refused", why: "a person rejected the refund" },
  ]);
  expect(told.runs.map(({ reviews }) => reviews.length)).toEqual([1, 1, 1]);
  // Asked by the first worker, answered to the second.
  expect(stderr).toMatch(/worker \d+ is up\n.*the worker is killed during that time\n.*worker \d+ is up/);
});

test("research: all sides are searched in parallel, irrelevant findings are dropped, a spent budget is topped up", async () => {
  const { code, told } = await play("research");
  expect(code).toBe(0);
  expect(told.effects).toEqual({ searches: 4, judgements: 11, "findings kept": 9, sources: 4 });
  expect(told.compression).toMatchObject({ enabled: true, turns_compressed: 2 });
  const [lead, writer] = told.runs;
  expect(lead?.reviews).toMatchObject([{ status: "decided", decision: { choice: "top_up", by: "anna" } }]);
  expect(writer).toMatchObject({ fail: null, return: { title: "A heat pump in a house of 1928" } });
});

test("reconciliation: missed nights are caught up, and starting the same nights again books nothing", async () => {
  const { code, told } = await play("reconciliation");
  expect(code).toBe(0);
  expect(told.effects).toEqual({
    "bookings of missing entries": 3,
    corrections: 1,
    "requests to book, in all": 4,
    "requests when started again": 0,
  });
  expect(told.runs.map((run) => run.return)).toEqual([
    { booked: 1, corrected: 0, left: [] },
    { booked: 1, corrected: 1, left: ["t-105"] },
    { booked: 1, corrected: 0, left: ["t-105"] },
  ]);
});

test("coding: the source is fixed, the tests pass, and only the change log needed a person", async () => {
  const { code, told } = await play("coding");
  expect(code).toBe(0);
  expect(told.effects).toEqual({
    "failing tests before": 1,
    "failing tests after": 0,
    "passing tests after": 3,
    "files changed": 2,
  });
  expect(told.changed).toEqual(["src/total.js", "CHANGELOG.md"]);
  expect(told.runs[0]?.reviews).toMatchObject([{ title: "Call files_write_file?", status: "decided" }]);
});

test("coding: a tool that writes without approval changes nothing outside src", async () => {
  const folder = temporaryFolder("coding-script");
  const program = (source: string) => `\`\`\`clojure\n${source}\n\`\`\``;
  const script = [
    program('(tool/src_write_file {:path (str (tool/sandbox {}) "/CHANGELOG.md") :content "gone"})'),
    program('(return {:passed 0 :failed 1 :cause "refused"})'),
  ];
  const file = path.join(folder.path, "script.json");
  writeFileSync(file, JSON.stringify(script));
  const { told } = await play("coding", { NAVIGATOR_MODEL: `scripted:${file}` });
  folder.remove();
  expect(told.effects).toMatchObject({ "failing tests after": 1, "files changed": 0 });
  expect(told.runs[0]).toMatchObject({ return: { cause: "refused" }, reviews: [] });
});
