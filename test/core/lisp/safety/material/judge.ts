import path from "node:path";
import fc from "fast-check";
import { REASONS } from "../../../../../src/core/base/failure";
import { LISP_LIMITS } from "../../../../../src/core/base/limits";
import { type Fingerprint, fingerprint, type Setting } from "./fingerprint";
import { HostState } from "./host-state";
import { bareRealm } from "./realm";
import { PROGRAMS, runs } from "./settings";

const elsewhere = bareRealm<{ fingerprint: typeof fingerprint }>(path.join(__dirname, "fingerprint.ts"));

/** Longer messages are of no help to a model, and would fill the history of a run. */
const MAX_MESSAGE = 4_000;

/** A program with what it is given. */
export interface Case {
  source: string;
  setting: Setting;
}

/** The tests of one kind of programs. */
export function allAreSafe(kind: keyof typeof PROGRAMS, cases: fc.Arbitrary<Case>): void {
  const host = new HostState();
  const ends = new Map<string, number>();

  test(`${kind}: every program ends within its limits, with the same result here and in another realm`, () => {
    fc.assert(
      fc.property(cases, ({ source, setting }) => {
        const { kind: end, code } = judged(source, setting);
        const name = end === "error" ? `!! ${code}` : "a value";
        ends.set(name, (ends.get(name) ?? 0) + 1);
      }),
      runs(PROGRAMS[kind]),
    );
  });

  test(`${kind}: some of them succeed, others fail in many ways`, () => {
    expect(ends.get("a value")).toBeGreaterThan(PROGRAMS[kind] / 10);
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
  const there = elsewhere.fingerprint(source, setting);
  const again = fingerprint(source, setting);
  const faults = [...here.faults, ...there.faults, ...broken(here, source, setting)];
  if (JSON.stringify(again) !== JSON.stringify(here)) faults.push(`not the same twice: ${differing(here, again)}`);
  if (JSON.stringify(there) !== JSON.stringify(here)) faults.push(`not the same elsewhere: ${differing(here, there)}`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return here;
}

function broken(end: Fingerprint, source: string, { limits }: Setting): string[] {
  const faults: string[] = [];
  const most = limits?.max_steps ?? LISP_LIMITS.max_steps;
  if (end.steps > most) faults.push(`${end.steps} steps, of ${most}`);
  if (end.kind === "error") faults.push(...brokenError(end, source));
  return faults;
}

function brokenError({ reason, code, message = "", place = [0, 0] }: Fingerprint, source: string): string[] {
  const faults: string[] = [];
  if (!(REASONS as readonly unknown[]).includes(reason)) faults.push(`unknown reason ${reason}`);
  if (!/^[a-z_]+$/.test(code ?? "")) faults.push(`no code: ${code}`);
  if (message === "" || message.length > MAX_MESSAGE) faults.push(`a message of ${message.length} characters`);
  // Ends that depend on how much the host happens to take are not the same on the next host.
  if (/too large for the host/.test(message)) faults.push(message);
  const [line, column] = place as [number, number];
  const lines = source.split("\n");
  if (!(line >= 1 && line <= lines.length)) faults.push(`no such line: ${line}: ${message}`);
  else if (!(column >= 1 && column <= (lines[line - 1] as string).length + 1)) faults.push(`no such column: ${column}`);
  return faults;
}

function differing(a: Fingerprint, b: Fingerprint): string {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
  let at = 0;
  while (x[at] === y[at]) at += 1;
  return `${x.slice(Math.max(0, at - 80), at + 80)}\n versus ${y.slice(Math.max(0, at - 80), at + 80)}`;
}
