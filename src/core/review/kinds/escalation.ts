import { type AskingStep, stepKind, stepQuestion } from "./about-step";
import type { ReviewKind } from "./review-kind";

/**
 * A task that cannot continue: at a HITL end, or at a step whose result found no way. The choices are the results that
 * lead on, each step to which the task can be sent back, and `close`.
 */
export const escalationKind: ReviewKind<AskingStep & { results: readonly string[]; steps: readonly string[] }> = {
  ...stepKind,
  ask: ({ results, steps, ...asking }) =>
    stepQuestion(asking, `${asking.task} needs a person: ${asking.name}`, [
      ...results.map((result) => [result, { kind: "result", result }] as const),
      ...steps.map((step) => [`send back to ${step}`, { kind: "send_to", step }] as const),
      ["close", { kind: "close" }],
    ]),
  drawing: { label: "escalation" },
};
