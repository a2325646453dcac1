import { spawn } from "node:child_process";
import path from "node:path";
import { cases, part } from "../../../support/run/property";
import { HOARDS } from "./material/hoards";
import { GENERATED } from "./material/settings";

/**
 * The limit on memory is counted; this is what the count is worth. Programs that keep all they make run with a limit of
 * 8 MiB (generated ones: 2 MiB) in a process that dies when its heap grows past 72 MB, itself and the compiler of the
 * tests included.
 */
const root = path.join(__dirname, "../../../..");

interface Report {
  name: string;
  end: string | string[];
  /** Bytes that the program held in the end, and might have held. */
  taken?: number;
  max_bytes?: number;
}

function inSmallMemory(kind: string): Promise<{ code: number | null; reports: Report[]; errors: string }> {
  const hook = path.join(root, "scripts/register-ts.cjs");
  const flags = ["--expose-gc", "--max-old-space-size=72", "--max-semi-space-size=8", "-r", hook];
  const child = spawn(process.execPath, [...flags, path.join(__dirname, "material/heap-child.ts"), kind], {
    cwd: root,
  });
  let [out, errors] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const lines = out.split("\n").filter((line) => line.startsWith("{"));
      resolve({ code, reports: lines.map((line) => JSON.parse(line) as Report), errors });
    });
  });
}

/** As a multiple of what was counted at most. */
const MOST = 3;

test.each([
  ["written", part(HOARDS).length - 1],
  ["generated", cases(GENERATED) - 1],
])("%s programs that keep what they make stay near their limit, and leave nothing open", async (kind, least) => {
  const { code, reports, errors } = await inSmallMemory(kind);
  expect(code === 0 ? "" : `exit code ${code}: ${errors.slice(0, 2_000)}`).toBe("");
  expect(reports.pop()).toEqual({ name: "left open", end: [] });
  expect(reports.length).toBeGreaterThan(least);
  expect(reports.filter(({ taken, max_bytes }) => !(taken! <= MOST * max_bytes!))).toEqual([]);
  const refused = reports.filter(({ end }) => end === "memory_exceeded");
  expect(refused.length).toBeGreaterThan(least / 3);
});
