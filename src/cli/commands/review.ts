import type { Command } from "commander";
import { defined } from "../../core/base/defined";
import { kindOf, ownerOfReview, ownerWorkflowId, reviewIdIn } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Decision } from "../../core/review/review";
import { shellWord } from "../../node/shell-word";
import { jsonArgument } from "../input/json-argument";
import { ANSWER_MS, type Session, withSession } from "../session/session";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

export function registerReview(program: Command, io: CommandIo): void {
  const review = program.command("review").description("the inbox: reviews that wait for a person");

  review
    .command("list")
    .description("list the open reviews of all running tasks and missions")
    .option("--task <id>", "only reviews of this task")
    .addHelpText("after", "\nExample:\n  $ navigator review list")
    .action((options: { task?: string }) =>
      asking(io, async ({ client }) => {
        const { inboxText } = await import("../show/render-review");
        const inbox = await client.openReviews(options);
        io.result(inbox, () => inboxText(inbox));
      }),
    );

  review
    .command("show <review-id>")
    .description("show one review with what a person needs to decide it")
    .option("--task <id>", "the task it belongs to (default: the one its id begins with)")
    .addHelpText("after", "\nExample:\n  $ navigator review show order-42/approval/1")
    .action((id: string, options: { task?: string }) =>
      asking(io, async (session) => {
        const [{ reviewText }, { findReview }, { failureLines }, { missionEnd }] = await Promise.all([
          import("../show/render-review"),
          import("../../client/find-review"),
          import("../show/render-missions"),
          import("../../client/history"),
        ]);
        const found = await findReview(session.client, id, options.task);
        const { workflow_id } = found;
        const end = await missionEnd(session.client.reviewed(workflow_id).workflow);
        io.result({ ...found, ...defined({ fail: end?.fail }) }, () =>
          [reviewText(found, io.color), ...failureLines(workflow_id, end, io.color)].join("\n"),
        );
      }),
    );

  review
    .command("decide <review-id> <choice>")
    .description("decide a review")
    .requiredOption("--by <name>", "who decides")
    .option("--note <text>", "why")
    .option("--value <json>", "the value for the choice (JSON or @FILE)")
    .option("--task <id>", "the task it belongs to (default: the one its id begins with)")
    .option("--signal", "send it as a plain Temporal signal: needs no worker now and returns no answer")
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
  if (options.by.trim() === "") throw new NavigatorError("invalid_arguments", "--by must not be empty.");
  return {
    review,
    choice,
    by: options.by,
    ...defined({ note: options.note }),
    ...(options.value === undefined ? {} : { value: jsonArgument("--value", options.value) }),
  };
}

async function decide(io: CommandIo, session: Session, decision: Decision, options: DecideOptions): Promise<void> {
  const { review, choice, by } = decision;
  const { findReview } = await import("../../client/find-review");
  if (options.signal) {
    const owner = options.task ?? ownerOfReview(review);
    if (owner === undefined)
      throw new NavigatorError("missing_option", `The id "${review}" does not say which task the review belongs to.`, {
        hint: "Name it: --task ID",
      });
    const whole = { ...decision, review: reviewIdIn(session.client.project, review) };
    await session.client.reviewed(ownerWorkflowId(owner)).signalDecide(whole);
    const look =
      kindOf(owner) !== undefined ? `navigator log ${shellWord(owner)}` : `navigator task show ${shellWord(owner)}`;
    return io.result({ sent: true }, () => `Sent. A signal returns no answer: see the result with \`${look}\`.`);
  }
  const found = await findReview(session.client, review, options.task);
  const decided = await session.client.reviewed(found.workflow_id).decide({ ...decision, review: found.review.id });
  io.result(decided, () =>
    decided.status === "open"
      ? `Noted for ${decided.id}: ${choice} (by ${by}); ${decided.votes?.length ?? 1} of ${decided.quorum ?? 1} people have voted so far`
      : `Decided ${decided.id}: ${decided.decision?.choice ?? choice} (by ${decided.decision?.by ?? by})`,
  );
}
