import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

/** The README's code, as it stands there. */
const root = path.join(__dirname, "../..");
const example = path.join(root, "examples/library/first-mission.cjs");

test("the library example charges once, waits for its decision, and finds its end when run again", async () => {
  const id = `example-${randomUUID()}`;
  const run = async () => (await promisify(execFile)(process.execPath, [example, id])).stdout;
  const log = [
    "## Mission Log (Completed Tasks)",
    '- [done] charge_42: {"tx" "tx_42"}',
    "- [done] payment_confirmed: true",
    'returned {"paid":true}',
    "",
  ].join("\n");
  expect(await run()).toBe(`charging, key agent/${id}/charge_42\n${log}`);
  expect(await run()).toBe(log);
});

test("the README shows that very example", () => {
  expect(readFileSync(path.join(root, "README.md"), "utf8")).toContain(readFileSync(example, "utf8").trim());
});
