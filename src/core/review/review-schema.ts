import { z } from "zod";
import { isObject } from "../base/is-object";
import type { JsonObject } from "../base/json";
import { Decision } from "./decision-input";
import type { Notice, Undelivered } from "./delivery";
import { REVIEW_KINDS, type ReviewKindName } from "./kinds";
import type { ReviewMove } from "./kinds/review-kind";
import type { SealedCall } from "./kinds/sealed-call";
import { PrincipalKind, Via } from "./people/principal";
import type { WorkingHours } from "./policy/working-hours";

/** A review, wherever a person is asked (engine reference, section 6). Times in ms since 1970. */

const full = z.string("must be a non-empty text").min(1, "must be a non-empty text");
const time = z.number("must be a time in ms since 1970");

const Recorded = Decision().extend({
  at: time,
  /** Who decided, as a worker found out; absent: no worker was asked, as for a default. */
  principal: z.object({ id: full, kind: PrincipalKind(), verified: z.boolean(), via: Via() }).optional(),
  /** The assignee that the principal represented, and who delegated it. */
  as: z.object({ word: full, from: full.optional() }).optional(),
  /** The groups for which it counts, where votes must come from different ones. */
  groups: z.array(full).optional(),
  /** The version of the people of the project with which it was checked; absent = it had none. */
  people_version: z.string().optional(),
});
/** A decision as it is kept: with its time, and with who made it. */
export type RecordedDecision = z.infer<typeof Recorded>;

/** What is asked of people, with the decision once there is one. */
export const Review = z.object({
  id: full,
  kind: z.enum(Object.keys(REVIEW_KINDS) as ReviewKindName[]),
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
  /** Those who agree must come from this many different groups. */
  distinctGroups: z.int().positive().optional(),
  /** Who asked, where that is known. */
  requestedBy: full.optional(),
  /** Whether the person who asked cannot decide; absent = they cannot, except for questions. */
  separation: z.boolean().optional(),
  /** Only this time counts for reminders and the ladder. */
  hours: z.custom<WorkingHours>(isObject).optional(),
  /** Who is asked as well, from a time on. The first `escalated` steps are among the assignees. */
  ladder: z.array(z.object({ at: time, to: z.array(full), after_ms: z.number() })).optional(),
  escalated: z.int().optional(),
  /** Until then nobody is notified of due steps, because nobody works. */
  quietUntil: time.optional(),
  /** The comments of people; read with `commentsOf`. */
  comments: z.array(Recorded).optional(),
  noAgents: z.literal(true).optional(),
  /** Decisions that were given to somebody else; read with `handOversOf`. */
  handedOver: z.array(Recorded).optional(),
  noHandOver: z.literal(true).optional(),
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
  /** A digest of what is asked (approvals reference, section 3). Each decision that is signed names it. */
  seal: z.string().optional(),
  /** Makes the seal of each review another one. */
  nonce: z.string().optional(),
  /** What the seal of a tool call covers besides tool and arguments; absent for other questions. */
  sealed: z.custom<SealedCall>(isObject).optional(),
  /** Decisions that were taken back. Their signatures count no more. */
  withdrawn: z.array(Recorded).optional(),
  /** The call that was approved has begun: the decision cannot be taken back any more. */
  startedAt: time.optional(),
  /** The messages on it that are still to be sent (approvals reference, section 8). */
  notices: z.array(z.custom<Notice>(isObject, "must be an object")).optional(),
  /** The notifications that could not be delivered. */
  unheard: z.array(z.custom<Undelivered>(isObject, "must be an object")).optional(),
  /** Choice -> its effect. Only reviews of a task have moves; read with `moveOf`. */
  moves: z.custom<{ [choice: string]: ReviewMove }>(isObject, "must be an object"),
});
export type Review = z.infer<typeof Review>;
