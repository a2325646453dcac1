import { addRecords } from "./add-records";
import type { TraceLog } from "./line";
import { readRun } from "./read-run";
import { type Above, writeLog } from "./write-log";

/** The exported histories of a workflow, and those of the child workflows it started. */
export interface MissionHistories {
  workflow_id: string;
  /** For a workflow that continued as new all of them, oldest first. */
  runs: readonly unknown[];
  children: readonly MissionHistories[];
  /** Of the undos of the mission, the first one first; absent = it was not undone. */
  undos?: readonly unknown[];
}

/**
 * The traces of a mission and of all runs below it, parents first: each run has its own, linked by `child_trace_id` in the
 * call and `parent_trace_id` in the header. Works for what is still running: then the last lines are not there yet.
 *
 * @throws HistoryFormatError for what is no history
 */
export function missionLogs(mission: MissionHistories, above: Above | null = null): TraceLog[] {
  const read = readRun(mission.runs);
  if (read === null) return [];
  const below = mission.children.map((child) => {
    const call = read.calls.get(child.workflow_id);
    const tool_name = call?.opened.metadata.tool_name;
    const logs = missionLogs(child, {
      parent_trace_id: read.trace_id,
      ...(typeof tool_name === "string" ? { tool_name } : {}),
    });
    // The name of the child's own log, also if the parent has not been told yet.
    const child_trace_id = logs[0]?.trace_id;
    if (call && child_trace_id !== undefined)
      for (const facts of [call.opened, call.closed]) facts.metadata.child_trace_id = child_trace_id;
    return logs;
  });
  addRecords(read);
  return [writeLog(read, above), ...below.flat()];
}
