import type { TimelineEntry } from "../core/journal/timeline";
import type { JournalRow } from "../core/journal/view";
import { flatten, type MissionTree } from "../missions";

/** Missions as people read them: the Mission Log of each, then what happened when. */
export function missionsText(tree: MissionTree): string {
  return flatten(tree).map(missionText).join("\n\n");
}

function missionText({ workflow_id, projection }: MissionTree): string {
  const parts = [`${workflow_id} (${projection.workflow_type})`];
  if (projection.mission_log !== "") parts.push(projection.mission_log);
  parts.push(timelineText(projection.timeline));
  return parts.join("\n");
}

export function timelineText(timeline: readonly TimelineEntry[]): string {
  const start = timeline[0]?.at ?? 0;
  return timeline.map((entry) => `  ${timelineLine(entry, start)}`).join("\n");
}

function timelineLine(entry: TimelineEntry, start: number): string {
  const at = `+${((entry.at - start) / 1000).toFixed(3)}s`.padStart(11);
  const took = entry.duration_ms === undefined ? "" : `  ${entry.duration_ms} ms`;
  const attempts = entry.attempts === undefined ? "" : `  attempt ${entry.attempts}`;
  const outcome = entry.outcome === "failed" ? "  failed" : "";
  return `${at}  ${entry.kind.padEnd(6)}  ${entry.text}${took}${attempts}${outcome}`;
}

export function journalTable(rows: readonly JournalRow[]): string {
  const width = Math.max(...rows.map((row) => row.id.length));
  return rows.map((row) => `${row.id.padEnd(width)}  ${row.text}  (${row.by}, ${isoTime(row.at)})`).join("\n");
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
