import { escapeLineBreaks, joinLines } from "../../base/one-line";

/** The checklist of a plan (agent reference, section 10.3). */

/** One step of an agent's plan. */
export interface PlanStep {
  id: string;
  description: string;
}

/**
 * Renders the plan's checklist as Markdown; "" when there is neither a plan nor a summary. Only a summary marks a step
 * as done, never the journal.
 */
export function renderProgress(plan: readonly PlanStep[], summaries: ReadonlyMap<string, string>): string {
  const planned = new Set(plan.map((step) => step.id));
  const others = [...summaries.keys()].filter((id) => !planned.has(id)).sort();
  if (plan.length === 0 && others.length === 0) return "";
  const lines = ["## Progress"];
  for (const step of plan) {
    const summary = summaries.get(step.id);
    const description = joinLines(step.description);
    lines.push(summary === undefined ? `- [ ] ${description}` : `- [x] ${description} — ${joinLines(summary)}`);
  }
  if (others.length > 0) {
    lines.push("", "### Out-of-Plan Steps");
    for (const id of others) lines.push(`- [x] ${escapeLineBreaks(id)}: ${joinLines(summaries.get(id) as string)}`);
  }
  return lines.join("\n");
}

/** The checklist for the model, followed by how to report a step. */
export function progressForModel(plan: readonly PlanStep[], summaries: ReadonlyMap<string, string>): string {
  const ids = plan.map((step) => escapeLineBreaks(step.id)).join(", ");
  const how = plan.length === 0 ? "" : `\n\nReport with (step-done "<id>" "<summary>"). Ids: ${ids}`;
  return `${renderProgress(plan, summaries)}${how}`;
}
