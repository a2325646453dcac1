import { defined } from "../../base/defined";
import type { Json } from "../../base/json";
import { fitted } from "../../base/whole-characters";
import { shownJson } from "./about-call";
import type { ReviewKind } from "./review-kind";

/** What a program asks with the tool `ask-person`. Its answer is words, so an agent may answer it, and so may the person who asks. */
export const questionKind: ReviewKind<{ question: string; choices: string[]; details?: Json }> = {
  ask: ({ question, choices, details }) => ({
    about: "ask-person",
    title: fitted(question, 120),
    body: details === undefined ? question : `${question}\n\n${shownJson(details)}`,
    data: { question, ...defined({ details }) },
    choices,
  }),
  separates: false,
  agents: "answer",
  about: () => ({}),
  drawing: { label: "question" },
};
