import type { Inbox, OpenReview } from "../../client/inbox";
import { escapeLineBreaks, joinLines, linesOf } from "../../core/base/one-line";
import type { Review } from "../../core/review/review";
import { shellWord } from "../../node/shell-word";
import { type Colors, renderTable, renderTime } from "../terminal/render";
import { indented, valueText } from "./render-value";

/** The open reviews, and the tasks that could not be asked. */
export function inboxText({ open, unanswered }: Inbox): string {
  const lines = open.length > 0 ? [table(open)] : unanswered.length === 0 ? ["Nothing waits for a person."] : [];
  if (unanswered.length > 0) lines.push(`Also waiting, but did not answer (${unanswered.length}):`);
  for (const { workflow_id, message } of unanswered) lines.push(`  ${workflow_id}: ${joinLines(message)}`);
  return lines.join("\n");
}

function table(open: readonly OpenReview[]): string {
  const rows = open.map(({ review }) => [
    review.id,
    review.source,
    review.title,
    review.choices.join(" | "),
    renderTime(review.createdAt),
  ]);
  return renderTable(rows, ["REVIEW", "FROM", "TITLE", "CHOICES", "SINCE (UTC)"]);
}

/** One review as text for the person who decides. */
export function reviewText({ workflow_id, review }: OpenReview, color: Colors): string {
  const facts = [
    ["review", review.id],
    ["from", `${review.source} of ${workflow_id}`],
    ["since", `${renderTime(review.createdAt)} UTC`],
    ...(review.expiresAt === undefined ? [] : [["until", `${renderTime(review.expiresAt)} UTC`]]),
    ...(review.assignees?.length ? [["for", review.assignees.join(", ")]] : []),
    ["choices", review.choices.join(" | ")],
    ...(review.quorum === undefined ? [] : [["needs", `${review.quorum} people who agree`]]),
    ...(review.votes ?? []).map(({ by, choice }) => ["said", `${choice}, by ${by}`]),
    ...(review.editable ? [["may change", review.editable.parameters || "the arguments"]] : []),
  ];
  return [
    color.bold(escapeLineBreaks(review.title)),
    indented(renderTable(facts)),
    ...(review.body ? ["", indented(linesOf(review.body).join("\n"))] : []),
    "",
    endText(review),
  ].join("\n");
}

function endText(review: Review): string {
  const { status, decision } = review;
  if (decision) {
    const note = decision.note === undefined ? "" : `: ${joinLines(decision.note)}`;
    const value = decision.value === undefined ? "" : `\n${indented(valueText(decision.value))}`;
    return `Decided: ${decision.choice}, by ${decision.by} at ${renderTime(decision.at)} UTC${note}${value}`;
  }
  if (status === "withdrawn") return "It is no longer needed: the work took another path.";
  return commands(review).join("\n");
}

/** What is asked, and the commands that answer. */
export const askedText = (review: Review, more = ""): string =>
  [`  ${escapeLineBreaks(review.title)}`, indented(commands(review, more).join("\n"))].join("\n");

/**
 * The commands that decide, as they can be pasted into a shell.
 *
 * @param more added to each: `--signal`, where there may be no worker that answers
 */
export function commands({ id, choices, assignees, editable, answers, data }: Review, more = ""): string[] {
  const by = assignees?.length ? shellWord(assignees[0] as string) : '"$USER"';
  const decide = (choice: string, value = "") =>
    `navigator review decide ${shellWord(id)} ${shellWord(choice)}${value} --by ${by}${more}`;
  const answer = (choice: string) => (choice === answers?.choice ? ` --value '<what it answered, as JSON>'` : "");
  const lines = choices.map((choice, i) => `${i === 0 ? "Decide:" : "       "}  ${decide(choice, answer(choice))}`);
  if (!editable) return lines;
  // A call has arguments; a budget says what the next call may take.
  const value = ` --value ${shellWord(JSON.stringify(data.args ?? data.next_call ?? {}))}`;
  return [
    ...lines,
    `Change:  ${decide(editable.choice, value)}`,
    "         Keep only the arguments that you change; null takes one away.",
  ];
}
