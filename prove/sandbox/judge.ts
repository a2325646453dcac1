import { RUN_REASONS } from "../../src/core/agent/result/run-reasons";
import { LISP_LIMITS } from "../../src/core/base/limits";
import type { Fingerprint, Setting } from "./fingerprint";
import { type Realm, RealmTimeout } from "./realm";

/** A program with what it is given. */
export interface SandboxCase {
  source: string;
  setting: Setting;
}

/**
 * What a program did that none may do. `out`: it reached something that is not of the language, or broke the evaluator.
 * `hang`: it did not end. `differs`: it did not go the same way again. `unclear`: it failed without a usable error.
 */
export interface SandboxFault {
  kind: "out" | "hang" | "differs" | "unclear";
  text: string;
}

/** No program takes nearly as long: its steps are limited. */
const HANG_MS = 60_000;

/**
 * Judges programs. Each runs in one realm, and again in another that has never seen it; there it is also written down and
 * read again at each wait, as a worker does that replays it after a crash or continues it as new.
 */
export class SandboxJudge {
  private realms: [Realm, Realm];

  constructor(
    private readonly open: () => Realm,
    private readonly hang_ms: number = HANG_MS,
  ) {
    this.realms = [open(), open()];
  }

  judge({ source, setting }: SandboxCase): { end: Fingerprint | null; faults: SandboxFault[] } {
    const faults: SandboxFault[] = [];
    const run = (realm: Realm, given: Setting): Fingerprint | null => {
      try {
        return realm.call("fingerprint", [source, given], this.hang_ms) as Fingerprint;
      } catch (error) {
        const hung = error instanceof RealmTimeout;
        const text = hung ? `It did not end within ${this.hang_ms} ms.` : `The evaluator threw ${String(error)}.`;
        faults.push({ kind: hung ? "hang" : "out", text });
        // A program that was stopped or broken in the middle may have left anything.
        this.realms = [this.open(), this.open()];
        return null;
      }
    };
    const [first, second] = this.realms;
    const end = run(first, setting);
    if (end === null) return { end, faults };
    faults.push(...end.faults.map((text): SandboxFault => ({ kind: "out", text: `It got out: ${text}.` })));
    faults.push(...brokenEnd(end, source, setting).map((text): SandboxFault => ({ kind: "unclear", text })));
    for (const again of [setting, ...(end.calls > 0 ? [{ ...setting, continued: true }] : [])]) {
      const other = run(second, again);
      if (other === null) break;
      if (JSON.stringify(other) === JSON.stringify(end)) continue;
      const how = again.continued ? "continued from its state" : "replayed in another realm";
      faults.push({ kind: "differs", text: `It went another way when ${how}: ${firstDifference(end, other)}` });
    }
    return { end, faults };
  }
}

/** Longer messages are of no help to a model, and would fill the history of a run. */
const MAX_MESSAGE = 4_000;

/** What is wrong with the end of a program, whatever the program is. */
export function brokenEnd(end: Fingerprint, source: string, { limits }: Setting): string[] {
  const faults: string[] = [];
  const most = limits?.max_steps ?? LISP_LIMITS.max_steps;
  if (end.steps > most) faults.push(`${end.steps} steps, of ${most}`);
  if (end.kind === "error") faults.push(...brokenError(end, source));
  return faults;
}

function brokenError({ reason, code, message = "", place = [0, 0] }: Fingerprint, source: string): string[] {
  const faults: string[] = [];
  if (!Object.hasOwn(RUN_REASONS, reason as string)) faults.push(`unknown reason ${reason}`);
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

/** Where two ends begin to differ, with what is around. */
export function firstDifference(a: Fingerprint, b: Fingerprint): string {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
  let at = 0;
  while (x[at] === y[at]) at += 1;
  return `${x.slice(Math.max(0, at - 80), at + 80)}\n versus ${y.slice(Math.max(0, at - 80), at + 80)}`;
}
