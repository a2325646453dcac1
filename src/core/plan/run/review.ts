import { defined } from "../../base/defined";
import type { Json } from "../../base/json";
import type { ReviewTerms } from "../../review/policy/terms";
import type { FinalDecision, ReviewRequest } from "../../review/request";
import type { PendingReview } from "./result";

const TITLE_CHARS = 120;

/** A plan's review as the inbox shows it, with who decides it. */
export function reviewRequest({ task_id, prompt, context }: PendingReview, terms: ReviewTerms = {}): ReviewRequest {
  const upstream = Object.entries(context.upstream_results);
  const results = upstream.map(([id, value]) => `### ${id}\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``);
  return {
    ...terms,
    source: "plan",
    about: task_id,
    title: prompt.length <= TITLE_CHARS ? prompt : `${prompt.slice(0, TITLE_CHARS - 3)}...`,
    body: [prompt, ...results].join("\n\n"),
    data: { task_id, ...context },
    choices: ["approve", "reject"],
  };
}

/**
 * The value of a review task: the value that came with the decision, else the choice and who made it, with `approved`
 * for predicates.
 */
export function decidedValue({ choice, value, by, note }: FinalDecision): Json {
  if (value !== undefined) return value;
  return { approved: choice === "approve", choice, by, ...defined({ note }) };
}
