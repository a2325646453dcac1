import { type Definition, type Edge, MAX_RETRIES_EXCEEDED } from "../definition/schema";
import type { TaskEntry } from "./task-schema";
import { waysOut } from "./ways-out";

/**
 * The edge that a move took; undefined for a retry in place, and for the moves of people, which take none. A fork is left
 * by an edge of its join.
 */
export function takenEdge(definition: Definition, { step, to, result, action }: TaskEntry): Edge | undefined {
  if (action === "send_to" || action === "close") return undefined;
  const edges = waysOut(definition, step).all.filter((edge) => edge.to === to);
  for (const on of resultsFor(action, result)) {
    const edge = edges.find((one) => one.on === on);
    if (edge !== undefined) return edge;
  }
  return undefined;
}

/** What an edge is on that such a move takes, the best first. */
function resultsFor(action: TaskEntry["action"], result: string | null): (string | undefined)[] {
  switch (action) {
    case "retry":
      return ["failed"];
    case "escalate":
      return [MAX_RETRIES_EXCEEDED, "failed", undefined];
    default:
      return result === null ? [undefined] : [result, undefined];
  }
}
