import { type ExecFileException, execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { testAddress } from "../support/environment";
import { deepTest } from "../support/run/deep";

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

test("order: the worker dies after the money moved, and the card is charged once", async () => {
  const { code, told } = await play("order");
  expect({ code, told }).toMatchObject({
    code: 0,
    told: { charges: 1, charge_requests: 2, refunds: 0, shipments: 1 },
  });
});

test("an unknown example is refused with the known ones", async () => {
  await expect(play("refnd")).rejects.toThrow(
    /ended with 2:\n.*"bad_usage".*order, coding, reconciliation, refund, research/,
  );
});

describe("what the README lists", () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const commands = [...readme.matchAll(/npm run example (\w+)/g)].map(([, name]) => name as string);

  test("are the five examples", () =>
    expect(commands).toEqual(["order", "refund", "research", "reconciliation", "coding"]));

  test.each(commands)("%s has every part that a reader needs, and its own README has the command", (name) => {
    const folder = path.join(root, "examples", name);
    expect(readFileSync(path.join(folder, "README.md"), "utf8")).toContain(`npm run example ${name}`);
    for (const file of ["navigator.config.cjs", "agents"]) expect(existsSync(path.join(folder, file))).toBe(true);
  });
});

/** The example that docs/library.md links to. */
const example = path.join(root, "examples/library/first-mission.cjs");

deepTest("the library example charges once, waits for its decision, and finds its result when run again", async () => {
  const id = `example-${randomUUID()}`;
  const run = async () => (await promisify(execFile)(process.execPath, [example, id])).stdout;
  const log = [
    "## Mission Log (Completed Tasks)",
    '- [done] charge_42: {"tx" "tx_42"}',
    "- [done] payment_confirmed: true",
    'returned {"paid":true}',
    "",
  ].join("\n");
  const [charging, ...rest] = (await run()).split("\n");
  expect(charging).toMatch(new RegExp(`^charging, key agent/${id}~[\\w-]{43}~1$`));
  expect(rest.join("\n")).toBe(log);
  expect(await run()).toBe(log);
});

test("docs/library.md shows the decision of this example", () => {
  const page = readFileSync(path.join(root, "docs/library.md"), "utf8");
  const [, decision] = /(mission\.recordDecision\(.*?\}\))/.exec(readFileSync(example, "utf8")) ?? [];
  expect(decision).toBeDefined();
  expect(page).toContain(decision);
});
