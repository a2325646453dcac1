import type { Json } from "../../core/base/json";
import { joinLines } from "../../core/base/one-line";
import { cutText } from "../../core/base/whole-characters";
import type { RefusedSignal } from "../../core/history/read/refused-signals";
import { commentsOf } from "../../core/review/comments";
import { WITHDRAW } from "../../core/review/decision-input";
import { handOversOf } from "../../core/review/hand-over";
import { quotation } from "../../core/review/markdown";
import { neededPeople } from "../../core/review/policy/agreement";
import { type RecordedDecision, type Review, wantedBy } from "../../core/review/review";
import { shellWord } from "../../node/shell-word";
import { renderTime } from "../terminal/render";

/**
 * Shows the course of a review since it was opened, and what will follow: who took a vote back, who handed it over, who is asked as well,
 * and the comments (approvals reference, section 5). Rows are a word and a text.
 */

/** Who acted, and in whose place: `ben for anna`. */
export const actorText = (by: string, inPlaceOf: string | undefined): string =>
  inPlaceOf === undefined ? by : `${by} for ${inPlaceOf}`;

/** Who decided, and whether a signature shows it. Of a default only the name is known. */
export function whoText({ by, principal, as }: RecordedDecision): string {
  const who = actorText(by, as?.from);
  return principal === undefined ? who : `${who} (${principal.verified ? "verified" : "unverified"})`;
}

/** Shows a person's vote, with the changes and the reason. */
export function voteRow(vote: RecordedDecision): string[] {
  const { choice, value } = vote;
  const change = value === undefined ? "" : ` with ${JSON.stringify(value)}`;
  return ["vote", `${choice}${change}, by ${whoText(vote)}${noteText(vote)}`];
}

/** What a vote has come to, while more people must agree. */
export function agreementText(review: Review, by: string): string {
  const { votes = [] } = review;
  const own = votes.find((vote) => vote.by === by);
  const same = votes.filter(({ choice }) => choice === own?.choice);
  const agreed = own === undefined ? [] : same.filter((vote) => wantedBy(review, vote) === wantedBy(review, own));
  const so_far = `${agreed.length} of ${neededPeople(review)} people agree so far`;
  if (agreed.length < same.length)
    return `${so_far}; others want it with other arguments: navigator review show ${shellWord(review.id)}`;
  return so_far;
}

/** How many people must agree, if one is not enough. */
export function neededRows(review: Review): string[][] {
  const { quorum, distinctGroups = 1 } = review;
  if (quorum === undefined && distinctGroups === 1) return [];
  const groups = distinctGroups === 1 ? "" : `, of ${distinctGroups} different groups`;
  return [["needs", `${neededPeople(review)} people who agree${groups}`]];
}

/** The votes that were taken back. Each stands before the decision that took it back. */
export function withdrawnRows({ withdrawn = [] }: Review): string[][] {
  return withdrawn.flatMap((one, i) => {
    const taken = withdrawn[i - 1];
    if (one.choice !== WITHDRAW || taken === undefined) return [];
    return [["taken back", `${taken.choice}, by ${whoText(one)} at ${timeText(one.at)}${noteText(one)}`]];
  });
}

/** Refused signals that are shown one by one. */
const SHOWN_REFUSED = 10;

/** Decisions that came as signals and counted for nothing: their senders got no answer. Anything may stand in them. */
export function refusedRows(refused: readonly RefusedSignal[]): string[][] {
  const rows = refused.slice(0, SHOWN_REFUSED).map(({ at, said: { choice, by } }) => {
    const text = (value: Json | undefined) =>
      JSON.stringify(typeof value === "string" ? cutText(value, 100) : (value ?? null));
    return ["refused", `${text(choice)}, by ${text(by)}, as a signal at ${timeText(at)}`];
  });
  const more = refused.length - rows.length;
  return more === 0 ? rows : [...rows, ["", `and ${more} more`]];
}

/** The hand-overs, the oldest first. A delegate hands over what is another person's decision. */
export function handOverRows(review: Review): string[][] {
  const { handedOver = [] } = review;
  return handOversOf(review).map(({ to, at }, i) => {
    const one = handedOver[i] as RecordedDecision;
    return ["handed over", `to ${to}, by ${whoText(one)} at ${timeText(at)}${noteText(one)}`];
  });
}

/** The steps of the ladder: those whose time has come, and, while the review is open, those to come. */
export function ladderRows(review: Review, nowMs: number): string[][] {
  const { ladder = [], escalated = 0, quietUntil = 0, status, closedAt = nowMs } = review;
  const end = status === "open" ? nowMs : closedAt;
  return ladder.flatMap(({ at, to }, i) => {
    const who = to.join(", ");
    if (at > end) return status === "open" ? [["will ask", `${who} from ${timeText(at)} on, as well`]] : [];
    const notified = i < escalated || quietUntil <= end ? "" : `, and will be notified at ${timeText(quietUntil)}`;
    return [["asked", `${who} since ${timeText(at)}, as well${notified}`]];
  });
}

/** Comments without a decision. The texts are indented, so that they cannot look like lines of Navigator's own. */
export function commentLines(review: Review): string[] {
  const { comments = [] } = review;
  return commentsOf(review).flatMap(({ at, text }, i) => [
    "",
    `Comment of ${joinLines(whoText(comments[i] as RecordedDecision))} at ${timeText(at)}:`,
    quotation(text, "  "),
  ]);
}

const timeText = (ms: number): string => `${renderTime(ms)} UTC`;

const noteText = ({ note }: RecordedDecision): string => (note === undefined ? "" : `: ${joinLines(note)}`);
