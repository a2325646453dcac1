import path from "node:path";
import { defineProof } from "../../prove/frame/proof";
import type { ProofViolation } from "../../prove/frame/report";
import { type ProofRun, runProof } from "../../prove/frame/run-proof";
import { sandboxProof } from "../../prove/sandbox/definition";
import type { Fingerprint, Setting } from "../../prove/sandbox/fingerprint";
import { proveSandbox } from "../../prove/sandbox/prove-sandbox";
import type { Realm } from "../../prove/sandbox/realm";
import { smallerPrograms } from "../../prove/sandbox/smaller-programs";
import { sourceRealm } from "../core/lisp/safety/material/source-realm";
import { deepTest } from "../support/run/deep";
import { sized } from "../support/run/property";

/** The proof of the command, on the sources, and on evaluators that are broken on purpose. */

const ENTRY = path.join(__dirname, "../../prove/sandbox/fingerprint");

const prove = (programs: number, open: () => Realm = () => sourceRealm(ENTRY), more: Partial<ProofRun> = {}) =>
  runProof(defineProof({ ...sandboxProof, load: async () => proveSandbox({ open }) }), {
    seed: 1,
    sizes: { programs: String(programs) },
    ...more,
  });

/** A realm whose evaluator does something else with programs that contain `def`. */
const broken = (change: (end: Fingerprint, setting: Setting, realm: number) => unknown) => {
  let realms = 0;
  return (): Realm => {
    const number = realms++;
    const realm = sourceRealm(ENTRY);
    return {
      call: (name, args, timeout_ms) => {
        const [source, setting] = args as [string, Setting];
        const end = realm.call(name, args, timeout_ms) as Fingerprint;
        return source.includes("(def ") ? change(end, setting, number) : end;
      },
    };
  };
};

const smallestOf = (found: ProofViolation | undefined): string =>
  (found?.smallest as { source?: string } | undefined)?.source ?? "";

test("generated programs stay inside, end, and go the same way again", async () => {
  const programs = sized(100, 500);
  const report = await prove(programs);
  expect(report.violations).toEqual([]);
  expect(report.figures.programs).toBe(programs);
  expect(report.figures.values).toBeGreaterThan(programs / 10);
  expect(report.figures.kinds_of_failures).toBeGreaterThan(8);
  expect(report.figures.tool_calls).toBeGreaterThan(programs / 10);
});

test.each([
  {
    fault: "gets out",
    change: (end: Fingerprint) => ({ ...end, faults: ["a function of the host"] }),
    says: "It got out: a function of the host.",
  },
  {
    fault: "is different in another realm",
    change: (end: Fingerprint, _: Setting, realm: number) => ({ ...end, steps: end.steps + (realm % 2) }),
    says: "It went another way when replayed in another realm",
  },
  {
    fault: "breaks the evaluator",
    change: () => {
      throw new TypeError("x is not a function");
    },
    says: "The evaluator threw TypeError: x is not a function.",
  },
  {
    fault: "fails without an error that anybody could use",
    change: (end: Fingerprint) => ({ ...end, kind: "error", reason: "eval_error", code: "no_code", message: "" }),
    says: "a message of 0 characters",
  },
])("a program that $fault is found, and made small", async ({ change, says }) => {
  const programs = sized(15, 60);
  const report = await prove(programs, broken(change));
  expect(report.ok).toBe(false);
  const [found] = report.violations;
  expect(found).toMatchObject({ what: expect.stringContaining(says), seed: 1 });
  expect(found?.command).toBe(`navigator prove sandbox --seed 1 --programs ${programs} --case ${found?.case}`);
  const source = smallestOf(found);
  expect(source).toContain("(def ");
  expect(source.length).toBeLessThan(20);
  // The command that runs just that finds the same.
  const again = await prove(programs, broken(change), { only: found?.case as number });
  expect(again.violations).toEqual([found]);
});

test("a program that goes another way when it is continued from its state is found", async () => {
  const change = (end: Fingerprint, { continued }: Setting) => (continued ? { ...end, text: "lost" } : end);
  const report = await prove(sized(60, 200), broken(change));
  expect(report.violations[0]?.what).toContain("It went another way when continued from its state");
  expect(smallestOf(report.violations[0])).toMatch(/\(tool/);
});

deepTest("a program that never ends is found: its realm is stopped and replaced", async () => {
  const open = () => sourceRealm(path.join(__dirname, "material/hanging-evaluator"));
  const report = await runProof(
    defineProof({ ...sandboxProof, load: async () => proveSandbox({ open, hang_ms: 100 }) }),
    { seed: 1, sizes: { programs: sized("30", "40") } },
  );
  expect(report.violations.map(({ what }) => what)).toContain("It did not end within 100 ms.");
  expect(report.violations.map(smallestOf)).toContainEqual(expect.stringMatching(/\(loop/));
});

test("smaller programs have parts left out, or what is inside of them instead", () => {
  const smaller = [...smallerPrograms("(a (b [1 2]) c)")];
  expect(smaller).toEqual(
    expect.arrayContaining(["", "(b [1 2])", "[1 2]", "(a  c)", "(a (b ) c)", "(a 1 c)", "a (b [1 2]) c)"]),
  );
  expect(smaller.every((one) => one.length < "(a (b [1 2]) c)".length)).toBe(true);
});
