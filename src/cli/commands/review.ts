import type { Command } from "commander";
import type { Decision } from "../../core/review/review";
import type { Inbox, OpenReview } from "../../inbox";
import { CliError, EXIT } from "../exit";
import type { CommandIo } from "../io";
import { jsonArgument } from "../json-argument";
import { renderTable } from "../render";
import { type Session, withSession } from "../session";

export function registerReview(program: Command, io: CommandIo): void {
  const review = program.command("review").description("the inbox: what waits for a person");

  review
    .command("list")
    .description("open reviews of all running tasks")
    .option("--task <id>", "of one task only")
    .action((options: { task?: string }) =>
      withSession(io, false, async ({ client }) => {
        const inbox = await client.openReviews(options);
        io.result(inbox, () => inboxText(inbox));
        return EXIT.done;
      }),
    );

  review
    .command("show <review-id>")
    .description("one open review, with what a person needs to decide")
    .option("--task <id>", "the task it belongs to")
    .action((id: string, options: { task?: string }) =>
      withSession(io, false, async (session) => {
        const found = await findReview(session, id, options.task);
        io.result(found, () => reviewText(found));
        return EXIT.done;
      }),
    );

  review
    .command("decide <review-id> <choice>")
    .description("decide a review")
    .requiredOption("--by <name>", "who decides")
    .option("--note <text>", "why")
    .option("--value <json>", "an answer that goes with the choice (JSON or @FILE)")
    .option("--task <id>", "the task it belongs to")
    .option("--signal", "send it as a plain Temporal signal: not answered")
    .addHelpText(
      "after",
      "\nExample:\n  navigator review decide order-42/approval/1 passed --by anna --note 'looks right'\n",
    )
    .action((id: string, choice: string, options: DecideOptions) =>
      withSession(io, false, async (session) => {
        const { workflow_id } = await findReview(session, id, options.task);
        const decision: Decision = {
          review: id,
          choice,
          by: options.by,
          ...(options.note === undefined ? {} : { note: options.note }),
          ...(options.value === undefined ? {} : { value: jsonArgument("--value", options.value) }),
        };
        const task = session.client.task(workflow_id);
        if (options.signal) {
          await task.signalDecision(decision);
          io.result(
            { sent: true },
            () => "Sent. A signal is not answered: see `navigator task show` for what became of it.",
          );
        } else {
          const decided = await task.decide(decision);
          io.result(decided, () => `Decided ${decided.id}: ${choice} (by ${options.by})`);
        }
        return EXIT.done;
      }),
    );
}

interface DecideOptions {
  by: string;
  note?: string;
  value?: string;
  task?: string;
  signal?: boolean;
}

type Found = OpenReview;

async function findReview({ client }: Session, id: string, task: string | undefined): Promise<Found> {
  const { open } = await client.openReviews(task === undefined ? {} : { task });
  const found = open.find(({ review }) => review.id === id);
  if (found) return found;
  // With the task named, the workflow itself says what is wrong with the id (decided already, and by whom).
  if (task !== undefined) {
    const all = await client.task(task).reviews();
    const closed = all.find((review) => review.id === id);
    if (closed) return { workflow_id: client.task(task).workflow.workflowId, review: closed };
  }
  const ids = open.map(({ review }) => review.id);
  throw new CliError("review_not_found", `No open review "${id}".`, {
    hint:
      ids.length === 0
        ? "Nothing waits for a person right now."
        : `Open: ${ids.join(", ")}. A decided one is shown with --task.`,
  });
}

function inboxText({ open, unanswered }: Inbox): string {
  const lines = open.length > 0 ? [table(open)] : unanswered.length === 0 ? ["Nothing waits for a person."] : [];
  if (unanswered.length > 0) lines.push(`Waiting too, but without an answer (${unanswered.length}):`);
  for (const { workflow_id, message } of unanswered) lines.push(`  ${workflow_id}: ${message}`);
  return lines.join("\n");
}

function table(open: Found[]): string {
  const rows = open.map(({ workflow_id, review }) => [
    review.id,
    review.source,
    review.title,
    review.choices.join(" | "),
    workflow_id,
  ]);
  return renderTable(rows, ["REVIEW", "FROM", "TITLE", "CHOICES", "WORKFLOW"]);
}

function reviewText({ workflow_id, review }: Found): string {
  return [
    `${review.title}  [${review.id}]`,
    `  from     ${review.source} of ${workflow_id}`,
    `  since    ${new Date(review.createdAt).toISOString()}`,
    ...(review.assignees?.length ? [`  for      ${review.assignees.join(", ")}`] : []),
    `  choices  ${review.choices.join(" | ")}`,
    ...(review.body ? ["", review.body] : []),
    "",
    `Decide with: navigator review decide ${review.id} ${review.choices[0] ?? "CHOICE"} --by YOUR_NAME`,
  ].join("\n");
}
