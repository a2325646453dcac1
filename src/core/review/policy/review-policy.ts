import { defined } from "../../base/defined";
import { type TimedReview, timesFrom } from "./due";
import type { ReviewTerms } from "./terms";

/** What a review keeps of its terms, as plain data: all times are absolute, in ms since 1970. */
export interface ReviewPolicy extends TimedReview {
  quorum?: number;
  distinctGroups?: number;
  /** Whether whoever asked may decide; absent = as its source says. */
  separation?: boolean;
  /** Only people decide, whoever they are. */
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
