import { isoTime } from "../../core/base/iso-time";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { ShortReview } from "../../core/review/inbox/short-review";
import { reviewKind } from "../../core/review/kinds";
import type { Decision } from "../../core/review/review";

/** A review as a chat front receives it, and the id for its answer (web reference, section 9). */

/**
 * The id of a review for fronts: it has the seal, so that an answer proves what its person has seen, although fronts know nothing of
 * seals.
 */
export const sealedReviewId = ({ id, seal }: Pick<ShortReview, "id" | "seal">): string =>
  seal === undefined ? id : `${id}#${seal}`;

/** The review, and the seal that its person has seen. */
export function readSealedReviewId(given: string): { review: string; seal?: string } {
  const at = given.lastIndexOf("#");
  return at < 0 ? { review: given } : { review: given.slice(0, at), seal: given.slice(at + 1) };
}

/** Before the workflow id of a run that waits for a decision in its journal: the id of that question. */
export const PARKED = "parked:";

/** The call of a review of a tool; undefined: it is about something else. */
export function callOf(review: ShortReview): { name: string; args: JsonObject } | undefined {
  const { tool, args = {} } = reviewKind(review).about(review.data);
  return tool === undefined ? undefined : { name: tool, args };
}

/** What an answer to a review looks like, as JSON Schema. */
export function answerSchemaOf({ kind, choices, editable, answers }: ShortReview): JsonObject {
  const about = reviewKind({ kind }).drawing.form?.about ?? "The value";
  const value =
    answers !== undefined
      ? { description: `${about}, with the choice "${answers.choice}": ${answers.signature}` }
      : editable !== undefined
        ? { type: "object", description: `${about}, with the choice "${editable.choice}"` }
        : undefined;
  return {
    type: "object",
    properties: {
      choice: { type: "string", enum: choices },
      note: { type: "string" },
      ...(value === undefined ? {} : { value: value as JsonObject }),
      by: { type: "string", description: "Only in a project without people" },
    },
    required: ["choice"],
  };
}

/** A review in short, as data of a front. */
export const reviewData = (review: ShortReview, workflow_id: string): JsonObject => ({
  review: review.id,
  workflow_id,
  kind: review.kind,
  title: review.title,
  body: review.body,
  data: review.data,
  choices: review.choices,
  ...(review.irreversible ? { irreversible: true } : {}),
  ...(review.seal === undefined ? {} : { seal: review.seal }),
  ...(review.assignees === undefined ? {} : { assignees: review.assignees }),
  ...(review.expiresAt === undefined ? {} : { expires_at: isoTime(review.expiresAt) }),
});

/** An answer of a front. */
export type FrontAnswer = Pick<Decision, "choice" | "note" | "value"> & { by?: string };

/**
 * The answer in what a front sends for a review: `{choice, note?, value?, by?}`; `{approved: true}` or a boolean for a call to approve.
 *
 * @throws NavigatorError `invalid_decision`
 */
export function frontAnswer(payload: unknown, { id, choices }: Pick<ShortReview, "id" | "choices">): FrontAnswer {
  const given = typeof payload === "boolean" ? { approved: payload } : payload;
  if (typeof given === "object" && given !== null) {
    const { choice, approved, note, reason, value, editedArgs, by } = given as { [field: string]: unknown };
    const chosen = choice ?? (typeof approved === "boolean" ? (approved ? "approve" : "reject") : undefined);
    const noteText = note ?? reason;
    const changed = value ?? editedArgs;
    if (typeof chosen === "string" && chosen !== "")
      return {
        choice: chosen,
        ...(typeof noteText === "string" ? { note: noteText } : {}),
        ...(changed === undefined ? {} : { value: changed as JsonObject }),
        ...(typeof by === "string" ? { by } : {}),
      };
  }
  throw new NavigatorError("invalid_decision", `The answer to review "${id}" has no choice.`, {
    hint: `Send {"choice": one of ${choices.join(", ")}}.`,
    details: { path: "choice", choices },
  });
}
