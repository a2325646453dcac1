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
    lines.push(summary === undefined ? `- [ ] ${description}` : `- [x] ${description} — ${summary}`);
  }
  if (plan.length > 0)
    lines.push("", `Report with (step-done "<id>" "<summary>"). Ids: ${plan.map((step) => step.id).join(", ")}`);
  if (others.length > 0)
    lines.push("", "### Out-of-Plan Steps", ...others.map((id) => `- [x] ${id}: ${summaries.get(id)}`));
  return lines.join("\n");
}
