import { isForPeople } from "../../core/graph/task/machine/agent-moves";
import { reviewKind } from "../../core/review/kinds";
import type { Review } from "../../core/review/review";
import { decideCommand } from "./next-call";

/** The open review of a task, as tools return it. */
export interface WaitingFor {
  review: string;
  title: string;
  choices: string[];
  answer: "not_asked" | "accepted" | "declined" | "cancelled" | "timed_out" | "refused";
  hint: string;
  decision?: { choice: string; by: string; note?: string; verified: boolean };
}

/**
 * What an answer says about an open review: its choices, how a person decides it, and whether the one who works on the task may move it
 * without that (approvals reference, section 1).
 *
 * @param tools those of the session
 */
export function describeWaiting(
  review: Review,
  answer: WaitingFor["answer"],
  tools: "core" | "all" = "all",
): WaitingFor {
  const { id, title, choices } = review;
  const dialog =
    tools === "core"
      ? []
      : [`If this client can show forms, decide_review with reviewId "${id}" asks the person who is here.`];
  const hint = [...waysOn(review), ...dialog].join(" ");
  return { review: id, title, choices, answer, hint };
}

function waysOn(review: Review): string[] {
  const command = decideCommand(review.id);
  if (reviewKind(review).agents !== "move" || isForPeople(review))
    return [`Nothing moves until a person decides: ${command}.`];
  return [
    `A person may decide: ${command}.`,
    "The review names nobody, so whoever works on the task may also move it, with the call that `instructions` name. The history then says that no person decided.",
  ];
}
