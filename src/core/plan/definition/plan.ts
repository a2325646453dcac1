import type { Json } from "../../base/json";
import type { ReviewTerms } from "../../review/policy/terms";

/** A plan with every default filled in (plan reference, section 1). */
export interface Plan {
  /** The people who decide its reviews, and by when (approvals reference, section 5). */
  people?: ReviewTerms;
  agents: { [name: string]: PlanAgent };
  tasks: PlanTask[];
}

/** An agent of a plan: a prompt and the names of its tools (plan reference, section 1.2). */
export interface PlanAgent {
  prompt: string;
  /** Names; unknown ones are ignored when the plan runs. */
  tools: string[];
}

/** The kinds of tasks of a plan (plan reference, section 4). */
export type TaskType = "task" | "direct" | "synthesis_gate" | "human_review";
/** The treatment of a failed task (plan reference, section 3.3). */
export type OnFailure = "stop" | "skip" | "retry" | "replan";

/** One task of a plan, with every default filled in (plan reference, section 1.3). */
export interface PlanTask {
  id: string;
  agent: string;
  /** A text with `{{results.id}}` in it, a program (direct tasks), or any other JSON. */
  input: Json;
  depends_on: string[];
  type: TaskType;
  /** null = text or program, depending on whether the agent has tools. */
  output: "ptc_lisp" | "text" | null;
  signature: string | null;
  /** A predicate in PTC-Lisp over `data/result`, `data/input`, `data/depends`. */
  verification: string | null;
  on_verification_failure: OnFailure;
  /** `undo`: as `stop`, after what the task has done is taken back. */
  on_failure: OnFailure | "undo";
  /** Attempts besides the first. */
  max_retries: number;
  critical: boolean;
  /** null = the options decide. */
  quality_gate: boolean | null;
  /** For a review: the people who decide it; absent fields come from the plan. */
  people?: ReviewTerms;
}

/** The agent of tasks that name none: no prompt, no tools. Needs no entry in the plan. */
export const DEFAULT_AGENT = "default";
/** The agent of direct tasks: a program, no model. Needs no entry in the plan. */
export const DIRECT_AGENT = "direct";

/** The mistakes of a plan, as `validatePlan` and the checks of repairs name them (plan reference, section 1.4). */
export type IssueCategory =
  | "empty_plan"
  | "invalid_id"
  | "duplicate_id"
  | "missing_dependency"
  | "missing_agent"
  | "cycle_detected"
  | "invalid_direct_input"
  | "invalid_verification"
  | "invalid_signature"
  | "invalid_people"
  | "invalid_entry"
  // Of a repair alone
  | "repeated_plan"
  | "changed_review";

/** The mistakes and doubts that only the check before the run (`checkPlan`) finds. */
export type CheckCategory =
  // Names
  | "unknown_template_task"
  | "unknown_template_field"
  | "template_not_upstream"
  | "template_may_be_missing"
  | "missing_tool"
  | "tool_name_clash"
  // Programs
  | "unknown_result"
  | "unknown_result_field"
  | "unknown_data"
  | "tool_in_verification"
  // What can happen
  | "unreachable_task"
  | "never_passes"
  | "endless_retries"
  | "retry_changes_nothing"
  | "unreviewed_irreversible"
  | "review_without_effect"
  | "tools_lost"
  | "no_undo"
  | "no_identity"
  | "no_effect"
  // Advice (plan reference, section 6)
  | "missing_gate"
  | "parallel_explosion"
  | "optimism_bias"
  | "orphan_task"
  | "disconnected_flow";

/** A mistake in a plan; only errors prevent running it. `task_id` null = the plan as a whole. */
export interface PlanIssue {
  severity: "error" | "warning";
  category: IssueCategory | CheckCategory;
  message: string;
  task_id: string | null;
}

/** The agent of a name. One without an entry in the plan has no prompt and no tools. */
export const agentOf = (plan: Plan, name: string): PlanAgent =>
  Object.hasOwn(plan.agents, name) ? (plan.agents[name] as PlanAgent) : { prompt: "", tools: [] };
