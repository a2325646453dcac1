import type { Command } from "commander";
import type { Decision, Review } from "../../core/review/review";
import type { OpenReview } from "../../inbox";
import { CliError, EXIT } from "../exit";
import type { CommandIo } from "../io";
import { jsonArgument } from "../json-argument";
import { ANSWER_MS, type Session, withSession } from "../session";

export function registerReview(program: Command, io: CommandIo): void {
  const review = program.command("review").description("the inbox: what waits for a person");

  review
    .command("list")
    .description("what waits for people: open reviews of all running tasks and missions")
    .option("--task <id>", "of one task only")
    .addHelpText("after", "\nExample:\n  $ navigator review list")
    .action((options: { task?: string }) =>
      asking(io, async ({ client }) => {
        const { inboxText } = await import("../render-review");
        const inbox = await client.openReviews(options);
        io.result(inbox, () => inboxText(inbox));
      }),
    );

  review
    .command("show <review-id>")
    .description("one review, with what a person needs to decide")
    .option("--task <id>", "the task it belongs to (default: the one its id begins with)")
    .addHelpText("after", "\nExample:\n  $ navigator review show order-42/approval/1")
    .action((id: string, options: { task?: string }) =>
      asking(io, async (session) => {
        const { reviewText } = await import("../render-review");
        const found = await findReview(session, id, options.task);
        io.result(found, () => reviewText(found, io.color));
      }),
    );

  review
    .command("decide <review-id> <choice>")
    .description("decide a review")
    .requiredOption("--by <name>", "who decides")
    .option("--note <text>", "why")
    .option("--value <json>", "an answer that goes with the choice (JSON or @FILE)")
    .option("--task <id>", "the task it belongs to (default: the one its id begins with)")
    .option("--signal", "send it as a plain Temporal signal: needs no worker now, and is not answered")
    .addHelpText(
      "after",
      "\nExample:\n  $ navigator review decide order-42/approval/1 passed --by anna --note 'looks right'",
    )
    .action((id: string, choice: string, options: DecideOptions) => {
      const decision = decisionOf(id, choice, options);
      return asking(io, (session) => decide(io, session, decision, options));
    });
}

function asking(io: CommandIo, use: (session: Session) => Promise<void>): Promise<void> {
  const work = async (session: Session) => {
    await use(session);
    return EXIT.done;
  };
  return withSession(io, false, work, { within_ms: ANSWER_MS });
}

interface DecideOptions {
  by: string;
  note?: string;
  value?: string;
  task?: string;
  signal?: boolean;
}

function decisionOf(review: string, choice: string, options: DecideOptions): Decision {
  if (options.by.trim() === "") throw new CliError("invalid_arguments", "--by must not be empty.");
  return {
    review,
    choice,
    by: options.by,
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.value === undefined ? {} : { value: jsonArgument("--value", options.value) }),
  };
}

async function decide(io: CommandIo, session: Session, decision: Decision, options: DecideOptions): Promise<void> {
  const { review, choice, by } = decision;
  if (options.signal) {
    const owner = options.task ?? ownerOf(review);
    if (owner === undefined)
      throw new CliError("missing_option", `Which task "${review}" belongs to cannot be told from its id.`, {
        hint: "Name it: --task ID",
      });
    await session.client.reviewed(workflowIdOf(owner)).signalDecide(decision);
    const look = isWorkflowId(owner) ? `navigator log ${owner}` : `navigator task show ${owner}`;
    return io.result({ sent: true }, () => `Sent. A signal is not answered: see \`${look}\` for what became of it.`);
  }
  const { workflow_id } = await findReview(session, review, options.task);
  const decided = await session.client.reviewed(workflow_id).decide(decision);
  io.result(decided, () =>
    decided.status === "open"
      ? `Noted for ${decided.id}: ${choice} (by ${by}); ${decided.votes?.length ?? 1} of ${decided.quorum ?? 1} people have said so far`
      : `Decided ${decided.id}: ${decided.decision?.choice ?? choice} (by ${decided.decision?.by ?? by})`,
  );
}

/** Ids of reviews are `<task>/<step>/<number>`, or `<workflow id>/<tool>/<number>`. */
function ownerOf(review: string): string | undefined {
  return /^(.+)\/[^/]+\/\d+$/.exec(review)?.[1];
}

const isWorkflowId = (owner: string): boolean => /^(agent|task|plan)\//.test(owner);
const workflowIdOf = (owner: string): string => (isWorkflowId(owner) ? owner : `task/${owner}`);

/** A review, open or not: what became of a closed one is said by its task. */
async function findReview({ client }: Session, id: string, option: string | undefined): Promise<OpenReview> {
  const owner = option ?? ownerOf(id);
  const workflow_id = owner === undefined ? undefined : workflowIdOf(owner);
  const there = workflow_id === undefined ? [] : await reviewsOf(client, workflow_id, option !== undefined);
  const review = there.find((one) => one.id === id);
  if (review && workflow_id !== undefined) return { workflow_id, review };
  const { open } = await client.openReviews(option === undefined ? {} : { workflow: workflowIdOf(option) });
  const found = open.find((one) => one.review.id === id);
  if (found) return found;
  throw new CliError(
    "review_not_found",
    `There is no review "${id}"${option === undefined ? "" : ` of task ${option}`}.`,
    {
      hint:
        open.length === 0
          ? "Nothing waits for a person right now."
          : `Open: ${open.map((one) => one.review.id).join(", ")}`,
    },
  );
}

/** A task that is not there is a mistake only if it was named: an id may just look as if it began with one. */
async function reviewsOf(client: Session["client"], workflowId: string, named: boolean): Promise<Review[]> {
  try {
    return await client.reviewed(workflowId).reviews();
  } catch (error) {
    if (!named && (error as { code?: unknown }).code === "not_found") return [];
    throw error;
  }
}
