import { isObject, isTexts } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { afterFailure, entryOfCall } from "../../effects/call-entry";
import { type EffectEntry, entryForPeople, inOrder, keptAnswer, type LedgerEntry } from "../../effects/entry";
import { isPackedLedger, type PackedLedger, unpackLedger } from "../../effects/packed-ledger";
import { handedBackIn, isEffectChange } from "../../journal/changes";
import { type FactOf, type FactReaders, type HistoryFact, readFact } from "./facts";
import { keepsLedger, readHistory } from "./history";

/**
 * The ledger of effects of a mission, computed from its exported history alone: no worker, no server. At every event it
 * equals what the workflow's own query answers (effects reference, section 7).
 *
 * @param history an exported history, whole or cut off after any event; of a mission that continued as new, its last run
 * @throws HistoryFormatError when it is not a history
 */
export function projectEffects(history: unknown): EffectEntry[] {
  const projection = new EffectsProjection();
  for (const fact of readHistory(history)) projection.apply(fact);
  return inOrder(projection.entries());
}

/** The name of the signal that notifies a run of effects that were taken back: `{keys}`. */
export const MARK_UNDONE = "markUndone";

/** The keys of the effects that an undo has taken back so far, read from its history. */
export function projectUndone(history: unknown): string[] {
  const projection = new EffectsProjection();
  for (const fact of readHistory(history)) projection.apply(fact);
  return projection.undoneKeys();
}

/** The agents' runs that a history has started, and whose ends it does not know. */
export function openChildren(history: unknown): string[] {
  const open = new Set<string>();
  for (const fact of readHistory(history)) {
    if (fact.kind === "child_started") open.add(fact.workflow_id);
    if (fact.kind === "child_ended" && isGivenBack(fact)) open.delete(fact.workflow_id);
  }
  return [...open];
}

/** Whether the run that started a child was given its end, with its effects. */
const isGivenBack = ({ outcome }: FactOf<"child_ended">): boolean => outcome === "completed" || outcome === "failed";

/** Whether a run has a ledger: undos have none. */
export const hasLedger = (history: unknown): boolean => keepsLedger(readHistory(history)[0]);

class EffectsProjection {
  private readonly byKey = new Map<string, EffectEntry>();
  /** The keys of effects that all missions share, by their keys within the mission. */
  private readonly shared = new Map<string, string>();
  /** The effect of each call that is under way, by the fact that scheduled it. */
  private readonly calls = new Map<number, string>();
  /** The key of the effect that each call under way takes back, by the fact that scheduled it. */
  private readonly undoing = new Map<number, string>();
  /** The keys of effects that were taken back. An entry may come later. */
  private readonly undone = new Set<string>();

  undoneKeys(): string[] {
    return [...this.undone];
  }

  entries(): EffectEntry[] {
    return [...this.byKey.values()];
  }

  apply(fact: HistoryFact): void {
    readFact(this.readers, fact);
    for (const change of fact.changes) if (isEffectChange(change)) this.store(change.effect);
  }

  private readonly readers: FactReaders<void> = {
    started: (fact) => this.started(fact),
    activity_scheduled: (fact) => this.scheduled(fact),
    activity_ended: (fact) => this.ended(fact),
    activity_cancel_requested: ({ call }) => void this.calls.delete(call),
    child_ended: (fact) => {
      if (isGivenBack(fact)) this.handedBack(handedBackIn(fact.result));
    },
    signal: (fact) => this.signaled(fact),
  };

  private started({ input = {} }: FactOf<"started">): void {
    const continued = ledgerOfInput(input);
    if (continued === undefined) return;
    if (isTexts(continued.undone)) this.markUndone(continued.undone);
    for (const entry of entriesOfLedger(continued)) this.store(entry);
  }

  private signaled({ name, input }: FactOf<"signal">): void {
    if (name !== MARK_UNDONE) this.handedBack(handedBackIn(input));
    else if (isTexts(input?.keys)) this.markUndone(input.keys);
  }

  private store(entry: EffectEntry): void {
    const { deed: missionKey } = entry;
    if (missionKey !== undefined) {
      // Before it was shared it had another key.
      const before = this.shared.get(missionKey) ?? missionKey;
      if (before !== entry.key) this.byKey.delete(before);
      this.shared.set(missionKey, entry.key);
    }
    this.byKey.set(entry.key, this.undone.has(entry.key) ? { ...entry, state: "undone" } : entry);
    if (entry.state === "undone") this.undone.add(entry.key);
  }

  private markUndone(keys: readonly string[]): void {
    for (const key of keys) {
      this.undone.add(key);
      const entry = this.byKey.get(key);
      if (entry) this.store(entry);
    }
  }

  private scheduled({ id, input }: FactOf<"activity_scheduled">): void {
    if (typeof input?.call_key === "string") this.undoing.set(id, input.call_key);
    const entry = entryOfCall(input);
    if (entry === undefined) return;
    this.store(entry);
    this.calls.set(id, entry.key);
  }

  private ended(fact: FactOf<"activity_ended">): void {
    const { call, outcome } = fact;
    if (outcome === "cancelled") return;
    const entry = this.byKey.get(this.calls.get(call) ?? "");
    this.calls.delete(call);
    if (outcome === "completed") this.completed(fact, entry);
    else if (entry !== undefined) this.failed(fact, entry);
  }

  private completed({ call, result }: FactOf<"activity_ended">, entry: EffectEntry | undefined): void {
    const undoing = this.undoing.get(call);
    if (undoing !== undefined) {
      if (isObject(result) && result.ok === true) this.markUndone([undoing]);
    } else if (entry === undefined) this.handedBack(handedBackBy(result));
    else this.answered(entry, result);
  }

  private answered(entry: EffectEntry, result: Json | undefined): void {
    if (!isObject(result)) return;
    const done = entry.state === "undone" ? {} : { state: "done" };
    if (result.ok === true) Object.assign(entry, done, keptAnswer((result.value ?? null) as Json));
    else this.fail(entry, isObject(result.fail) ? result.fail : {});
  }

  private failed({ failure }: FactOf<"activity_ended">, entry: EffectEntry): void {
    // The run waits for a worker that has the tool.
    if (failure?.type === "configuration_error") return;
    if (failure !== undefined && failure.type !== null) this.fail(entry, { message: failure.message ?? "" });
    else entry.state = "unknown";
  }

  private fail(entry: EffectEntry, { message = "", reason, details }: JsonObject): void {
    const after = afterFailure({ message: String(message), ...(isObject(details) ? { details } : {}) });
    if (reason === "tool_not_found" && after.state === "failed") this.byKey.delete(entry.key);
    else Object.assign(entry, after);
  }

  private handedBack(effects: PackedLedger | undefined): void {
    for (const entry of effects === undefined ? [] : unpackLedger(effects)) this.store(entryForPeople(entry));
  }
}

/** The effects in the answer of an activity: of a run that was waited for, or of one that was lost. */
function handedBackBy(result: Json | undefined): PackedLedger | undefined {
  if (isPackedLedger(result)) return result;
  return isObject(result) ? handedBackIn(result.value) : undefined;
}

/** The ledger that a run was given by the one before, or by the mission that it tries again. */
function ledgerOfInput(input: JsonObject): JsonObject | undefined {
  // A retry has taken over the effects of the mission that ended.
  if (!isObject(input.carried))
    return isObject(input.effects) && input.effects.owned === true ? input.effects : undefined;
  const { state, effects } = input.carried;
  const continued = isObject(state) ? state.effects : effects;
  return isObject(continued) ? continued : undefined;
}

/** The entries that a run was given by the one before. */
function entriesOfLedger(continued: JsonObject): EffectEntry[] {
  if (!isPackedLedger(continued.effects)) return [];
  const delegated = new Set(Array.isArray(continued.lent) ? (continued.lent as Json[]) : []);
  return unpackLedger(continued.effects)
    .filter(({ key, pending }: LedgerEntry) => !pending && !delegated.has(key))
    .map(entryForPeople);
}
