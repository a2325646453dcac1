import type { Command } from "commander";
import { defined } from "../../core/base/defined";
import type { JsonObject } from "../../core/base/json";
import { asNavigatorError } from "../../core/base/navigator-error";
import type { Review } from "../../core/review/review";
import { CONFIG_OPTION, projectPlace } from "../session/project-people";
import { ANSWER_MS, withSession } from "../session/session";
import { signerOf } from "../session/signing";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

/** How people decide together: `navigator review comment`, `hand-over` and `decide-all`. */
export function registerReviewTogether(review: Command, io: CommandIo): void {
  const signed = (command: Command): Command =>
    command
      .option("--by <name>", "who says it (default: who is logged in, see navigator login)")
      .option("--note <text>", "why")
      .option(...CONFIG_OPTION);

  signed(review.command("comment <review-id> <text>").description("say something about a review, without deciding it"))
    .addHelpText("after", '\nExample:\n  $ navigator review comment order-42/approval/1 "Which customer is this?"')
    .action(async (id: string, text: string, options: SaidOptions) => {
      const { COMMENT } = await import("../../core/review/decision-input");
      await say(
        io,
        { id, choice: COMMENT, value: { text } },
        options,
        (after, by) => `Noted for ${after.id} (by ${by})`,
      );
    });

  signed(
    review
      .command("hand-over <review-id>")
      .description("let somebody else decide a review in your place")
      .requiredOption("--to <word>", "a person, group:NAME or lead:NAME"),
  )
    .addHelpText("after", "\nExample:\n  $ navigator review hand-over order-42/approval/1 --to ben")
    .action(async (id: string, options: SaidOptions & { to: string }) => {
      const { HAND_OVER } = await import("../../core/review/decision-input");
      await refuseUnknown(io, options.to);
      const said = { id, choice: HAND_OVER, value: { to: options.to } };
      await say(
        io,
        said,
        options,
        (after, by) => `Handed over by ${by}: ${after.id} is for ${(after.assignees ?? []).join(", ")}`,
      );
    });

  signed(
    review
      .command("decide-all <choice> <review-ids...>")
      .description("decide reviews of equal calls, of the same tool; each decision is signed and sent by itself"),
  )
    .addHelpText(
      "after",
      "\nExample:\n  $ navigator review decide-all approve agent/refund-7/refund_card/1 agent/refund-8/refund_card/1",
    )
    .action((choice: string, ids: string[], options: SaidOptions) => decideTogether(io, choice, ids, options));
}

/** A slip of the pen is told before anything is sent. The worker looks again, in its own file. */
async function refuseUnknown(io: CommandIo, word: string): Promise<void> {
  const [{ file }, { loadPeople }, { hasPeople }, { unknownWord }] = await Promise.all([
    projectPlace(io),
    import("../../node/identity/people-on-disk"),
    import("../../core/review/people/people-file"),
    import("../../core/review/people/unknown-word"),
  ]);
  const people = loadPeople(file);
  const problem = hasPeople(people) ? unknownWord(people, word.trim(), Date.now()) : null;
  if (problem !== null) throw asNavigatorError(problem);
}

interface SaidOptions {
  by?: string;
  note?: string;
}

async function say(
  io: CommandIo,
  { id, choice, value }: { id: string; choice: string; value: JsonObject },
  options: SaidOptions,
  text: (after: Review, by: string) => string,
): Promise<void> {
  const { by, key, warning } = await signerOf(io, options.by);
  return withSession(
    io,
    false,
    async ({ client }) => {
      const { findReview } = await import("../../client/find-review");
      const { workflow_id, review } = await findReview(client, id);
      const said = { review: review.id, choice, value, by, via: "cli" as const, ...defined({ note: options.note }) };
      const after = await client.reviewed(workflow_id).decide(said, key === null ? {} : { key });
      io.result(after, () => text(after, by));
      if (warning !== null) io.err(warning);
      return EXIT.done;
    },
    { within_ms: ANSWER_MS },
  );
}

async function decideTogether(io: CommandIo, choice: string, ids: string[], options: SaidOptions): Promise<void> {
  const { by, key, warning } = await signerOf(io, options.by);
  return withSession(
    io,
    false,
    async ({ client }) => {
      const said = { choice, by, via: "cli" as const, ...defined({ note: options.note }) };
      const outcomes = await client.decideAll(ids, said, key === null ? {} : { key });
      io.result(outcomes, () =>
        outcomes
          .map((one) =>
            one.ok
              ? `${one.review}: ${one.decided.status} (${choice} by ${by})`
              : `${one.review}: not decided. ${one.message}`,
          )
          .join("\n"),
      );
      if (warning !== null) io.err(warning);
      return outcomes.every((one) => one.ok) ? EXIT.done : EXIT.failed;
    },
    { within_ms: ANSWER_MS },
  );
}
