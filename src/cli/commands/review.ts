import type { Command } from "commander";
import { defined } from "../../core/base/defined";
import { ANSWER_MS, type Session, withSession } from "../session/session";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { registerReviewDecisions } from "./review-decisions";
import { registerReviewList } from "./review-list";
import { registerReviewTogether } from "./review-together";

export function registerReview(program: Command, io: CommandIo): void {
  const review = program.command("review").description("the inbox: reviews that wait for a person");

  registerReviewList(review, io);

  review
    .command("show <review-id>")
    .description("show one review with what a person needs to decide it")
    .option("--task <id>", "the task it belongs to (default: the one its id begins with)")
    .addHelpText("after", "\nExample:\n  $ navigator review show order-42/approval/1")
    .action((id: string, options: { task?: string }) =>
      asking(io, async (session) => {
        const [{ reviewText }, { findReview }, { failureLines }, { historyOfReview }, { currentPerson }] =
          await Promise.all([
            import("../show/render-review"),
            import("../../client/find-review"),
            import("../show/render-missions"),
            import("../../client/history"),
            import("../../node/identity/key-store"),
          ]);
        const open = await findReview(session.client, id, options.task);
        const { workflow_id, review } = open;
        const { workflow } = session.client.reviewed(workflow_id);
        const { end, refused } = await historyOfReview(workflow, review.id);
        const found = { ...open, ...(refused.length === 0 ? {} : { refused }) };
        io.result({ ...found, ...defined({ fail: end?.fail }) }, () =>
          [
            reviewText(found, io.color, currentPerson(session.client.project)),
            ...failureLines(workflow_id, end, io.color),
          ].join("\n"),
        );
      }),
    );

  registerReviewDecisions(review, io);
  registerReviewTogether(review, io);
}

function asking(io: CommandIo, use: (session: Session) => Promise<void>): Promise<void> {
  const work = async (session: Session) => {
    await use(session);
    return EXIT.done;
  };
  return withSession(io, false, work, { within_ms: ANSWER_MS });
}
