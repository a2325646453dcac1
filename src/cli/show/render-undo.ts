import type { UndoRunResult } from "../../client/undo";
import { withoutHidden } from "../../core/agent/prompt/hidden-values";
import { valueWithoutSecrets } from "../../core/agent/prompt/key-shapes";
import type { Json, JsonObject } from "../../core/base/json";
import type { UndoPlan, UndoRest, UndoStep } from "../../core/effects/undo/undo-plan";
import type { Colors } from "../terminal/render";

/** The plan as it is shown: without values under names that begin with `_`, and without what looks like a key. */
export function shownPlan(plan: UndoPlan): UndoPlan {
  const shown = (value: Json) => valueWithoutSecrets(withoutHidden(value));
  const steps = plan.steps.map((step) => ({
    ...step,
    args: shown(step.args) as JsonObject,
    result: shown(step.result),
  }));
  return { ...plan, steps, remaining: plan.remaining.map(shownRest) };
}

/** What remains, as it is shown. */
export const shownRest = (rest: UndoRest): UndoRest =>
  rest.args === undefined ? rest : { ...rest, args: valueWithoutSecrets(withoutHidden(rest.args)) as JsonObject };

/** The plan of an undo as people read it before they agree. */
export function planText(plan: UndoPlan, isRunning: boolean, color: Colors): string {
  const { mission, to, steps, remaining, needless } = plan;
  const since = to === undefined ? "" : ` after ${to}`;
  const lines = [
    steps.length === 0
      ? `Nothing that ${mission} did${since} can be undone.`
      : color.bold(`Undo of ${mission}${since}, in this order:`),
    ...steps.map((step, i) => `${`${i + 1}`.padStart(4)}  ${stepText(step)}`),
  ];
  if (steps.length > 0) lines.push(`  Cost: ${costText(plan)}`);
  if (remaining.length > 0)
    lines.push("", color.bold("Cannot be undone and remains:"), ...remaining.map((rest) => `    - ${restText(rest)}`));
  if (needless.length > 0)
    lines.push("", `${needless.length} need no undo: they were not done, or are undone already.`);
  if (isRunning && steps.length > 0)
    lines.push("", "The mission goes on, and may do something again. Its records stay as they are.");
  return lines.join("\n");
}

/** What became of an undo. */
export function undoResultText({ undone, failed, left, remaining }: UndoRunResult, color: Colors): string {
  const lines = [`${undone.length} undone.`];
  for (const { tool, outcome, message, key } of failed)
    lines.push(
      `${color.red("Not undone")}: ${tool} (${outcome === "unknown" ? "nobody knows whether it is undone" : message})`,
      `  ${color.dim(key)}`,
    );
  if (left.length > 0) lines.push(`${left.length} not tried after that. Run the command again to go on.`);
  if (remaining.length > 0)
    lines.push(
      `${remaining.length} could not be undone from the beginning:`,
      ...remaining.map((r) => `  - ${restText(r)}`),
    );
  return lines.join("\n");
}

function stepText(step: UndoStep): string {
  const { tool, args, cost } = step;
  return `${tool} ${shortJson(args)}${placeText(step)}${cost === undefined ? "" : `, $${cost}`}`;
}

function restText(rest: UndoRest): string {
  const { tool, args, why } = rest;
  return `${tool}${args === undefined ? "" : ` ${shortJson(args)}`}${placeText(rest)}: ${why}`;
}

function placeText({ task, lane, turn, at }: Pick<UndoRest, "task" | "lane" | "turn" | "at">): string {
  const where = task === undefined ? `turn ${turn}` : `task ${task}`;
  return ` (${lane === "" ? "" : `${lane}, `}${where}, ${new Date(at).toISOString()})`;
}

function costText({ cost: { known, unknown }, steps }: UndoPlan): string {
  if (unknown === steps.length) return "not known: the tools do not say";
  const sum = `$${Math.round(known * 100) / 100}`;
  return unknown === 0 ? sum : `${sum}, and ${unknown} whose tools do not say`;
}

const MAX_CHARS = 120;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}...` : text;
}
