import { flatten, type MissionTree } from "../../client/mission-tree";
import { withoutSecrets } from "../../core/agent/prompt/key-shapes";
import type { Json } from "../../core/base/json";
import { escapeLineBreaks, linesOf } from "../../core/base/one-line";
import { fitted } from "../../core/base/whole-characters";
import type { Projection } from "../../core/history/read/project";
import type { TimelineEntry } from "../../core/history/read/timeline";
import { isOpen } from "../../core/history/read/timeline-entry";
import { type WorkflowEnd, workflowEndText } from "../../core/history/read/workflow-end";
import type { Story, StoryCall, StoryTurn } from "../../core/history/trace/story";
import type { EffectUndone } from "../../core/history/trace/undone-effects";
import { renderPeoplesLog } from "../../core/journal/mission-log";
import type { RecordView } from "../../core/journal/view";
import { shellWord } from "../../node/shell-word";
import { type Colors, renderDuration, renderTable, renderTime } from "../terminal/render";
import { indented } from "./values";

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

/** Shows a timeline, with times from its first entry on. */
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

/** Shows the records of a journal as a table. */
export function journalTable(rows: readonly RecordView[]): string {
  return renderTable(
    rows.map((row) => [row.id, row.text, row.by, renderTime(row.at), row.note ?? ""]),
    ["ID", "VALUE", "BY", "AT (UTC)", rows.some((row) => row.note !== undefined) ? "NOTE" : ""],
  );
}

/** How much of each text is shown. */
interface Size {
  lines: number;
  chars: number;
}
const SHORT: Size = { lines: 12, chars: 140 };
const FULL: Size = { lines: Number.POSITIVE_INFINITY, chars: Number.POSITIVE_INFINITY };

/**
 * Shows a run turn by turn: the program, its printed text, its calls with their answers, and the feedback to the model. Texts that look
 * like keys are left out.
 */
function storyText({ turns }: Story, full: boolean, color: Colors): string {
  const size = full ? FULL : SHORT;
  return withoutSecrets(turns.map((turn) => turnText(turn, size, color)).join("\n"));
}

function turnText(turn: StoryTurn, size: Size, color: Colors): string {
  const { number, invocation, duration_ms, program, reply = "", prints, calls, error, told } = turn;
  const again = invocation === 1 ? "" : `, woken ${invocation - 1} time(s)`;
  const took = duration_ms === undefined ? "not over" : renderDuration(duration_ms);
  const wrote = program ?? reply;
  const lines = [
    ...(wrote.trim() === "" ? [] : [color.dim(cutLines(wrote.trim(), size))]),
    ...calls.map((call) => callText(call, size)),
    ...prints.map((line) => `printed ${hanging(cutLines(line, size), 8)}`),
    ...(error === undefined ? [] : [color.red(`failed: ${hanging(cutLines(error, size), 8)}`)]),
    ...(told === undefined ? [] : [`feedback to the model: ${hanging(cutLines(told, size), 4)}`]),
  ];
  return [`${color.bold(`Turn ${number}`)}${again}  ${color.dim(took)}`, ...lines.map((line) => indented(line))].join(
    "\n",
  );
}

function callText({ name, args, answer, error, duration_ms, child }: StoryCall, size: Size): string {
  const given = args === undefined ? "" : ` ${short(args, size)}`;
  const came =
    error !== undefined
      ? `failed: ${cut(escapeLineBreaks(error), size)}`
      : answer === undefined
        ? "(no answer yet)"
        : `-> ${short(answer, size)}`;
  const took = duration_ms === undefined ? "" : `  ${renderDuration(duration_ms)}`;
  const more = child === undefined ? "" : `\n  more: navigator log ${shellWord(child)}`;
  return `called ${name}${given} ${came}${took}${more}`;
}

const short = (value: Json, size: Size): string => cut(escapeLineBreaks(JSON.stringify(value)), size);

const cut = (text: string, { chars }: Size): string => fitted(text, chars);

function cutLines(text: string, { lines, chars }: Size): string {
  const all = linesOf(text);
  const shown = all.slice(0, lines).map((line) => cut(line, { lines, chars: chars * 2 }));
  return all.length <= lines
    ? shown.join("\n")
    : [...shown, `... ${all.length - lines} more lines (--full)`].join("\n");
}

/** Indents every line but the first. Empty lines stay empty. */
const hanging = (text: string, by: number): string => text.replace(/\n(?!\n|$)/g, `\n${" ".repeat(by)}`);

/** When an effect was undone, who asked for it, and by which undo. */
export function whenUndoneText({ at, by, because, undo }: EffectUndone): string {
  return [
    `undone ${renderTime(at)} UTC`,
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(because === undefined ? [] : [because]),
    ...(undo === undefined ? [] : [undo]),
  ].join(", ");
}
