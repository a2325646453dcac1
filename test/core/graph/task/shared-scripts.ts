import type { Task } from "../../../../src/core/graph/task/task";

/** Every task of the shared data is led to an end by what its orchestrator says; `-` is nothing said. */
export interface Script {
  said: string;
  /** Where it went, step by step. */
  way: string;
  ends: Partial<Task>;
}

export const SCRIPTS: { [id: string]: Script } = {
  "task-001": {
    said: "- passed - - passed passed -",
    way: "reproduce locate patch test_gate review_gate release_note shipped",
    ends: { status: "COMPLETED", endResult: "success", retryCount: 0, stepRetries: {} },
  },
  "task-002": {
    said: "- failed",
    way: "reproduce unreproducible",
    ends: { status: "FAILED", endResult: "cancelled" },
  },
  // Loaded with one of two review retries used: the second failure is the last retry, the third escalates.
  "task-003": {
    said: "failed - passed failed",
    way: "patch test_gate review_gate needs_engineer",
    ends: { status: "HITL", escalation: "hitl", retryCount: 2, stepRetries: { review_gate: 2 } },
  },
  "task-004": {
    said: "- - needs_discovery - passed passed failed passed passed passed",
    way: "discover design discover design split integrate split integrate rollout live",
    ends: { status: "COMPLETED", retryCount: 1, stepRetries: {} },
  },
  "task-005": {
    said: "passed failed",
    way: "rollout rolled_back",
    ends: { status: "FAILED", endResult: "failure", escalation: "alert" },
  },
  "task-006": {
    said: "- failed failed passed passed - -",
    way: "collect collect collect identity provision welcome active",
    ends: { status: "COMPLETED", retryCount: 2, stepRetries: {} },
  },
  "task-007": { said: "- -", way: "welcome active", ends: { status: "COMPLETED" } },
  "task-008": {
    said: "- - failed - failed passed - passed passed passed passed - passed",
    way: "freeze risk_gate freeze risk_gate hitl_scope freeze risk_gate build validate quality_gate deploy site_gate released",
    ends: { status: "COMPLETED", retryCount: 1, stepRetries: {} },
  },
  // Out of HITL its counters are empty: there is a retry again before the site refuses for good.
  "task-009": {
    said: "passed - failed - failed passed - passed",
    way: "deploy site_gate deploy site_gate hitl_site deploy site_gate released",
    ends: { status: "COMPLETED", retryCount: 2, stepRetries: {} },
  },
  "task-010": {
    said: "outage passed failed passed passed partial passed passed -",
    way: "gather hypothesis gather hypothesis mitigate vendor verify review resolved",
    ends: { status: "COMPLETED", retryCount: 1, stepRetries: {} },
  },
  "task-011": { said: "", way: "", ends: { status: "COMPLETED", currentStep: "resolved" } },
  "task-012": {
    said: "failed failed",
    way: "mitigate unresolved",
    ends: { status: "FAILED", escalation: "alert", retryCount: 1, stepRetries: { mitigate: 1 } },
  },
};
