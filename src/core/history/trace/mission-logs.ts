import { defined } from "../../base/defined";
import { addRecords } from "./add-records";
import type { TraceLog } from "./line";
import type { MissionHistories } from "./read-mission";
import { readRun } from "./read-run";
import { type MissionEntry, missionLedger } from "./undo-of-mission";
import { type Above, writeLog } from "./write-log";

/**
 * The traces of a mission and of all runs below it, parents first. Each run has its own, linked by `child_trace_id` in
 * the call and `parent_trace_id` in the header. Works for runs that have not ended: then the last lines are not there
 * yet.
 *
 * @throws HistoryFormatError for what is no history
 */
export function missionLogs(mission: MissionHistories): TraceLog[] {
  return logsOf(mission, null, notedStates(mission));
}

/** What a call's own answer does not show of its effect, by key: that it is unknown, or undone. */
function notedStates(mission: MissionHistories): Map<string, MissionEntry> {
  const noted = missionLedger(mission).filter(({ state }) => state === "unknown" || state === "undone");
  return new Map(noted.map((entry) => [entry.key, entry]));
}

function logsOf(mission: MissionHistories, above: Above | null, states: ReadonlyMap<string, MissionEntry>): TraceLog[] {
  const read = readRun(mission.runs);
  if (read === null) return [];
  const below = mission.children.map((child) => {
    const call = read.calls.get(child.workflow_id);
    const tool_name = call?.opened.metadata.tool_name;
    const asked = { parent_trace_id: read.trace_id, ...(typeof tool_name === "string" ? { tool_name } : {}) };
    const logs = logsOf(child, asked, states);
    // The name of the child's own log, also if the parent does not know it yet.
    const child_trace_id = logs[0]?.trace_id;
    if (call && child_trace_id !== undefined)
      for (const facts of [call.opened, call.closed]) facts.metadata.child_trace_id = child_trace_id;
    return logs;
  });
  for (const { opened } of read.turns.flatMap(({ children }) => children)) {
    const effect = states.get(String(opened.metadata.idempotency_key));
    if (effect !== undefined)
      Object.assign(opened.metadata, { effect: effect.state, ...defined({ undone: effect.undone }) });
  }
  addRecords(read);
  return [writeLog(read, above), ...below.flat()];
}
