import { isoTime } from "../../base/iso-time";
import { escapeLineBreaks } from "../../base/one-line";
import { type Definition, type Edge, edgesFrom, maxRetriesOf, nodeKind, nodeName, nodeOf } from "../definition/schema";
import { endingAt } from "../nodes/end";
import { movesOf } from "../task/recent-moves";
import { takenEdge } from "../task/taken-edge";
import type { Task, TaskEntry } from "../task/task-schema";
import { moveUndoText } from "../task/undo-over-edges";
import { executionPlan } from "./levels";

/**
 * A task on its graph as text for a terminal. One line for each node with its edges, the taken ones solid and counted;
 * below it the last `maxMoves` moves in order. Plain characters, no colour, no width assumed.
 *
 *   ✓ charge    ─ failed ↻ charge ×1   ─ passed → approval   ┄ failed → stuck
 */
export function renderWay(definition: Definition, task: Task, maxMoves = Number.POSITIVE_INFINITY): string {
  const way = wayLines(definition, task);
  const left = Math.max(way.length - 1 - maxMoves, 0);
  const hidden = left + (task.earlierMoves ?? 0);
  const shown = hidden === 0 ? way : [`      ... ${hidden} earlier`, ...way.slice(left)];
  return [...graphLines(definition, task), "", "Way:", ...shown].join("\n");
}

function graphLines(definition: Definition, task: Task): string[] {
  const ids = executionPlan(definition).levels.flat();
  const width = Math.max(...ids.map((id) => id.length));
  const taken = takenEdges(definition, task);
  const left = new Set(task.history.map((entry) => entry.step));
  return ids.map((id) => {
    const mark = id === task.currentStep ? hereMark(definition, task) : left.has(id) ? "✓" : "·";
    const ways = edgesFrom(definition, id).map((edge) => wayOut(edge, taken.get(edge) ?? 0));
    const again = task.history.filter(
      (entry) => entry.step === id && entry.action === "retry" && entry.to === id,
    ).length;
    // A step that is retried in place loops without an edge.
    const inPlace =
      again > 0 && !edgesFrom(definition, id).some((edge) => edge.to === id) ? [`─ failed ↻ here ×${again}`] : [];
    return `${mark} ${id.padEnd(width)}  ${[...inPlace, ...ways].join("   ")}`.trimEnd();
  });
}

function hereMark(definition: Definition, { status, currentStep }: Task): string {
  if (status === "COMPLETED") return "◉";
  if (status === "FAILED") return "✗";
  const node = nodeOf(definition, currentStep);
  if (status === "HITL") return "✋";
  return node ? nodeKind(node).drawing.sign : "▶";
}

function wayOut({ from, to, on, on_failure }: Edge, times: number): string {
  const line = times > 0 ? "─" : "┄";
  const arrow = to === from ? "↻" : "→";
  const count = times > 1 || (times > 0 && to === from) ? ` ×${times}` : "";
  const undo = on_failure === undefined ? "" : " ↩";
  return `${line}${on === undefined ? "" : ` ${on} `}${arrow} ${to}${undo}${count}`;
}

/** How often each edge was taken. */
function takenEdges(definition: Definition, { history }: Task): Map<Edge, number> {
  const taken = new Map<Edge, number>();
  for (const entry of history) {
    const edge = takenEdge(definition, entry);
    if (edge) taken.set(edge, (taken.get(edge) ?? 0) + 1);
  }
  return taken;
}

/** The steps in order; retries are numbered until their counter is reset. */
function wayLines(definition: Definition, task: Task): string[] {
  const used = new Map<string, number>();
  const { earlierMoves = 0 } = task;
  const lines = task.history.map(
    (entry, index) => `${number(earlierMoves + index)}${entryText(definition, entry, used)}${undoText(entry)}`,
  );
  const { endResult } = endingAt(definition, task.currentStep);
  const until = task.waitingUntil === undefined ? undefined : `until ${isoTime(task.waitingUntil)}`;
  const about = endResult ?? until;
  return [
    ...lines,
    `${number(movesOf(task))}${task.currentStep}: ${task.status}${about === undefined ? "" : ` (${escapeLineBreaks(about)})`}`,
  ];
}

const undoText = ({ undo }: TaskEntry): string =>
  undo === undefined ? "" : ` ↩ ${escapeLineBreaks(moveUndoText(undo))}`;

const number = (index: number): string => `${String(index + 1).padStart(4)}  `;

function entryText(definition: Definition, entry: TaskEntry, used: Map<string, number>): string {
  const { step, to, result, action } = entry;
  const node = nodeOf(definition, step);
  const max = node ? maxRetriesOf(node) : 0;
  const resultText = result === null ? "" : ` ${escapeLineBreaks(result)}`;
  switch (action) {
    case "retry": {
      const retry = (used.get(step) ?? 0) + 1;
      used.set(step, retry);
      return `${step}:${resultText}, retry ${retry} of ${max}${to === step ? "" : `, back to ${to}`}`;
    }
    case "escalate":
      return `${step}:${resultText}, ${max === 0 ? "no retries" : `${max} ${max === 1 ? "retry" : "retries"} used up`}${to === null ? ", no way out" : ""}`;
    case "send_to":
      used.clear();
      return `${step}: sent to ${to} by a person`;
    case "close":
      return `${step}: closed by a person`;
    default:
      used.delete(step);
      return `${step}${resultText === "" ? "" : `:${resultText}`}`;
  }
}

/** `charge: Charge the card`, or the id alone where there is no other name. */
export function stepTitle(definition: Definition, step: string): string {
  const name = nodeName(definition, step);
  return name === step ? step : `${step}: ${name}`;
}
