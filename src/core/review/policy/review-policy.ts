import { defined } from "../../base/defined";
import { type TimedReview, timesFrom } from "./due";
import type { ReviewTerms } from "./terms";

/** What a review keeps of its terms, as plain data: all times are absolute, in ms since 1970. */
export interface ReviewPolicy extends TimedReview {
  quorum?: number;
  distinctGroups?: number;
  /** Whether the person who asked may decide; absent = as in its source. */
  separation?: boolean;
  /** Only people decide, and no programs. */
  noAgents?: true;
  noHandOver?: true;
}

/** The policy of a review that is opened now, by its terms. */
export function reviewPolicy(terms: ReviewTerms, nowMs: number, choices: readonly string[]): ReviewPolicy {
  const { assignees, quorum, distinct_groups: distinctGroups, separation, agents, hand_over } = terms;
  return {
    ...defined({ assignees, quorum, distinctGroups, separation }),
    ...timesFrom(terms, nowMs, choices),
    ...(agents === false ? { noAgents: true } : {}),
    ...(hand_over === false ? { noHandOver: true } : {}),
  };
}
