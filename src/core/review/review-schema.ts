import { z } from "zod";
import { isObject } from "../base/is-object";
import type { JsonObject } from "../base/json";
import { Decision } from "./decision-input";

/** A review, wherever a person is asked (engine reference, section 6). Times in ms since 1970. */

const full = z.string("must be a non-empty text").min(1, "must be a non-empty text");
const time = z.number("must be a time in ms since 1970");

/** The effect of a choice on the task that asked. */
export const ReviewMove = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("result"), result: z.string() }),
  z.object({ kind: z.literal("send_to"), step: z.string() }),
  z.object({ kind: z.literal("close") }),
]);
export type ReviewMove = z.infer<typeof ReviewMove>;

const Recorded = Decision().extend({ at: time });

/** What is asked of people, with the decision once there is one. */
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
  /** `withdrawn`: the work took another path. */
  status: z.enum(["open", "decided", "withdrawn"]),
  decision: Recorded.optional(),
  /** How many people must make the same choice; absent = one. */
  quorum: z.int().positive().optional(),
  /** The votes so far, if more than one person is asked. */
  votes: z.array(Recorded).optional(),
  /** Taken if nobody has decided at `expiresAt`. */
  onTimeout: full.optional(),
  /** People are reminded this often, next at `remindAt`; `reminders` were sent. */
  remindMs: z.number().positive().optional(),
  remindAt: time.optional(),
  reminders: z.int().optional(),
  /**
   * With this choice a value may be given, which must fit these parameters (signature notation): an edit before
   * approval.
   */
  editable: z.object({ choice: full, parameters: z.string() }).optional(),
  /** With this choice a value must be given: what a tool with this signature answers. */
  answers: z.object({ choice: full, signature: z.string() }).optional(),
  closedAt: time.optional(),
  /** Choice -> its effect. Only reviews of a task have moves; read with `moveOf`. */
  moves: z.custom<{ [choice: string]: ReviewMove }>(isObject, "must be an object"),
});
export type Review = z.infer<typeof Review>;
