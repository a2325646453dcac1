import type { OpenReview } from "../../client/inbox";
import { escapeLineBreaks, joinLines } from "../../core/base/one-line";
import type { RefusedSignal } from "../../core/history/read/refused-signals";
import { reviewKind } from "../../core/review/kinds";
import { quotation } from "../../core/review/markdown";
import { undeliveredLines } from "../../core/review/outbox";
import { isGroupWord } from "../../core/review/people/authority";
import type { Review } from "../../core/review/review";
import { ownName, shellWord } from "../../node/shell-word";
import { type Colors, renderTable, renderTime } from "../terminal/render";
import {
  commentLines,
  handOverRows,
  ladderRows,
  neededRows,
  refusedRows,
  voteRow,
  whoText,
  withdrawnRows,
} from "./review-course";
import { indented, valueText } from "./values";

/**
 * One review as text for the person who decides.
 *
 * @param person who is logged in, and signs what was seen
 * @param nowMs ms since 1970: which steps of the ladder are still to come
 */
export function reviewText(
  { workflow_id, review, cut, bare_votes, refused = [] }: OpenReview & { refused?: readonly RefusedSignal[] },
  color: Colors,
  person?: string,
  nowMs = Date.now(),
): string {
  const facts = [
    ["review", review.id],
    ["from", `${reviewKind(review).drawing.label} of ${workflow_id}`],
    ["since", `${renderTime(review.createdAt)} UTC`],
    ...(review.expiresAt === undefined ? [] : [["until", `${renderTime(review.expiresAt)} UTC`]]),
    ...(review.assignees?.length ? [["for", review.assignees.join(", ")]] : []),
    ...(review.requestedBy === undefined ? [] : [["asked by", review.requestedBy]]),
    ["choices", review.choices.join(" | ")],
    ...neededRows(review),
    ...(review.votes ?? []).map(voteRow),
    ...(bare_votes ? [["", BARE_VOTES]] : []),
    ...withdrawnRows(review),
    ...handOverRows(review),
    ...ladderRows(review, nowMs),
    ...refusedRows(refused),
    ...undeliveredLines(review).map((line) => ["not notified", joinLines(line)]),
    ...(review.editable ? [["may change", review.editable.parameters || "the arguments"]] : []),
    ...(review.seal === undefined ? [] : [["seal", review.seal]]),
  ];
  return [
    color.bold(escapeLineBreaks(review.title)),
    indented(renderTable(facts)),
    ...(review.body ? ["", quotation(review.body, "  ")] : []),
    ...commentLines(review),
    ...(cut ? ["", color.yellow(CUT)] : []),
    "",
    endText(review, person),
  ].join("\n");
}

const BARE_VOTES = "what they changed, and why, needs a worker, and none answers";
const CUT = "This is only its beginning: the rest needs a worker, and none answers.";

function endText(review: Review, person: string | undefined): string {
  const { status, decision } = review;
  if (decision) {
    const note = decision.note === undefined ? "" : `: ${joinLines(decision.note)}`;
    const value = decision.value === undefined ? "" : `\n${indented(valueText(decision.value))}`;
    return `Decided: ${decision.choice}, by ${whoText(decision)} at ${renderTime(decision.at)} UTC${note}${value}`;
  }
  if (status === "withdrawn") return "It is no longer needed: the work took another path.";
  return commands(review, "", person).join("\n");
}

/** What is asked, and the commands that answer; the parameters are those of `commands`. */
export const askedText = (review: Review, more = "", person?: string): string =>
  [`  ${escapeLineBreaks(review.title)}`, indented(commands(review, more, person).join("\n"))].join("\n");

/**
 * The commands that decide, as they can be pasted into a shell.
 *
 * @param more added to each: `--signal`, where there may be no worker that answers
 * @param person who is logged in: the decision is signed, for what was seen
 */
export function commands(
  review: Pick<Review, "kind" | "id" | "choices" | "assignees" | "editable" | "answers" | "data" | "seal">,
  more = "",
  person?: string,
): string[] {
  const { id, choices, assignees = [], editable, answers, data, seal } = review;
  const named = assignees.find((word) => !isGroupWord(word));
  const by = ` --by ${named === undefined ? ownName() : shellWord(named)}`;
  const who = person === undefined ? by : seal === undefined ? "" : ` --seal ${shellWord(seal)}`;
  const decide = (choice: string, value = "") =>
    `navigator review decide ${shellWord(id)} ${shellWord(choice)}${value}${who}${more}`;
  const answer = (choice: string) => (choice === answers?.choice ? ` --value '<what it answered, as JSON>'` : "");
  const lines = choices.map((choice, i) => `${i === 0 ? "Decide:" : "       "}  ${decide(choice, answer(choice))}`);
  if (!editable) return lines;
  const given = reviewKind(review).drawing.form?.given(data) ?? {};
  const value = ` --value ${shellWord(JSON.stringify(given))}`;
  return [
    ...lines,
    `Change:  ${decide(editable.choice, value)}`,
    "         Keep only the arguments that you change, or name them with --set; null takes one away.",
  ];
}
