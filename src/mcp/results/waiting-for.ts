import type { Review } from "../../core/review/review";
import { shellWord } from "../../node/shell-word";

/** The open review of a task, as tools return it. */
export interface WaitingFor {
  review: string;
  title: string;
  choices: string[];
  answer: "not_asked" | "accepted" | "declined" | "cancelled" | "timed_out" | "refused";
  hint: string;
  decision?: { choice: string; by: string; note?: string; verified: boolean };
}

/** What an answer says about an open review: its choices, and how to decide it. */
export function describeWaiting(review: Review, answer: WaitingFor["answer"]): WaitingFor {
  const { id, title, choices } = review;
  const hint = `Nothing moves until a person decides: navigator review decide ${shellWord(id)} CHOICE. If this client can show forms, decide_review with reviewId "${id}" asks the person who is here.`;
  return { review: id, title, choices, answer, hint };
}
