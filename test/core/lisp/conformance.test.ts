import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { answerText, type LispAnswer, runBatchLine } from "../../../src/simulate/lisp-batch";

/** Cases collected from the original's own tests. They are not part of this repository and need not be there. */
const root = path.join(__dirname, "../../..");
const cases = path.join(root, "../shared/data/ptc-lisp-cases.jsonl");
const deviations = readFileSync(path.join(root, "docs/ptc-lisp-deviations.md"), "utf8");

interface Case {
  id: string;
  program: string;
  expect: { ok: unknown } | { fail: { reason: string } };
  prints?: string[];
}

function agrees({ expect, prints }: Case, answer: LispAnswer): boolean {
  if (prints && !isDeepStrictEqual(answer.prints, prints)) return false;
  if ("ok" in expect) return isDeepStrictEqual(answer.ok, expect.ok);
  return [answer.fail?.reason, answer.fail?.details?.code].includes(expect.fail.reason);
}

const listed = new Set([...deviations.matchAll(/^\| `([a-z_]+\/\d+)` \|/gm)].map((match) => match[1]));

// The summary of the run names what was skipped by the title of its group.
(existsSync(cases) ? describe : describe.skip)(
  existsSync(cases)
    ? "the collected cases of the original"
    : "the collected cases of the original: ../shared/data/ptc-lisp-cases.jsonl is not here",
  () => {
    const read = () =>
      readFileSync(cases, "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line) as Case);
    const answerOf = ({ id, program }: Case): LispAnswer =>
      JSON.parse(answerText(runBatchLine(JSON.stringify({ id, program }), () => 0)));

    test("have the original's answers, except for the listed deviations", () => {
      const missed = read().filter((one) => !agrees(one, answerOf(one)));
      expect(missed.map((one) => one.id).filter((id) => !listed.has(id))).toEqual([]);
    });

    test("have the original's answers in at least 99 %, and every listed deviation is a real one", () => {
      const all = read();
      const missed = all.filter((one) => !agrees(one, answerOf(one))).map((one) => one.id);
      expect(missed.length / all.length).toBeLessThan(0.01);
      expect(missed.sort()).toEqual([...listed].sort());
    });
  },
);

test("deviations are listed by case id", () => expect(listed.size).toBeGreaterThan(0));
