import type { WorstCost } from "../../core/plan/check/cost";
import type { CheckedPlanFile } from "../input/check-plan-file";
import type { Colors } from "../terminal/render";
import { costLines } from "./render-cost";

/** A checked plan as text: the findings, then the cost. */
export function planCheckText({ file, ok, tasks, findings, cost, score }: CheckedPlanFile, color: Colors): string {
  const head = ok
    ? `${color.green("ok")} ${file}  ${color.dim(`${tasks} ${tasks === 1 ? "task" : "tasks"}, ${score} of 10`)}`
    : `${color.red("error")} ${file} cannot be run`;
  const lines = findings.map(({ severity, category, message, line }) => {
    const paint = severity === "error" ? color.red : severity === "warning" ? color.yellow : color.dim;
    const place = line === undefined ? "" : `line ${line}: `;
    return `  ${place}${paint(`${severity} ${category}`)}: ${message}`;
  });
  return [head, ...lines, ...(cost === null ? [] : worstText(cost))].join("\n");
}

function worstText(worst: WorstCost): string[] {
  const { model_calls, agent_runs, with_replans } = worst;
  return [
    `  at most ${model_calls} model calls in ${agent_runs} agent runs; with all repairs ${with_replans.model_calls} in ${with_replans.agent_runs}`,
    ...costLines(worst, worst.uncounted),
  ];
}
