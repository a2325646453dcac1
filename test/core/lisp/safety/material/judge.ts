import path from "node:path";
import fc from "fast-check";
import { type Fingerprint, fingerprint, type Setting } from "../../../../../prove/sandbox/fingerprint";
import { brokenEnd, firstDifference } from "../../../../../prove/sandbox/judge";
import { assertProperty, cases, sized } from "../../../../support/run/property";
import { HostState } from "./host-state";
import { PROGRAMS } from "./settings";
import { sourceRealm } from "./source-realm";

const elsewhere = sourceRealm(path.join(__dirname, "../../../../../prove/sandbox/fingerprint"));

/** A program with what it is given. */
export interface Case {
  source: string;
  setting: Setting;
}

/** The tests of one kind of programs. */
export function allAreSafe(kind: keyof typeof PROGRAMS, programs: fc.Arbitrary<Case>): void {
  const host = new HostState();
  const ends = new Map<string, number>();
  const numRuns = sized(Math.ceil(PROGRAMS[kind] / 4), PROGRAMS[kind]);

  test(`${kind}: every program ends within its limits, with the same result here and in another realm`, () => {
    assertProperty(
      fc.property(programs, ({ source, setting }) => {
        const { kind: end, code } = judged(source, setting);
        const name = end === "error" ? `!! ${code}` : "a value";
        ends.set(name, (ends.get(name) ?? 0) + 1);
      }),
      { numRuns },
    );
  });

  test(`${kind}: some of them succeed, others fail in many ways`, () => {
    expect(ends.get("a value")).toBeGreaterThan(cases(numRuns) / 10);
    expect(ends.size).toBeGreaterThanOrEqual(4);
  });

  test(`${kind}: the host is unchanged`, () => expect(host.changes()).toEqual([]));
}

/**
 * Runs a program here and in another realm, and says what it did there if that is anything that no program may do.
 * What is thrown is a fault of the interpreter and fails the test as it is.
 */
export function judged(source: string, setting: Setting = {}): Fingerprint {
  const here = fingerprint(source, setting);
  // Without a time limit of its own: steps are limited there as here, where the program has just ended.
  const there = elsewhere.call("fingerprint", [source, setting]) as Fingerprint;
  const again = fingerprint(source, setting);
  const faults = [...here.faults, ...there.faults, ...brokenEnd(here, source, setting)];
  if (JSON.stringify(again) !== JSON.stringify(here))
    faults.push(`not the same twice: ${firstDifference(here, again)}`);
  if (JSON.stringify(there) !== JSON.stringify(here))
    faults.push(`not the same elsewhere: ${firstDifference(here, there)}`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return here;
}
