import type { PlanRunResult, PlanStatus } from "../../client/plan-client";
import { pausedText } from "../../core/base/input/pause";
import { joinLines } from "../../core/base/one-line";
import type { Review } from "../../core/review/review";
import { type Colors, renderTable } from "../terminal/render";
import { planEndLines } from "./render-plan";
import { askedText } from "./render-review";
import { indented } from "./values";

/** A waiting plan, and how to continue it. @param person who is logged in */
export function planWaitingText(open: readonly Review[], again: string, color: Colors, person?: string): string {
  return [
    color.yellow("Waiting for a person. It costs nothing while it waits."),
    // There may be no worker now: a signal waits for the next one.
    ...open.flatMap((review) => ["", askedText(review, " --signal", person)]),
    "",
    `Continue: ${again}, or any worker: navigator worker`,
  ].join("\n");
}

/** The state of a plan. @param person who is logged in */
export function planStatusText(
  status: PlanStatus & { ended: string | null; result: PlanRunResult | null },
  open: readonly Review[],
  color: Colors,
  person?: string,
): string {
  const { tasks, executions, replans, ended, result, paused } = status;
  // A plan that was terminated has no result.
  const state = ended === null || result !== null ? status.state : ended;
  const done = tasks.filter(({ state }) => state === "ok").length;
  const repaired = replans === 0 ? "" : `, repaired ${replans} time(s), execution ${executions}`;
  return [
    `${color.bold(state)}${paused === undefined ? "" : ` ${joinLines(pausedText(paused))}`}  ${done} of ${tasks.length} tasks done${repaired}`,
    indented(renderTable(tasks.map(({ task_id, state }) => [task_id, state]))),
    ...(result === null ? [] : ["", ...planEndLines(result, color)]),
    ...(open.length === 0 ? [] : ["", "Waiting for people:"]),
    ...open.map((review) => askedText(review, "", person)),
  ].join("\n");
}
