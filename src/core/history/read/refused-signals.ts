import type { JsonObject } from "../../base/json";
import { canonicalJson } from "../../effects/canonical-json";
import { isLinkChange } from "../../effects/chain/link";
import type { HistoryFact } from "./facts";
import { keepsLedger } from "./history";

/** A decision that came as a signal and counted for nothing. */
export interface RefusedSignal {
  /** The id of its event. */
  event: number;
  /** Ms since 1970. */
  at: number;
  /** What was sent: anybody may send anything. */
  said: JsonObject;
}

/**
 * Finds the decisions that came as signals and decided nothing. The sender of a refused signal gets no answer, and the
 * history shows the signal like one that counted: the chain of the run distinguishes them, because it has each decision
 * that counted. Workflows without a chain, and signals that no workflow task has seen yet, are left out.
 */
export function refusedSignals(facts: readonly HistoryFact[]): RefusedSignal[] {
  if (!keepsLedger(facts[0])) return [];
  let lastTask = 0;
  const open: (RefusedSignal & { isUpdate: boolean })[] = [];
  for (const fact of facts) {
    const { id, at, kind } = fact;
    if (kind === "workflow_task_completed") lastTask = id;
    if ((kind === "signal" || kind === "update_accepted") && fact.name === "decide")
      open.push({ event: id, at, said: fact.input ?? {}, isUpdate: kind === "update_accepted" });
    // A link names a decision that came before it: until one has come, there is nothing to read.
    if (open.length === 0) continue;
    for (const change of fact.changes)
      if (isLinkChange(change) && change.link.kind === "decision") takeOut(open, change.link.body);
  }
  // A server gives a signal to no workflow task that was under way when it came, so a later one has seen it.
  const refused = open.filter(({ event, isUpdate }) => !isUpdate && event < lastTask);
  return refused.map(({ isUpdate: _, ...one }) => one);
}

/** The contents of a decision, and its signature: a forged copy differs in something. */
const FIELDS = ["review", "choice", "by", "value", "note", "seal", "time", "nonce", "signature"];

/**
 * A link names the first decision with the same contents. An update comes before a signal: its own answer shows whether
 * it counted.
 */
function takeOut(open: (RefusedSignal & { isUpdate: boolean })[], body: JsonObject = {}): void {
  const same = open.filter(({ said }) =>
    FIELDS.every((field) => canonicalJson(said[field] ?? null) === canonicalJson(body[field] ?? null)),
  );
  const found = same.find(({ isUpdate }) => isUpdate) ?? same[0];
  if (found !== undefined) open.splice(open.indexOf(found), 1);
}
