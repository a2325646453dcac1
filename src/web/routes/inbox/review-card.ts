import { z } from "zod";
import type { OpenReview } from "../../../client/inbox";
import { defined } from "../../../core/base/defined";
import { missionIdOf } from "../../../core/base/ids";
import { toolVersion } from "../../../core/effects/effect-id";
import { askedBy } from "../../../core/review/hand-over";
import { REVIEW_KINDS, type ReviewKindName, reviewKind } from "../../../core/review/kinds";
import { isGroupWord } from "../../../core/review/people/authority";
import type { PeopleFile } from "../../../core/review/people/people-file";
import { neededPeople } from "../../../core/review/policy/agreement";
import { admitted, decidersAt } from "../../../core/review/policy/deciders";
import { dueAt } from "../../../core/review/policy/due";
import type { Review } from "../../../core/review/review";
import type { WebContext } from "../../context/context";
import type { Viewer } from "../../requests/callers";

/** A review as engine reference, section 6 describes it, open or closed. */
export const ReviewAnswer = z
  .looseObject({
    id: z.string().meta({ example: "agent/refund-7/refund_card/1" }),
    kind: z.enum(Object.keys(REVIEW_KINDS) as ReviewKindName[]),
    title: z.string(),
    body: z.string().meta({ description: "Markdown, of a model perhaps" }),
    choices: z.array(z.string()),
    status: z.enum(["open", "decided", "withdrawn"]),
    seal: z.string().optional().meta({ description: "A decision names it, so that a changed question is not decided" }),
  })
  .meta({ id: "Review" });

/** A review with all that its card shows without reading histories. */
export const ReviewCard = z
  .object({
    workflow_id: z.string(),
    mission: z.string(),
    review: ReviewAnswer,
    cut: z
      .literal(true)
      .optional()
      .meta({ description: "Only the beginning of it is known, because no worker answers" }),
    bare_votes: z
      .literal(true)
      .optional()
      .meta({ description: "Of the votes only the choices are known, because no worker answers" }),
    due: z.number().optional().meta({ description: "When the clock does something to it, ms since 1970" }),
    needed: z.int().meta({ description: "People who must agree" }),
    deciders: z
      .array(z.object({ word: z.string(), people: z.array(z.string()) }))
      .meta({ description: "Who may decide now; none: anyone" }),
    you: z
      .object({
        person: z.string().nullable(),
        may: z.boolean(),
        why: z.string().optional().meta({ description: "Why not" }),
        instead_of: z.string().optional().meta({ description: "In whose place" }),
        said: z.string().optional().meta({ description: "Your vote so far" }),
      })
      .meta({ description: "The person who asks, as a decider of it" }),
    tool: z
      .object({
        name: z.string(),
        effect: z.string().meta({ description: "read, idempotent, write or irreversible" }),
        description: z.string().optional(),
        signature: z.string().optional(),
        can_be_undone: z.boolean().optional(),
        undo_cost: z.number().optional().meta({ description: "US dollars" }),
        is_here: z.boolean().meta({ description: "The project of this server has the tool" }),
        version_changed: z.boolean().optional().meta({
          description: "The tool is another version than when people were asked: the call would be refused",
        }),
      })
      .optional(),
  })
  .meta({ id: "ReviewCard" });
export type ReviewCard = z.infer<typeof ReviewCard>;

/** @param nowMs ms since 1970 */
export function reviewCard(
  { workflow_id, review, cut, bare_votes }: OpenReview,
  viewer: Viewer,
  web: Pick<WebContext, "people" | "project">,
  nowMs = Date.now(),
): ReviewCard {
  const isOpen = review.status === "open";
  const words = isOpen ? decidersAt(askedBy(review), nowMs) : (review.assignees ?? []);
  return {
    workflow_id,
    mission: missionIdOf(workflow_id),
    review: review as unknown as ReviewCard["review"],
    needed: neededPeople(review),
    deciders: words.map((word) => ({ word, people: peopleOf(web.people(), word) })),
    you: youOf(review, viewer, nowMs),
    ...defined({ cut, bare_votes, due: isOpen ? dueAt(review) : undefined, tool: toolOf(review, web.project) }),
  };
}

/** Gives the people for a word of an assignee. */
function peopleOf({ groups }: PeopleFile, word: string): string[] {
  if (!isGroupWord(word)) return [word];
  const [kind, name = ""] = word.split(":");
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  return kind === "group" ? (group?.members ?? []) : group?.lead === undefined ? [] : [group.lead];
}

function youOf(review: Review, viewer: Viewer, nowMs: number): ReviewCard["you"] {
  if ("nobody" in viewer) return { person: null, may: false, why: `${viewer.nobody} ${viewer.hint}` };
  const { by: person, authority } = viewer;
  const said = review.votes?.find(({ by }) => by === person)?.choice;
  if (review.status !== "open") return { person, may: false, ...defined({ said }) };
  const right = admitted(askedBy(review), person, authority, nowMs);
  if (!right.ok) return { person, may: false, why: NOT_ADMITTED[right.why], ...defined({ said }) };
  return { person, may: true, ...defined({ instead_of: right.seat?.from }) };
}

const NOT_ADMITTED = {
  self_approval: "You asked for it, so somebody else decides.",
  not_an_assignee: "It is for other people.",
  already_voted: "You have decided already. Others must agree.",
};

function toolOf(review: Review, { tools }: Pick<WebContext["project"], "tools">): ReviewCard["tool"] {
  const { data, sealed } = review;
  const { tool } = reviewKind(review).about(data);
  if (tool === undefined) return undefined;
  const spec = tools.get(tool)?.spec;
  const effect = typeof data.effect === "string" ? data.effect : (spec?.effect ?? "write");
  if (spec === undefined) return { name: tool, effect, is_here: false };
  const { name, description, signature, undo, undo_cost } = spec;
  return {
    ...{ name, effect, is_here: true, can_be_undone: undo === true },
    ...defined({ description, signature, undo_cost }),
    ...(sealed === undefined ? {} : { version_changed: sealed.tool_version !== toolVersion(spec) }),
  };
}
