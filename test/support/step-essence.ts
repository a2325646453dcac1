import { isObject } from "../../src/core/base/is-object";

/** A Step, or whatever holds some, without what differs from run to run: ids, times, durations. Whether an id is there stays. */
export function stepEssence(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, found: unknown) => {
    if (["timestamp", "duration_ms", "total_duration_ms", "at"].includes(key)) return typeof found;
    // A run in memory has no history, so it has no chain over one.
    if (key === "ledger" && isObject(found) && "head" in found) return undefined;
    if (["trace_id", "parent_trace_id", "child_trace_id"].includes(key) && typeof found === "string")
      return found.length;
    if (["child_traces", "child_trace_ids"].includes(key) && Array.isArray(found)) return found.length;
    if (isObject(found) && "workflow_id" in found) return { ...found, workflow_id: "" };
    return found;
  });
}
