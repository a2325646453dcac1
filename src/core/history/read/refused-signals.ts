import { decodePayloads, type HistoryEvent, keepsLedger } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { canonicalJson } from "../../effects/canonical-json";
import { isLinkChange } from "../../effects/chain/link";
import { carriedBy } from "../../journal/changes";

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
 * Which decisions that came as signals decided nothing. Nobody is told that a signal was refused, and it stands in the history
 * like one that counted: the chain of the run tells them apart, because it has each decision that counted. Of workflows without a
 * chain, and of what no workflow task has seen yet, nothing is said.
 */
export function refusedSignals(events: readonly HistoryEvent[]): RefusedSignal[] {
  if (!keepsLedger(events[0])) return [];
  let lastTask = 0;
  const open: (RefusedSignal & { isUpdate: boolean })[] = [];
  for (const event of events) {
    const { id, at, type } = event;
    if (type === "WorkflowTaskCompleted") lastTask = id;
    const payloads = decisionIn(event);
    if (payloads !== undefined) {
      const said = decodePayloads(payloads);
      open.push({ event: id, at, said: isObject(said) ? said : {}, isUpdate: type !== "WorkflowExecutionSignaled" });
    }
    // A link tells of a decision that came before it: until one has come, there is nothing to read.
    if (open.length === 0) continue;
    for (const change of carriedBy(event))
      if (isLinkChange(change) && change.link.kind === "decision") takeOut(open, change.link.body);
  }
  // A server gives a signal to no workflow task that was under way when it came, so a later one has seen it.
  const refused = open.filter(({ event, isUpdate }) => !isUpdate && event < lastTask);
  return refused.map(({ isUpdate: _, ...one }) => one);
}

/** The payloads of a decision that comes with this event. */
function decisionIn({ type, attributes }: HistoryEvent): Json | undefined {
  if (type === "WorkflowExecutionSignaled")
    return attributes.signalName === "decide" ? (attributes.input ?? null) : undefined;
  const request = type === "WorkflowExecutionUpdateAccepted" ? attributes.acceptedRequest : undefined;
  const input = isObject(request) && isObject(request.input) ? request.input : undefined;
  return input?.name === "decide" ? (input.args ?? null) : undefined;
}

/** What a decision says, and its signature: a forged copy differs in something. */
const SAID = ["review", "choice", "by", "value", "note", "seal", "time", "nonce", "signature"];

/** A link tells of the first decision that says the same. An update comes before a signal: whether it counted, it says itself. */
function takeOut(open: (RefusedSignal & { isUpdate: boolean })[], body: JsonObject = {}): void {
  const same = open.filter(({ said }) =>
    SAID.every((field) => canonicalJson(said[field] ?? null) === canonicalJson(body[field] ?? null)),
  );
  const found = same.find(({ isUpdate }) => isUpdate) ?? same[0];
  if (found !== undefined) open.splice(open.indexOf(found), 1);
}
