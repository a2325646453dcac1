import { decodePayloads, endResultOf, type HistoryEvent, keepsLedger, rootFailure } from "../../base/history-event";
import { isObject, isTexts } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { afterFailure, entryOfCall } from "../../effects/call-entry";
import { type EffectEntry, entryForPeople, inOrder, keptAnswer, type LedgerEntry } from "../../effects/entry";
import { isPackedLedger, type PackedLedger, unpackLedger } from "../../effects/packed-ledger";
import { effectChangesIn, handedBackIn } from "../../journal/changes";
import { readHistory } from "./history";

/**
 * The ledger of effects of a mission, computed from its exported history alone: no worker, no server. At every event it
 * equals what the workflow's own query answers (effects reference, section 7).
 *
 * @param history an exported history, whole or cut off after any event; of a mission that continued as new, its last run
 * @throws HistoryFormatError when it is not a history
 */
export function projectEffects(history: unknown): EffectEntry[] {
  const projection = new EffectsProjection();
  for (const event of readHistory(history)) projection.apply(event);
  return inOrder(projection.entries());
}

/** The name of the signal by which a run hears that effects were taken back: `{keys}`. */
export const MARK_UNDONE = "markUndone";

/** What the history of an undo says: the keys of the effects that it has taken back so far. */
export function projectUndone(history: unknown): string[] {
  const projection = new EffectsProjection();
  for (const event of readHistory(history)) projection.apply(event);
  return projection.undoneKeys();
}

/** The agents' runs that a history has started, and whose ends it does not know. */
export function openChildren(history: unknown): string[] {
  const open = new Set<string>();
  for (const { type, attributes } of readHistory(history)) {
    const execution = attributes.workflowExecution;
    const id = isObject(execution) ? execution.workflowId : undefined;
    if (typeof id !== "string") continue;
    if (type === "ChildWorkflowExecutionStarted") open.add(id);
    else if (type === "ChildWorkflowExecutionCompleted" || type === "ChildWorkflowExecutionFailed") open.delete(id);
  }
  return [...open];
}

/** Whether a run has a ledger: undos have none. */
export const hasLedger = (history: unknown): boolean => keepsLedger(readHistory(history)[0]);

class EffectsProjection {
  private readonly byKey = new Map<string, EffectEntry>();
  /** The keys of effects that all missions share, by their keys within the mission. */
  private readonly shared = new Map<string, string>();
  /** The effect of each call that is under way, by the event that scheduled it. */
  private readonly calls = new Map<string, string>();
  /** The key of the effect that each call under way takes back, by the event that scheduled it. */
  private readonly undoing = new Map<string, string>();
  /** The keys of effects that were taken back. An entry may come later. */
  private readonly undone = new Set<string>();

  undoneKeys(): string[] {
    return [...this.undone];
  }

  entries(): EffectEntry[] {
    return [...this.byKey.values()];
  }

  apply(event: HistoryEvent): void {
    this.applyEvent(event);
    for (const { effect } of effectChangesIn(event)) this.put(effect);
  }

  private applyEvent(event: HistoryEvent): void {
    switch (event.type) {
      case "WorkflowExecutionStarted":
        return this.started(decodePayloads(event.attributes.input));
      case "ActivityTaskScheduled":
        return this.scheduled(event);
      case "ActivityTaskCompleted":
        return this.completed(event);
      case "ActivityTaskFailed":
      case "ActivityTaskTimedOut":
        return this.failed(event);
      case "ActivityTaskCancelRequested":
        this.calls.delete(String(event.attributes.scheduledEventId));
        return;
      case "ChildWorkflowExecutionCompleted":
      case "ChildWorkflowExecutionFailed":
        return this.handedBack(handedBackIn(endResultOf(event)));
      case "WorkflowExecutionSignaled":
        return this.signaled(event.attributes.signalName, decodePayloads(event.attributes.input));
    }
  }

  private started(input: Json | undefined): void {
    const carried = carriedLedger(input);
    if (carried === undefined) return;
    if (isTexts(carried.undone)) this.markUndone(carried.undone);
    for (const entry of carriedEntries(carried)) this.put(entry);
  }

  private signaled(name: Json | undefined, input: Json | undefined): void {
    if (name !== MARK_UNDONE) this.handedBack(handedBackIn(input));
    else if (isObject(input) && isTexts(input.keys)) this.markUndone(input.keys);
  }

  private put(entry: EffectEntry): void {
    const { deed } = entry;
    if (deed !== undefined) {
      // Before it was shared it had another key.
      const before = this.shared.get(deed) ?? deed;
      if (before !== entry.key) this.byKey.delete(before);
      this.shared.set(deed, entry.key);
    }
    this.byKey.set(entry.key, this.undone.has(entry.key) ? { ...entry, state: "undone" } : entry);
    if (entry.state === "undone") this.undone.add(entry.key);
  }

  private markUndone(keys: readonly string[]): void {
    for (const key of keys) {
      this.undone.add(key);
      const entry = this.byKey.get(key);
      if (entry) this.put(entry);
    }
  }

  private scheduled({ id, attributes }: HistoryEvent): void {
    const input = decodePayloads(attributes.input);
    const undoing = undoneBy(input);
    if (undoing !== undefined) this.undoing.set(String(id), undoing);
    const entry = entryOfCall(input);
    if (entry === undefined) return;
    this.put(entry);
    this.calls.set(String(id), entry.key);
  }

  private completed({ attributes }: HistoryEvent): void {
    const entry = this.ended(attributes);
    const result = decodePayloads(attributes.result);
    const undoing = this.undoing.get(String(attributes.scheduledEventId));
    if (undoing !== undefined) {
      if (isObject(result) && result.ok === true) this.markUndone([undoing]);
      return;
    }
    if (entry === undefined) return this.handedBack(handedBackBy(result));
    this.answered(entry, result);
  }

  private answered(entry: EffectEntry, result: Json | undefined): void {
    if (!isObject(result)) return;
    const done = entry.state === "undone" ? {} : { state: "done" };
    if (result.ok === true) Object.assign(entry, done, keptAnswer((result.value ?? null) as Json));
    else this.fail(entry, isObject(result.fail) ? result.fail : {});
  }

  private failed(event: HistoryEvent): void {
    const entry = this.ended(event.attributes);
    if (entry === undefined) return;
    const cause = rootFailure(event);
    const info = cause?.applicationFailureInfo;
    // The run waits for a worker that has the tool.
    if (isObject(info) && info.type === "configuration_error") return;
    if (isObject(info)) this.fail(entry, { message: cause?.message ?? "" });
    else entry.state = "unknown";
  }

  private fail(entry: EffectEntry, { message = "", reason, details }: JsonObject): void {
    const after = afterFailure({ message: String(message), ...(isObject(details) ? { details } : {}) });
    if (reason === "tool_not_found" && after.state === "failed") this.byKey.delete(entry.key);
    else Object.assign(entry, after);
  }

  /** The effect whose call ends with this event. */
  private ended({ scheduledEventId }: JsonObject): EffectEntry | undefined {
    const key = this.calls.get(String(scheduledEventId));
    this.calls.delete(String(scheduledEventId));
    return key === undefined ? undefined : this.byKey.get(key);
  }

  private handedBack(effects: PackedLedger | undefined): void {
    for (const entry of effects === undefined ? [] : unpackLedger(effects)) this.put(entryForPeople(entry));
  }
}

/** The effects in the answer of an activity: of a run that was waited for, or of one that was lost. */
function handedBackBy(result: Json | undefined): PackedLedger | undefined {
  if (isPackedLedger(result)) return result;
  return isObject(result) ? handedBackIn(result.value) : undefined;
}

/** The key of the effect that a call takes back. */
const undoneBy = (input: Json | undefined): string | undefined =>
  isObject(input) && typeof input.call_key === "string" ? input.call_key : undefined;

/** The ledger that a run was given by the one before, or by the mission that it tries again. */
function carriedLedger(input: Json | undefined): JsonObject | undefined {
  if (!isObject(input)) return undefined;
  // A retry has taken over the effects of the mission that ended.
  if (!isObject(input.carried))
    return isObject(input.effects) && input.effects.owned === true ? input.effects : undefined;
  const { state, effects } = input.carried;
  const carried = isObject(state) ? state.effects : effects;
  return isObject(carried) ? carried : undefined;
}

/** The entries that a run was given by the one before. */
function carriedEntries(carried: JsonObject): EffectEntry[] {
  if (!isPackedLedger(carried.effects)) return [];
  const lent = new Set(Array.isArray(carried.lent) ? (carried.lent as Json[]) : []);
  return unpackLedger(carried.effects)
    .filter(({ key, pending }: LedgerEntry) => !pending && !lent.has(key))
    .map(entryForPeople);
}
