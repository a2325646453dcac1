import { defined } from "../../base/defined";
import type { JsonObject } from "../../base/json";
import type { ReviewTerms } from "../policy/terms";
import { dataText } from "./about-call";
import type { ReviewKind, ReviewMove, ReviewQuestion } from "./review-kind";

/** The parts that the reviews of a task on a graph share. */

/** The step where a task waits for people. */
export interface AskingStep {
  task: string;
  step: string;
  /** The step's name. */
  name: string;
  /** Paragraphs about the step, and about the way to it. */
  texts: readonly string[];
  data: JsonObject;
  terms: ReviewTerms;
}

/** The rules of a review of a step, as far as they are the same for all of these. */
export const stepKind = {
  separates: true,
  agents: "move",
  about: ({ step }: JsonObject) => defined({ step: dataText(step) }),
} as const satisfies Partial<ReviewKind>;

/** The question about a step with this title. */
export function stepQuestion(
  { step, texts, data, terms }: AskingStep,
  title: string,
  offered: readonly (readonly [choice: string, move: ReviewMove])[],
): ReviewQuestion {
  // The first of equal choices wins: a step may have an output called "close".
  const moves = new Map<string, ReviewMove>();
  for (const [choice, move] of offered) if (!moves.has(choice)) moves.set(choice, move);
  return {
    ...terms,
    about: step,
    title,
    body: texts.filter((text) => text !== "").join("\n\n"),
    data,
    choices: [...moves.keys()],
    moves: Object.fromEntries(moves),
  };
}
