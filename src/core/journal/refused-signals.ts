import { isObject } from "../base/is-object";
import type { JsonObject } from "../base/json";
import { isLinkChange } from "../chain/link";
import { carriedBy } from "./changes";
import { decodePayloads, type HistoryEvent } from "./history";

/** A decision that came as a signal and counted for nothing. */
export interface RefusedSignal {
  /** The id of its event. */
  event: number;
  /** Ms since 1970. */
  at: number;
  /** What was sent: anybody may send anything. */
  said: JsonObject;
}

/** The first format whose runs keep a chain: a decision that counts is a link of it. */
const CHAIN_FORMAT = 10;

/**
 * Which decisions that came as signals decided nothing. Nobody is told that a signal was refused, and it stands in the history
 * like one that counted: the chain of the run tells them apart, because it has each decision that counted. Of runs without a
 * chain, and of what no workflow task has seen yet, nothing is said.
 */
export function refusedSignals(events: readonly HistoryEvent[]): RefusedSignal[] {
  let hasChain = false;
  let lastTask = 0;
  const open: RefusedSignal[] = [];
  for (const event of events) {
    const { type, attributes } = event;
    if (type === "WorkflowExecutionStarted") {
      const input = decodePayloads(attributes.input);
      hasChain = isObject(input) && Number(input.format ?? 0) >= CHAIN_FORMAT;
    } else if (type === "WorkflowExecutionSignaled" && attributes.signalName === "decide") {
      const said = decodePayloads(attributes.input);
      open.push({ event: event.id, at: event.at, said: isObject(said) ? said : {} });
    } else if (type === "WorkflowTaskCompleted") lastTask = event.id;
    for (const change of carriedBy(event)) if (isLinkChange(change)) takeOut(open, change.link.body);
  }
  // A server gives a signal to no workflow task that was under way when it came, so a later one has seen it.
  return hasChain ? open.filter(({ event }) => event < lastTask) : [];
}

/** A link tells of the first signal that says the same. */
function takeOut(open: RefusedSignal[], body: JsonObject | undefined): void {
  const at = open.findIndex(({ said }) =>
    ["review", "choice", "by", "nonce"].every((field) => said[field] === body?.[field]),
  );
  if (at >= 0) open.splice(at, 1);
}
