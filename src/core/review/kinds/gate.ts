import { type AskingStep, stepKind, stepQuestion } from "./about-step";
import type { ReviewKind } from "./review-kind";

/** A gate of a graph: the choices are the results of its step. */
export const gateKind: ReviewKind<AskingStep & { results: readonly string[] }> = {
  ...stepKind,
  ask: ({ results, ...asking }) =>
    stepQuestion(
      asking,
      asking.name,
      results.map((result) => [result, { kind: "result", result }]),
    ),
  drawing: { label: "gate" },
};
