/**
 * How long a workflow task may take before another worker gets it: what a worker costs that is killed in the middle of
 * one, half of Temporal's own default. The longest replay and the longest stretch of a program take a fraction of it.
 */
export const WORKFLOW_TASK_TIMEOUT = "5s";
