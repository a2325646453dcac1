import { flatten, type MissionTree } from "../../client/mission-tree";
import { renderPeoplesLog } from "../../core/journal/mission-log";
import type { Projection } from "../../core/journal/project";
import type { TimelineEntry } from "../../core/journal/timeline";
import type { RecordView } from "../../core/journal/view";
import { type Colors, renderDuration, renderTable, renderTime } from "../terminal/render";
import { indented } from "./render-value";

/** Missions as text: the Mission Log of each, then the timeline. */
export function missionsText(tree: MissionTree, color: Colors): string {
  return flatten(tree)
    .map((mission) => missionText(mission, color))
    .join("\n\n");
}

function missionText({ workflow_id, projection }: MissionTree, color: Colors): string {
  const start = projection.timeline[0]?.at;
  const since = start === undefined ? "" : color.dim(`  ${projection.workflow_type}, started ${renderTime(start)} UTC`);
  return [
    `${color.bold(workflow_id)}${since}`,
    ...(projection.rows.length === 0 ? [] : ["", peoplesLogText(projection, color)]),
    "",
    color.bold("Timeline"),
    timelineText(projection.timeline),
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

const LASTING: readonly TimelineEntry["kind"][] = ["model", "tool", "child", "wait"];

/** Started, and neither answered nor given up yet. */
export function isOpen(entry: TimelineEntry): boolean {
  return LASTING.includes(entry.kind) && entry.duration_ms === undefined && entry.outcome === undefined;
}

/** Whether a mission has ended for good. One that continued as new has not. */
export function isOver({ timeline }: Projection): boolean {
  const last = timeline.findLast((entry) => entry.kind === "end");
  return last !== undefined && last.text !== "continued as new";
}

export function journalTable(rows: readonly RecordView[]): string {
  return renderTable(
    rows.map((row) => [row.id, row.text, row.by, renderTime(row.at), row.note ?? ""]),
    ["ID", "VALUE", "BY", "AT (UTC)", rows.some((row) => row.note !== undefined) ? "NOTE" : ""],
  );
}
