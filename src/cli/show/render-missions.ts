import { flatten, type MissionTree } from "../../client/mission-tree";
import type { Projection } from "../../core/history/read/project";
import type { TimelineEntry } from "../../core/history/read/timeline";
import { isOpen } from "../../core/history/read/timeline-entry";
import { type WorkflowEnd, workflowEndText } from "../../core/history/read/workflow-end";
import { renderPeoplesLog } from "../../core/journal/mission-log";
import type { RecordView } from "../../core/journal/view";
import { type Colors, renderDuration, renderTable, renderTime } from "../terminal/render";
import { storyText } from "./render-story";
import { whenUndoneText } from "./render-undone";
import { indented } from "./render-value";

/**
 * Missions as text: of each the Mission Log, its turns, the timeline and how it ended. The last line is the error of the
 * first mission, if it failed.
 */
export function missionsText(tree: MissionTree, full: boolean, color: Colors): string {
  const missions = flatten(tree).map((mission) => missionText(mission, full, color));
  // The ends of its children stand in between.
  const end = missions.length > 1 ? endLines(tree, color) : [];
  return [...missions, ...(end.length === 0 ? [] : [end.join("\n")])].join("\n\n");
}

/** Why a mission failed: `agent/x failed: no_stock: None is left.` Nothing for every other end. */
export function failureLines(workflow_id: string, end: WorkflowEnd | null, color: Colors): string[] {
  if (end === null || end.state === "completed" || end.state === "cancelled") return [];
  return [color.red(`${workflow_id} ${workflowEndText(end)}`)];
}

/** The notes of a mission, and its error if it failed: `agent/x failed: no_stock: None is left.` */
export function endLines({ workflow_id, projection, story }: MissionTree, color: Colors): string[] {
  const last = projection.timeline.at(-1);
  return [
    ...(story?.warnings ?? []).map(({ message }) => color.yellow(`Note: ${message}`)),
    ...(last?.kind === "end" && last.outcome === "failed" ? [color.red(`${workflow_id} ${last.text}`)] : []),
  ];
}

function missionText(mission: MissionTree, full: boolean, color: Colors): string {
  const { workflow_id, projection, story, undone } = mission;
  const end = endLines(mission, color);
  const start = projection.timeline[0]?.at;
  const since = start === undefined ? "" : color.dim(`  ${projection.workflow_type}, started ${renderTime(start)} UTC`);
  return [
    `${color.bold(workflow_id)}${since}`,
    ...(projection.rows.length === 0 ? [] : ["", peoplesLogText(projection, color)]),
    ...(story === null || story.turns.length === 0 ? [] : ["", storyText(story, full, color)]),
    "",
    color.bold("Timeline"),
    timelineText(projection.timeline),
    ...(undone === undefined
      ? []
      : ["", color.bold("Undone"), ...undone.map((one) => `    ${one.tool}: ${whenUndoneText(one)} (${one.key})`)]),
    ...(end.length === 0 ? [] : ["", ...end]),
  ].join("\n");
}

/** With the people who decided. "" if nothing is recorded. */
export const peoplesLogText = ({ rows }: Projection, color: Colors): string =>
  markdownText(renderPeoplesLog(rows), color);

/** The Mission Log and the progress list are Markdown made for models: on a terminal their headings are just bold. */
export function markdownText(markdown: string, color: Colors): string {
  return markdown.replace(/^#+ (.+)$/gm, (_, heading: string) => color.bold(heading));
}

export function timelineText(timeline: readonly TimelineEntry[]): string {
  const start = timeline[0]?.at ?? 0;
  return indented(renderTable(timeline.map((entry) => timelineRow(entry, start))));
}

/** Start time, event, duration, and the outcome if it is not a plain success. */
export function timelineRow(entry: TimelineEntry, start: number): string[] {
  const after = entry.at - start;
  const took = entry.duration_ms === undefined ? "" : renderDuration(entry.duration_ms);
  const notes = [
    ...(entry.attempts === undefined ? [] : [`attempt ${entry.attempts}`]),
    ...(entry.outcome === "failed" ? ["failed"] : []),
    ...(isOpen(entry) ? ["not over"] : []),
  ];
  const at = after < 100_000 ? `+${(after / 1000).toFixed(3)} s` : `+${renderDuration(after)}`;
  return [at.padStart(12), entry.kind, entry.text, took.padStart(7), notes.join(", ")];
}

export function journalTable(rows: readonly RecordView[]): string {
  return renderTable(
    rows.map((row) => [row.id, row.text, row.by, renderTime(row.at), row.note ?? ""]),
    ["ID", "VALUE", "BY", "AT (UTC)", rows.some((row) => row.note !== undefined) ? "NOTE" : ""],
  );
}
