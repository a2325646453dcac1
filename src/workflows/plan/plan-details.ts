import { pausedText } from "../../core/base/input/pause";
import { joinLines } from "../../core/base/one-line";
import { reviewLines } from "../../core/review/lines";
import { textInMarkdown } from "../../core/review/markdown";
import type { Review } from "../../core/review/review";
import type { PlanRunResult, PlanStatus } from "../plan-run-input";

const MAX_TASKS = 100;
const MARKS = { pending: "·", running: "▶", ok: "✓", failed: "✗", skipped: "-" } as const;

/**
 * The page of a plan in the Temporal Web UI, as Markdown.
 *
 * @param effects the lines of the effects; "" without effects
 */
export function planDetails(
  status: PlanStatus,
  reviews: readonly Review[],
  result: PlanRunResult | undefined,
  effects: string,
): string {
  return [
    headline(status, result),
    taskLines(status),
    effects,
    reviewLines(reviews),
    status.refused_signals === 0
      ? ""
      : `${status.refused_signals} signal(s) refused: they decided nothing that is open.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function headline({ state, paused, tasks, replans }: PlanStatus, result: PlanRunResult | undefined): string {
  const done = tasks.filter((task) => task.state === "ok").length;
  const repaired = replans === 0 ? "" : `, repaired ${replans} time(s)`;
  const why = result?.status === "error" ? `: ${textInMarkdown(result.reason.message)}` : "";
  const pausedPart = paused === undefined || result !== undefined ? "" : ` ${textInMarkdown(pausedText(paused))}`;
  return `**${result?.status ?? state}**${pausedPart}, ${done} of ${tasks.length} tasks done${repaired}${why}`;
}

function taskLines({ tasks }: PlanStatus): string {
  // Running and failed tasks first if not all fit.
  const rank = ({ state }: PlanStatus["tasks"][number]) => (state === "running" || state === "failed" ? 0 : 1);
  const shown = tasks.length <= MAX_TASKS ? tasks : [...tasks].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_TASKS);
  const more = tasks.length > shown.length ? [`... and ${tasks.length - shown.length} more`] : [];
  return [
    "```",
    ...shown.map(({ task_id, state }) => `${MARKS[state]} ${joinLines(task_id.replaceAll("`", "'"))}`),
    ...more,
    "```",
  ].join("\n");
}
