/** The checklist of a plan (agent reference, section 10.3). */

/** One step of an agent's plan. */
export interface PlanStep {
  id: string;
  description: string;
}

/**
 * The plan's checklist as Markdown; "" when there is neither a plan nor a summary. Only a summary ticks a step, never
 * the journal.
 */
export function renderProgress(plan: readonly PlanStep[], summaries: ReadonlyMap<string, string>): string {
  const planned = new Set(plan.map((step) => step.id));
  const others = [...summaries.keys()].filter((id) => !planned.has(id)).sort();
  if (plan.length === 0 && others.length === 0) return "";
  const lines = ["## Progress"];
  for (const { id, description } of plan) {
    const summary = summaries.get(id);
    lines.push(summary === undefined ? `- [ ] ${description}` : `- [x] ${description} — ${oneLine(summary)}`);
  }
  if (others.length > 0) {
    lines.push("", "### Out-of-Plan Steps");
    for (const id of others) lines.push(`- [x] ${oneLine(id)}: ${oneLine(summaries.get(id) as string)}`);
  }
  return lines.join("\n");
}

/** The checklist for the model, followed by how to report a step. */
export function progressForModel(plan: readonly PlanStep[], summaries: ReadonlyMap<string, string>): string {
  const ids = plan.map((step) => step.id).join(", ");
  const how = plan.length === 0 ? "" : `\n\nReport with (step-done "<id>" "<summary>"). Ids: ${ids}`;
  return `${renderProgress(plan, summaries)}${how}`;
}

/** A line end in a summary must not look like another step. */
const oneLine = (text: string): string => text.replace(/\r?\n|\r/g, " ");
