/**
 * The search attributes of every Navigator workflow (design section 2), as plain data: workflows fill them,
 * servers register them, lists ask for them. An SQL store holds three Int attributes in a namespace: these are all.
 */
export const SEARCH_ATTRIBUTES = {
  NavigatorKind: "KEYWORD",
  NavigatorStatus: "KEYWORD",
  NavigatorWorkflow: "KEYWORD",
  NavigatorStep: "KEYWORD",
  NavigatorIssue: "KEYWORD",
  NavigatorAgent: "KEYWORD",
  NavigatorPriority: "INT",
  NavigatorPendingSyncs: "INT",
  NavigatorOpenReviews: "INT",
} as const;

export type SearchAttributeName = keyof typeof SEARCH_ATTRIBUTES;
