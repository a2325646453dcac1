import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { allPlaces } from "../mutations/bundle";
import { deepTest } from "../support/run/deep";

/** A sample of `npm run test:mutations`, which tries every place. */
const root = path.join(__dirname, "../..");

test("places in all workflow code are found without a list", () => {
  const places = allPlaces();
  expect(places.length).toBeGreaterThan(150);
  for (const kind of ["await", "command", "async function", "handler"])
    expect(places.filter((place) => place.kind === kind).length).toBeGreaterThan(15);
});

deepTest("an extra timer is noticed, with and without its switch; the unchanged code replays", async () => {
  const args = ["-r", path.join(root, "scripts/register-ts.cjs"), path.join(root, "test/mutations/main.ts")];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, "--sample", "2"], { cwd: root });
  expect(stdout).toMatch(/^4 mutations, .* 4 noticed, 0 exempt, 0 survive, 0 wrongly/m);
});
