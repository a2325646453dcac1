import { REVIEW_KINDS, type ReviewKindName, reviewKind } from "../kinds";

/** A kind of item that waits for a person: a kind of review, or a wait without one (approvals reference, section 7). */
export type InboxKind = ReviewKindName | "parked" | "blocked";

/** All kinds, in the order in which lists offer them. */
export const INBOX_KINDS: readonly InboxKind[] = [
  ...(Object.keys(REVIEW_KINDS) as ReviewKindName[]),
  "parked",
  "blocked",
];

/** The kind, for people. */
export const kindLabel = (kind: string): string => reviewKind({ kind }).drawing.label;
