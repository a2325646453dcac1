import { AssertionError } from "node:assert";
import { isDeepStrictEqual } from "node:util";
import { defined } from "../core/base/defined";
import type { Json, JsonObject } from "../core/base/json";
import type { EffectEntry } from "../core/effects/entry";
import { unmet } from "../simulate/expectation";
import type { Effect } from "./effects";
import type { AnyMissionRun } from "./mission";

/**
 * Assertions for any test runner: they throw Node's AssertionError with `actual` and `expected`, which runners show as
 * a difference; where a run failed, the message names the cause.
 */

/** An effect as a test expects it. Missing fields match anything; `"...text..."` matches a text that contains it. */
export type ExpectedEffect = Partial<Omit<Effect, "args" | "result">> & {
  tool: string;
  args?: JsonObject;
  result?: Json;
};

/** An entry of the ledger as a test expects it. Missing fields match anything; `"...text..."` matches a text that contains it. */
export type ExpectedEntry = Partial<EffectEntry> & { tool: string };

/** Checks the records of the journal in order: a list of ids, or an object of id -> value. */
export function assertMissionLog(run: AnyMissionRun, expected: readonly string[] | JsonObject): void {
  const journal = run.journal ?? {};
  const byId = !Array.isArray(expected);
  const actual = byId ? Object.entries(journal) : Object.keys(journal);
  const wanted = byId ? Object.entries(expected) : [...expected];
  if (!isDeepStrictEqual(actual, wanted))
    fail(run, "The Mission Log differs", byId ? journal : actual, byId ? expected : wanted, assertMissionLog);
}

/** Checks the calls of the tools: exactly these, in this order. */
export function assertEffects(run: AnyMissionRun, expected: readonly ExpectedEffect[]): void {
  const same = run.effects.length === expected.length;
  if (same && unmet(expected, run.effects).length === 0) return;
  const actual = comparable(run.effects, expected, ["tool", "args"]);
  fail(run, "The tool calls differ", actual, expected, assertEffects);
}

/**
 * Checks what the mission knows of its effects: exactly these entries, in any order. An effect has one entry, however
 * often the mission asked for it: `{tool: "pay", state: "done", reused: 1}`.
 */
export function assertLedger(run: AnyMissionRun, expected: readonly ExpectedEntry[]): void {
  const left = [...run.ledger];
  const inOrder = expected.map((wanted) => {
    const found = left.findIndex((entry) => unmet(wanted, entry).length === 0);
    return found < 0 ? undefined : left.splice(found, 1)[0];
  });
  if (left.length === 0 && !inOrder.includes(undefined)) return;
  const entries = inOrder.map((entry) => entry ?? left.shift()).filter((entry) => entry !== undefined);
  const actual = comparable([...entries, ...left], expected, ["tool", "state", "args"]);
  fail(run, "The ledger differs", actual, expected, assertLedger);
}

/**
 * Checks that the tool was called under exactly one idempotency key, with these arguments if they are given. Repeated
 * calls with the same key count once, because a tool passes the key to the service that it calls.
 */
export function assertOnce(run: AnyMissionRun, tool: string, args?: JsonObject): void {
  const done = run.effects.filter((effect) => effect.tool === tool && (!args || unmet(args, effect.args).length === 0));
  if (done.length === 1) return;
  const expected = [{ tool, ...defined({ args }) }];
  const actual = run.effects.filter((effect) => effect.tool === tool).map(({ key, args }) => ({ tool, key, args }));
  fail(run, `${tool} acted ${done.length} times, not once`, actual, expected, assertOnce);
}

/** Checks that the mission returned this value (objects may have more fields). */
export function assertReturned(run: AnyMissionRun, expected: Json): void {
  if (run.step.fail === null && unmet(expected, run.step.return).length === 0) return;
  fail(run, "The mission returned another value", run.step.return, expected, assertReturned);
}

/** Checks that the mission failed with this reason. */
export function assertFailed(run: AnyMissionRun, reason: string): void {
  const actual = run.step.fail?.reason ?? null;
  if (actual !== reason) fail(run, "The mission did not fail as expected", actual, reason, assertFailed);
}

/** Checks that none of these texts occurs in a message to a model. */
export function assertNothingHidden(run: AnyMissionRun, texts: readonly string[]): void {
  const leaked = run.messages.flatMap((message) => {
    // As it is, and as JSON writes it, where quotes and line ends look different.
    const written = JSON.stringify(message);
    return texts
      .filter((text) => message.content.includes(text) || written.includes(JSON.stringify(text).slice(1, -1)))
      .map((text) => ({ text, turn: message.turn, role: message.role }));
  });
  if (leaked.length > 0)
    fail(run, "A prompt contains text that the model must not see", leaked, [], assertNothingHidden);
}

function fail({ step }: AnyMissionRun, what: string, actual: unknown, expected: unknown, of: CallableFunction): never {
  const why = step.fail === null ? "" : ` (the mission failed, ${step.fail.reason}: ${step.fail.message})`;
  const message = `${what}${why}.\nexpected ${shown(expected)}\nfound    ${shown(actual)}`;
  throw new AssertionError({ message, actual, expected, operator: "deepEqual", stackStartFn: of as () => void });
}

/** Only the fields of the expectation, so that the difference shows nothing else; `otherwise` where nothing is expected. */
function comparable(found: readonly object[], expected: readonly object[], otherwise: readonly string[]): unknown[] {
  return found.map((one, i) => {
    const wanted = expected[i];
    const keys = wanted === undefined ? otherwise : Object.keys(wanted);
    return Object.fromEntries(keys.map((key) => [key, (one as { [key: string]: unknown })[key]]));
  });
}

const shown = (value: unknown): string => JSON.stringify(value, null, 2);
