import type { Step } from "../../core/agent/result/step";
import type { Json } from "../../core/base/json";
import { failedCallOf, failedCallText } from "../../core/history/read/failed-call";
import type { Review } from "../../core/review/review";
import { ownName, shellWord } from "../../node/shell-word";
import { type Colors, renderDuration } from "../terminal/render";
import { markdownText } from "./render-missions";
import { askedText } from "./render-review";
import { indented, valueText } from "./values";

/** The records of a mission, in the Markdown that its model reads. */
export interface RunRecord {
  mission_log: string;
  progress: string;
}

/** The end of a run as text: finished tasks, result and usage. */
export function renderStep(step: Step, written: RunRecord, color: Colors): string {
  const failedCall = failedCallText(failedCallOf(step)).trim();
  const end =
    step.fail === null
      ? [color.green("Returned"), indented(valueText(step.return))]
      : [
          `${color.red("Failed")} ${color.dim(`[${step.fail.reason}]`)}`,
          indented(step.fail.message),
          ...(failedCall === "" ? [] : [indented(failedCall)]),
        ];
  const warnings = step.warnings.map(({ message }) => color.yellow(`Note: ${message}`));
  const notes = [...warnings, color.dim(usageText(step))];
  // The error of a failed run is the last thing that a reader sees.
  const rest = step.fail === null ? [...end, "", ...notes] : [...notes, "", ...end];
  return [...recordText(written, color), ...rest].join("\n");
}

/** The command that decides for a parked mission. @param person who is logged in, and signs */
export const recordCommand = (id: string, person: string | undefined): string =>
  `navigator journal set ${shellWord(id)} JOURNAL_ID VALUE${person === undefined ? ` --by ${ownName()}` : ""}`;

/** A waiting mission, and how to continue it. @param person who is logged in */
export function waitingText(
  { id, waiting }: { id: string; waiting: Json },
  written: RunRecord,
  color: Colors,
  person: string | undefined,
): string {
  const value = withoutStatus(waiting);
  return [
    ...recordText(written, color),
    color.yellow("Waiting for a decision. It costs nothing while it waits."),
    ...(value === null ? [] : [indented(valueText(value))]),
    "",
    `Decide:  ${recordCommand(id, person)}`,
    "Continue: the same `navigator run` command again, or any worker: navigator worker",
  ].join("\n");
}

/** A mission that asks people inside a turn, and the commands that answer. @param person who is logged in */
export function reviewsText(
  { open, again }: { open: readonly Review[]; again: string },
  written: RunRecord,
  color: Colors,
  person: string | undefined,
): string {
  return [
    ...recordText(written, color),
    color.yellow("Waiting for a person. It costs nothing while it waits."),
    ...open.flatMap((review) => ["", askedText(review, " --signal", person)]),
    "",
    `Continue: ${again}, or any worker: navigator worker`,
  ].join("\n");
}

function recordText({ mission_log, progress }: RunRecord, color: Colors): string[] {
  return [
    ...(mission_log === "" ? [] : [markdownText(mission_log, color), ""]),
    ...(progress === "" ? [] : [markdownText(progress, color), ""]),
  ];
}

/** Removes the status, because the text shows it already. */
function withoutStatus(waiting: Json): Json {
  if (typeof waiting !== "object" || waiting === null || Array.isArray(waiting)) return waiting;
  const { status: _, ...rest } = waiting;
  return Object.keys(rest).length === 0 ? null : rest;
}

function usageText({ usage }: Step): string {
  if (!usage) return "";
  const { turns, total_tokens: tokens, duration_ms: ms, cache_hit_rate: rate } = usage;
  return [
    `${turns} ${turns === 1 ? "turn" : "turns"}`,
    ...(tokens === undefined || tokens === 0 ? [] : [`${tokens} tokens`]),
    ...(rate === undefined ? [] : [`${Math.round(rate * 100)} % of the input from the cache`]),
    // In a simulation no time passes.
    ...(ms === 0 ? [] : [renderDuration(ms)]),
  ].join(", ");
}
