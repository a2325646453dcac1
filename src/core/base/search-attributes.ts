import { KNOWN_FORMATS } from "./run-format";

/**
 * The only list of the search attributes of Navigator's workflows (engine reference, section 2), as plain data:
 * workflows set them, servers register them, lists query them. An SQL store has three Int attributes per namespace, and
 * all are in use, so the order of tasks is a Double. It has three Datetime and three KeywordList ones, too.
 */
export const SEARCH_ATTRIBUTES = {
  NavigatorKind: "KEYWORD",
  NavigatorStatus: "KEYWORD",
  NavigatorWorkflow: "KEYWORD",
  NavigatorStep: "KEYWORD",
  NavigatorIssue: "KEYWORD",
  NavigatorAgent: "KEYWORD",
  NavigatorLedgerHead: "KEYWORD",
  NavigatorFormat: "KEYWORD",
  NavigatorPriority: "INT",
  NavigatorPendingSyncs: "INT",
  NavigatorOpenReviews: "INT",
  NavigatorOrder: "DOUBLE",
  NavigatorSyncs: "KEYWORD_LIST",
  NavigatorAssignees: "KEYWORD_LIST",
  NavigatorReviewDue: "DATETIME",
  NavigatorAskedAt: "DATETIME",
} as const;

/** The name of a search attribute that Navigator creates. */
export type SearchAttributeName = keyof typeof SEARCH_ATTRIBUTES;

/** The names for code that sets, reads or queries an attribute: a misspelt name does not compile. */
export const ATTRIBUTE = {
  kind: "NavigatorKind",
  status: "NavigatorStatus",
  workflow: "NavigatorWorkflow",
  step: "NavigatorStep",
  issue: "NavigatorIssue",
  agent: "NavigatorAgent",
  ledgerHead: "NavigatorLedgerHead",
  format: "NavigatorFormat",
  priority: "NavigatorPriority",
  pendingSyncs: "NavigatorPendingSyncs",
  openReviews: "NavigatorOpenReviews",
  order: "NavigatorOrder",
  syncs: "NavigatorSyncs",
  assignees: "NavigatorAssignees",
  reviewDue: "NavigatorReviewDue",
  askedAt: "NavigatorAskedAt",
} as const satisfies { [role: string]: SearchAttributeName };

const KNOWN = KNOWN_FORMATS.map((word) => JSON.stringify(word)).join(", ");
/** Open runs whose conventions this version does not know. */
export const UNKNOWN_FORMAT_QUERY = `ExecutionStatus = "Running" AND ${ATTRIBUTE.format} IS NOT NULL AND ${ATTRIBUTE.format} NOT IN (${KNOWN})`;
/** All other open runs. */
export const KNOWN_FORMAT_QUERY = `ExecutionStatus = "Running" AND (${ATTRIBUTE.format} IS NULL OR ${ATTRIBUTE.format} IN (${KNOWN}))`;

/** The name of the timer that delays the search attributes of a task that is moved fast (engine reference, section 2). */
export const LISTS_TIMER = "update search attributes";

/** The types as Temporal's command line writes them. */
export const TYPE_WORDS = {
  KEYWORD: "Keyword",
  INT: "Int",
  DOUBLE: "Double",
  DATETIME: "Datetime",
  KEYWORD_LIST: "KeywordList",
} as const;
