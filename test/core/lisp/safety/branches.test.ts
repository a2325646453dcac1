import fc from "fast-check";
import type { JournalPort } from "../../../../src/core/lisp/program";
import { assertProperty } from "../../../support/run/property";
import { Paused, told } from "../run";

test("branches with nested tasks end for every order of tool answers, and record each task once", () => {
  const id = fc.constantFrom("a", "b", "c");
  const branch = fc.array(fc.tuple(id, fc.boolean()), { minLength: 1, maxLength: 3 });
  assertProperty(
    fc.property(fc.array(branch, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.nat()), (branches, picks) => {
      const commits: string[] = [];
      const records = new Map();
      const journal: JournalPort = {
        has: (one) => records.has(one),
        get: (one) => records.get(one),
        commit: (one, value) => {
          commits.push(one);
          records.set(one, value);
        },
        reset: () => {},
      };
      const source = branches.map((steps, n) => `(fn [] ${nested(steps, String(n))})`).join(" ");
      const paused = new Paused(`(pcalls ${source})`, { port: journal });
      while (paused.end === undefined) {
        expect(paused.calls).not.toEqual([]);
        paused.answer(paused.calls[picks.next().value! % paused.calls.length]!);
      }
      const inside = branches.some((steps) => new Set(steps.map(([one]) => one)).size < steps.length);
      if (!inside) expect([...commits].sort()).toEqual([...new Set(commits)].sort());
      expect(paused.end.outcome.kind === "value" || told(paused.end).message).toEqual(
        paused.end.outcome.kind === "value" ? true : expect.stringMatching(/would wait for ever/),
      );
    }),
    { numRuns: 1_000 },
  );
});

/** Each task calls a tool before, after or around the next one. */
function nested([[id, first] = ["", false], ...rest]: [string, boolean][], n: string): string {
  if (id === "") return "1";
  const call = `(tool/echo {:n "${n}.${rest.length}"})`;
  const inner = nested(rest, n);
  return `(task "${id}" (do ${first ? `${call} ${inner}` : `${inner} ${call}`} 1))`;
}
