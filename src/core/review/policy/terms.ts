import { z } from "zod";
import { defined } from "../../base/defined";
import { type Duration, durationMs } from "../../base/duration";
import { onFirstUse } from "../../base/on-first-use";
import { isGroupWord } from "../people/authority";
import { neededPeople } from "./agreement";
import { WorkingHours } from "./working-hours";

/**
 * Who decides, and by when (approvals reference, section 5): the terms of a review. Tools, nodes and plan tasks state
 * them; `people` of an agent, graph or plan are the defaults of all its reviews.
 */

/** Times in ms; what is absent is not asked for. */
export interface ReviewTerms {
  /** Who may decide: names, `group:NAME`, `lead:NAME`; absent = anyone. */
  assignees?: string[];
  /** How many people must make the same choice; absent = one. */
  quorum?: number;
  /** Those who make the same choice must come from this many different groups. */
  distinct_groups?: number;
  /** The person who asked cannot decide. Default: true, but for questions false. */
  separation?: boolean;
  /** Who is asked as well when nobody has decided this long after the review was opened. */
  escalate?: LadderTerm[];
  /** Only this time counts for reminders, escalation and the time limit. */
  hours?: WorkingHours;
  /** After this time the default choice is taken. */
  timeout_ms?: number;
  on_timeout?: string;
  /** People are reminded at this interval. */
  remind_ms?: number;
  /** How long a yes counts. */
  valid_for_ms?: number;
  /** false: no agent decides, and none moves a task past the review, also where nobody is named. */
  agents?: boolean;
  /** false: nobody may hand the decision over. */
  hand_over?: boolean;
}

/** A step of the ladder. */
export interface LadderTerm {
  after_ms: number;
  to: string[];
}

const fields = onFirstUse(() => {
  const word = z
    .string("must be a name")
    .trim()
    .min(1, "must be a non-empty name")
    .refine((text) => !isGroupWord(text) || !text.endsWith(":"), "must name a group after the colon");
  const count = (rule: string) => z.int(rule).positive(rule);
  const words = z.array(word, "must be a list of names").min(1, "must name somebody");
  const flag = z.boolean("must be true or false").optional();
  const time = z
    .custom<Duration>((value) => durationMs(value) !== undefined, 'must be milliseconds, or a text such as "4h"')
    .transform((value) => durationMs(value) as number);
  return {
    assignees: words.optional(),
    quorum: count("must be a whole number, 1 or more").optional(),
    distinct_groups: count("must be a whole number, 1 or more").optional(),
    separation: flag,
    escalate: z
      .array(
        z.strictObject({ after_ms: time, to: words }, "must be a map of after_ms and to"),
        "must be a list of steps",
      )
      .min(1, "must have a step")
      .refine(
        (steps) => steps.every(({ after_ms }, i) => i === 0 || after_ms > (steps[i - 1] as LadderTerm).after_ms),
        "must have its steps in the order of their times",
      )
      .optional(),
    hours: WorkingHours().optional(),
    timeout_ms: time.optional(),
    remind_ms: time.optional(),
    valid_for_ms: time.optional(),
    agents: flag,
    hand_over: flag,
  };
});

/**
 * The schema of review terms.
 *
 * @param defaults the schema of `on_timeout`: which choices may be taken when nobody decides
 */
export function termsSchema<T extends z.ZodType<string>>(defaults: T) {
  const all = { ...fields(), on_timeout: defaults.optional() };
  return z
    .strictObject(all, {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? `has ${issue.keys.map((key) => `"${key}"`).join(", ")}, which is no term; there are ${Object.keys(all).join(", ")}`
          : `must be a map of ${Object.keys(all).join(", ")}`,
    })
    .superRefine((terms, context) => {
      const problem = termsProblem(defined(terms) as ReviewTerms);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    })
    .transform((terms) => defined(terms) as ReviewTerms);
}

/** The schema of `people` of an agent, a graph or a plan. */
export const PeopleTerms = onFirstUse(() => termsSchema(z.string("must be a choice").min(1, "must be a choice")));

/** Terms with which no review could be decided; null if there are none. A group may have any number of people. */
export function termsProblem({
  assignees,
  quorum = 1,
  distinct_groups = 1,
  escalate = [],
}: ReviewTerms): string | null {
  const words = namedWords({ assignees, escalate });
  const people = neededPeople({ quorum, distinctGroups: distinct_groups });
  if (assignees === undefined || words.some(isGroupWord) || people <= words.length) return null;
  return "must not ask for more people than it names";
}

/**
 * The terms of a review: its own, and those of `people` where it has none.
 *
 * @param people of the agent, graph or plan
 */
export function termsWith<T extends ReviewTerms>(people: ReviewTerms | undefined, own: T): T {
  return people === undefined ? own : { ...people, ...own };
}

/**
 * Why nobody could decide a review with these terms and those of `people`; null if somebody could. Each of them may be
 * sound alone, as a quorum of two and `people` that name one person.
 *
 * @param whose `people` it is: `the agent`
 */
export function togetherProblem(people: ReviewTerms | undefined, own: ReviewTerms, whose: string): string | null {
  if (people === undefined || termsProblem(people) !== null || termsProblem(own) !== null) return null;
  const both = termsWith(people, own);
  return termsProblem(both) === null ? null : `together with people of ${whose}, ${termsNeed(both)}`;
}

/** How many people terms ask for, and the names: `asks for 2 people and names only anna`. */
export function termsNeed(terms: ReviewTerms): string {
  const needed = neededPeople(defined({ quorum: terms.quorum, distinctGroups: terms.distinct_groups }));
  return `asks for ${needed} people and names only ${namedWords(terms).join(", ")}`;
}

/** The people that terms ask, at once and later, each once. */
export const namedWords = ({
  assignees = [],
  escalate = [],
}: {
  [term in "assignees" | "escalate"]?: ReviewTerms[term] | undefined;
}): string[] => [...new Set([...assignees, ...escalate.flatMap(({ to }) => to)])];

/** The terms of a tool's approval: `true` asks anyone. */
export const approvalTerms = (approval: true | ReviewTerms): ReviewTerms => (approval === true ? {} : approval);
