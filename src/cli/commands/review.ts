import { findReview } from "../../client/find-review";
import { historyOfReview } from "../../client/history";
import { defined } from "../../core/base/defined";
import { currentPerson } from "../../node/identity/key-store";
import { type Session, withSession } from "../session/session";
import { failureLines } from "../show/render-missions";
import { reviewText } from "../show/render-review";
import type { TopCommands } from "../terminal/command";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { reviewDecisionsCommands } from "./review-decisions";
import { reviewListCommands } from "./review-list";
import { reviewTogetherCommands } from "./review-together";

export const reviewCommands: TopCommands = {
  review: {
    commands: [
      ...reviewListCommands,
      {
        name: "show <review-id>",
        about: "show one review with what a person needs to decide it",
        options: [["--task <id>", "the task it belongs to (default: the one its id begins with)"]],
        examples: ["navigator review show order-42/approval/1"],
        run: (io: CommandIo, id: string, options: { task?: string }) =>
          asking(io, async (session) => {
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
      },
      ...reviewDecisionsCommands,
      ...reviewTogetherCommands,
    ],
  },
};

function asking(io: CommandIo, use: (session: Session) => Promise<void>): Promise<void> {
  const work = async (session: Session) => {
    await use(session);
    return EXIT.done;
  };
  return withSession(io, "ask", work);
}
