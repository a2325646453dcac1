import { spawnSync } from "node:child_process";
import path from "node:path";

/** The official suite of both eras (mcp reference, section 12), with what the documents say of it. */

test("the conformance suite passes in both eras, and its figures are those of the documents", () => {
  const script = path.join(__dirname, "../../scripts/conformance.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect({ status, stdout, stderr: status === 0 ? "" : stderr }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/2025-11-25 {2}required: 30 of 30 [\s\S]*2026-07-28 {2}required: 37 of 37 /),
    stderr: "",
  });
});
