import { defined } from "../../base/defined";
import type { Json, JsonObject } from "../../base/json";
import { fitted } from "../../base/whole-characters";
import type { ReviewTerms } from "../policy/terms";
import { dataText, shownJson } from "./about-call";
import type { ReviewKind } from "./review-kind";

const TITLE_CHARS = 120;

/** A task of a plan with `type: review` (plan reference, section 4.5). */
export const planReviewKind: ReviewKind<{
  task_id: string;
  prompt: string;
  context: JsonObject & { upstream_results: { [task: string]: Json } };
  terms: ReviewTerms;
}> = {
  source: "plan",
  ask({ task_id, prompt, context, terms }) {
    const results = Object.entries(context.upstream_results).map(([id, value]) => `### ${id}\n\n${shownJson(value)}`);
    return {
      ...terms,
      about: task_id,
      title: fitted(prompt, TITLE_CHARS),
      body: [prompt, ...results].join("\n\n"),
      data: { task_id, ...context },
      choices: ["approve", "reject"],
    };
  },
  separates: true,
  agents: "nothing",
  about: ({ task_id }) => defined({ step: dataText(task_id) }),
  drawing: { label: "plan review" },
};

/**
 * The value of a review task: the value that came with the decision, else the choice and who made it, with `approved`
 * for predicates.
 */
export function decidedValue({ choice, value, by, note }: DecidedTask): Json {
  if (value !== undefined) return value;
  return { approved: choice === "approve", choice, by, ...defined({ note }) };
}

interface DecidedTask {
  choice: string;
  value?: Json;
  by: string;
  note?: string;
}
