import { findReview } from "../../client/find-review";
import { historyOfReview } from "../../client/history";
import { defined } from "../../core/base/defined";
import type { JsonObject } from "../../core/base/json";
import { asNavigatorError } from "../../core/base/navigator-error";
import { COMMENT, HAND_OVER } from "../../core/review/decision-input";
import { hasPeople } from "../../core/review/people/people-file";
import { unknownWord } from "../../core/review/people/unknown-word";
import type { Review } from "../../core/review/review";
import { currentPerson } from "../../node/identity/key-store";
import { loadPeople } from "../../node/identity/people-on-disk";
import { projectPlace } from "../session/project-people";
import { type Session, withSession } from "../session/session";
import { signerOf } from "../session/signing";
import { failureLines } from "../show/render-missions";
import { reviewText } from "../show/render-review";
import { CONFIG_OPTION, type CommandSpec, required, type TopCommands } from "../terminal/command";

import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { reviewDecisionsCommands } from "./review-decisions";
import { reviewListCommands } from "./review-list";

function asking(io: CommandIo, use: (session: Session) => Promise<void>): Promise<void> {
  const work = async (session: Session) => {
    await use(session);
    return EXIT.done;
  };
  return withSession(io, "ask", work);
}

const SIGNED_OPTIONS = [
  ["--by <name>", "the author (default: the person logged in, see navigator login)"],
  ["--note <text>", "why"],
  CONFIG_OPTION,
] as const;

/** How people decide together: `navigator review comment`, `hand-over` and `decide-all`. */
const reviewTogetherCommands: readonly CommandSpec[] = [
  {
    name: "comment <review-id> <text>",
    about: "comment on a review, without deciding it",
    options: [...SIGNED_OPTIONS],
    examples: ['navigator review comment order-42/approval/1 "Which customer is this?"'],
    run: async (io: CommandIo, id: string, text: string, options: VoteOptions) => {
      await sendDecision(
        io,
        { id, choice: COMMENT, value: { text } },
        options,
        (after, by) => `Noted for ${after.id} (by ${by})`,
      );
    },
  },
  {
    name: "hand-over <review-id>",
    about: "let somebody else decide a review in your place",
    options: [required("--to <word>", "a person, group:NAME or lead:NAME"), ...SIGNED_OPTIONS],
    examples: ["navigator review hand-over order-42/approval/1 --to ben"],
    run: async (io: CommandIo, id: string, options: VoteOptions & { to: string }) => {
      await refuseUnknown(io, options.to);
      const given = { id, choice: HAND_OVER, value: { to: options.to } };
      await sendDecision(
        io,
        given,
        options,
        (after, by) => `Handed over by ${by}: ${after.id} is for ${(after.assignees ?? []).join(", ")}`,
      );
    },
  },
  {
    name: "decide-all <choice> <review-ids...>",
    about: "decide reviews of equal calls, of the same tool; each decision is signed and sent separately",
    options: [...SIGNED_OPTIONS],
    examples: ["navigator review decide-all approve agent/refund-7/refund_card/1 agent/refund-8/refund_card/1"],
    run: decideTogether,
  },
];

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

/** Refuses a mistyped choice before anything is sent. The worker checks again with its own file. */
async function refuseUnknown(io: CommandIo, word: string): Promise<void> {
  const { file } = await projectPlace(io);
  const people = loadPeople(file);
  const problem = hasPeople(people) ? unknownWord(people, word.trim(), Date.now()) : null;
  if (problem !== null) throw asNavigatorError(problem);
}

interface VoteOptions {
  by?: string;
  note?: string;
}

async function sendDecision(
  io: CommandIo,
  { id, choice, value }: { id: string; choice: string; value: JsonObject },
  options: VoteOptions,
  text: (after: Review, by: string) => string,
): Promise<void> {
  const { by, key, warning } = await signerOf(io, options.by);
  return withSession(io, "ask", async ({ client }) => {
    const { workflow_id, review } = await findReview(client, id);
    const given = { review: review.id, choice, value, by, via: "cli" as const, ...defined({ note: options.note }) };
    const after = await client.reviewed(workflow_id).decide(given, key === null ? {} : { key });
    io.result(after, () => text(after, by));
    if (warning !== null) io.err(warning);
  });
}

async function decideTogether(io: CommandIo, choice: string, ids: string[], options: VoteOptions): Promise<void> {
  const { by, key, warning } = await signerOf(io, options.by);
  return withSession(io, "ask", async ({ client }) => {
    const given = { choice, by, via: "cli" as const, ...defined({ note: options.note }) };
    const outcomes = await client.decideAll(ids, given, key === null ? {} : { key });
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
  });
}
