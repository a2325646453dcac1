import { existsSync } from "node:fs";
import path from "node:path";
import type { Proof } from "../frame/proof";
import { shrink } from "../frame/shrink";
import { type SandboxFault, SandboxJudge } from "./judge";
import { sandboxCase } from "./programs";
import { bareRealm, type Realm } from "./realm";
import type { SANDBOX_SIZES } from "./sizes";
import { smallerPrograms } from "./smaller-programs";

/** How programs are run; tests give an evaluator that is broken on purpose. */
export interface SandboxOptions {
  /** A realm with the function `fingerprint` of fingerprint.ts. */
  open?: () => Realm;
  /** After how long a program counts as one that never ends. */
  hang_ms?: number;
}

/**
 * Generates programs, and judges each of them: it ends within its limits, with a value or an error of the language;
 * nothing of the host is in what it leaves; and in another realm, also when it is interrupted at each call, it goes the
 * same way.
 */
export const proveSandbox =
  ({ open = builtRealm, hang_ms }: SandboxOptions = {}): Proof<typeof SANDBOX_SIZES> =>
  async (context) => {
    const judge = new SandboxJudge(open, hang_ms);
    const figures = { programs: 0, values: 0, failures: 0, kinds_of_failures: 0, tool_calls: 0, steps: 0 };
    const codes = new Set<string>();
    for (const index of context.cases(context.sizes.programs)) {
      const one = sandboxCase(context.random(index));
      const { end, faults } = judge.judge(one);
      figures.programs += 1;
      if (end?.kind === "error") codes.add(String(end.code));
      figures[end?.kind === "error" ? "failures" : "values"] += 1;
      figures.tool_calls += end?.calls ?? 0;
      figures.steps += end?.steps ?? 0;
      const [fault] = faults;
      if (fault === undefined) continue;
      const source = await smallest(judge, one.source, one.setting, fault);
      const smallestCase = { source, setting: one.setting };
      const { text } = judge.judge(smallestCase).faults.find(({ kind }) => kind === fault.kind) ?? fault;
      context.violation({
        what: text,
        where: `program ${index}`,
        case: index,
        smallest: JSON.parse(JSON.stringify(smallestCase)),
      });
    }
    return { ...figures, kinds_of_failures: codes.size };
  };

/** A program that hangs takes its time at each try. */
const TRIES_OF_HANGS = 20;

function smallest(
  judge: SandboxJudge,
  source: string,
  setting: Parameters<SandboxJudge["judge"]>[0]["setting"],
  { kind }: SandboxFault,
): Promise<string> {
  const fails = (shorter: string) =>
    judge.judge({ source: shorter, setting }).faults.some((fault) => fault.kind === kind);
  return shrink(source, smallerPrograms, fails, kind === "hang" ? TRIES_OF_HANGS : undefined);
}

/** The module that runs programs: in this folder, or in dist when this file runs from the sources. */
const RUNNER = [__dirname, path.join(__dirname, "..", "..", "dist", "prove", "sandbox")]
  .map((folder) => path.join(folder, "fingerprint"))
  .find((file) => existsSync(`${file}.js`));

function builtRealm(): Realm {
  if (RUNNER === undefined) throw new Error("There is no built package: run `npm run build` first.");
  return bareRealm(RUNNER);
}
