/** The checklist of a plan (agent reference, section 10.3). */
export interface PlanStep {
  id: string;
  description: string;
}

/**
 * "" when there is neither a plan nor a summary. A step is ticked only by a summary; the journal plays no part. The
 * line that tells how to report comes last, so that the list reads the same with and without it.
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
  if (plan.length > 0)
    lines.push("", `Report with (step-done "<id>" "<summary>"). Ids: ${plan.map((step) => step.id).join(", ")}`);
  return lines.join("\n");
}

/** A line end in a summary must not look like another step. */
const oneLine = (text: string): string => text.replace(/\r?\n|\r/g, " ");
