import { openReviews } from "./decide";
import { codeSpan, textInMarkdown } from "./markdown";
import { undeliveredLines } from "./outbox";
import type { Review } from "./review";

const SHOWN = 20;

/**
 * The reviews as lines of Markdown for the page of a run: open ones first, then the newest. "" when nobody was asked.
 */
export function reviewLines(reviews: readonly Review[]): string {
  if (reviews.length === 0) return "";
  const open = openReviews(reviews).flatMap((review) => [
    `- [open] ${textInMarkdown(review.title)}${votes(review)} (${codeSpan(review.id)})`,
    ...undeliveredLines(review).map((line) => `  - not notified: ${textInMarkdown(line)}`),
  ]);
  const closed = reviews
    .filter((review) => review.status !== "open")
    .slice(-SHOWN)
    .reverse()
    .map(closedLine);
  return ["### Reviews", ...open, ...closed].join("\n");
}

function closedLine({ title, decision }: Review): string {
  if (!decision) return `- [withdrawn] ${textInMarkdown(title)}`;
  const { choice, by, note, at } = decision;
  const why = note === undefined ? "" : `: ${textInMarkdown(note)}`;
  return `- [${textInMarkdown(choice)}] ${textInMarkdown(title)}, by ${textInMarkdown(by)} at ${new Date(at).toISOString()}${why}`;
}

const votes = ({ quorum, votes: cast = [] }: Review): string =>
  quorum === undefined || quorum === 1 ? "" : `, ${cast.length} of ${quorum} have voted`;
