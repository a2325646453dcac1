import { z } from "zod";
import { isObject } from "../is-object";
import type { JsonObject } from "../json";
import { Decision } from "./decision-input";

/** One kind of review everywhere a person is asked (design section 6). Times in ms since 1970. */

const full = z.string("must be a non-empty text").min(1, "must be a non-empty text");
const time = z.number("must be a time in ms since 1970");

/** What a choice does to the task that asked. */
export const ReviewMove = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("result"), result: z.string() }),
  z.object({ kind: z.literal("send_to"), step: z.string() }),
  z.object({ kind: z.literal("close") }),
]);
export type ReviewMove = z.infer<typeof ReviewMove>;

export const Review = z.object({
  id: full,
  source: z.enum(["gate", "plan", "tool", "escalation", "question"]),
  title: z.string(),
  /** Markdown. */
  body: z.string(),
  data: z.custom<JsonObject>(isObject, "must be an object"),
  choices: z.array(full),
  createdAt: time,
  /** The last moment at which it can be decided. */
  expiresAt: time.optional(),
  /** Who may decide; absent or empty = anyone. */
  assignees: z.array(full).optional(),
  /** `withdrawn`: what it asked was settled another way. */
  status: z.enum(["open", "decided", "withdrawn"]),
  decision: Decision().extend({ at: time }).optional(),
  closedAt: time.optional(),
  /** Choice -> what it does. Only reviews of a task have moves; read with `moveOf`. */
  moves: z.custom<{ [choice: string]: ReviewMove }>(isObject, "must be an object"),
});
export type Review = z.infer<typeof Review>;
