import type { InboxPage } from "../../client/inbox-page";
import { escapeLineBreaks, joinLines } from "../../core/base/one-line";
import type { InboxItem } from "../../core/review/inbox/inbox-item";
import { mayHaveMoreUnheard } from "../../core/review/inbox/short-review";
import type { Review } from "../../core/review/review";
import { shellWord } from "../../node/shell-word";
import { renderTable, renderTime } from "../terminal/render";

/** What waits for a person, and the workflows that could not be asked. */
export function inboxText({ items, next, total, unanswered }: InboxPage): string {
  const lines =
    items.length > 0 ? [table(items)] : unanswered.length === 0 && !next ? ["Nothing waits for a person."] : [];
  lines.push(...items.flatMap(helpOf));
  if (next !== undefined) {
    const all = total === undefined ? "" : `; ${total} workflows wait`;
    lines.push(`There is more${all}. Next page: add --page ${next}`);
  }
  if (unanswered.length > 0) lines.push(`Also waiting, but did not answer (${unanswered.length}):`);
  for (const { workflow_id, message } of unanswered) lines.push(`  ${workflow_id}: ${joinLines(message)}`);
  return lines.join("\n");
}

function table(items: readonly InboxItem[]): string {
  const rows = items.map((item) => [
    item.review?.id ?? item.workflow_id,
    `${item.kind}${item.irreversible ? " !" : ""}`,
    escapeLineBreaks(item.title),
    item.assignees.join(", "),
    item.review?.choices.join(" | ") ?? "",
    item.since === 0 ? "" : renderTime(item.since),
  ]);
  return renderTable(rows, ["REVIEW", "KIND", "TITLE", "FOR", "CHOICES", "SINCE (UTC)"]);
}

/** Messages that reached nobody; and what has no review is not decided: a decision is recorded in the journal, or something is started. */
function helpOf({ workflow_id, review, parked, blocked }: InboxItem): string[] {
  if (review !== undefined) return unheardText(review);
  if (blocked) return [`${workflow_id}: ${joinLines(blocked.help)}`];
  return parked ? [`${workflow_id}: ${parkedHelp(workflow_id)}`] : [];
}

function unheardText(review: Review): string[] {
  const { id, unheard = [] } = review;
  const lines = unheard.map(
    ({ channel, to, error, given_up }) =>
      `${id}: ${channel} did not reach ${to}: ${joinLines(error)}${given_up ? "" : " (it is tried again)"}`,
  );
  return mayHaveMoreUnheard(review)
    ? [...lines, `${id}: see all that reached nobody: navigator review show ${shellWord(id)}`]
    : lines;
}

/** The command by which a parked mission goes on. */
const parkedHelp = (workflowId: string): string =>
  `record a decision: navigator journal set ${shellWord(workflowId)} ID VALUE`;
