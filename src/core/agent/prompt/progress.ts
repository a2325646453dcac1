/** The checklist of a plan (agent reference, section 10.3). */
export interface PlanStep {
  id: string;
  description: string;
}

/** "" when there is neither a plan nor a summary. A step is ticked only by a summary; the journal plays no part. */
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

/** The same for the model, which is told how to report; the line comes last, so that the list reads the same. */
export function progressForModel(plan: readonly PlanStep[], summaries: ReadonlyMap<string, string>): string {
  const ids = plan.map((step) => step.id).join(", ");
  const how = plan.length === 0 ? "" : `\n\nReport with (step-done "<id>" "<summary>"). Ids: ${ids}`;
  return `${renderProgress(plan, summaries)}${how}`;
}

/** A line end in a summary must not look like another step. */
const oneLine = (text: string): string => text.replace(/\r?\n|\r/g, " ");
