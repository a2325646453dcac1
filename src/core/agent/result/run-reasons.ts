import type { ErrorCode } from "../../base/error-codes";

/** The rules of a reason with which a run of an agent ends, or a turn or a call of it. */
interface ReasonRules {
  /** The loop refused the run before its first turn: its usage is zero, and not null. */
  counted?: true;
  /** The turn had not started: no model was called. */
  unasked?: true;
  /** No other model is asked: it would have no more time, and a listener would receive a second answer. */
  final?: true;
  /** The turns were not enough: the newest value may be the result, and the last turn explains more. */
  out_of_turns?: true;
  /** It only reports that the work came to no end: the last failed call explains more. */
  hides_call?: true;
}

/**
 * Every reason that a run itself may give (agent reference, sections 21-23), with its rules. Programs add their own with
 * `(fail {:reason r ...})`. A new reason is a line here, a row of `error-codes.ts`, and the place that gives it.
 */
export const RUN_REASONS = {
  parse_error: {},
  analysis_error: {},
  eval_error: {},
  loop_limit_exceeded: {},
  symbol_limit_exceeded: {},
  timeout: {},
  memory_exceeded: {},
  memory_limit_exceeded: {},
  invalid_tool_args: {},
  tool_not_found: {},
  tool_error: {},
  tool_call_limit_exceeded: {},
  invalid_tool: {},
  unsupported_in_parallel: {},
  failed: {},
  max_turns_exceeded: { out_of_turns: true, hides_call: true },
  budget_exhausted: { out_of_turns: true },
  turn_budget_exhausted: { counted: true },
  max_depth_exceeded: { counted: true },
  mission_timeout: { counted: true, final: true, hides_call: true },
  budget_callback_exceeded: { unasked: true, hides_call: true },
  validation_error: {},
  return_validation_failed: {},
  json_parse_error: {},
  empty_response: {},
  no_code_found: {},
  chained_failure: { counted: true },
  chain_error: {},
  template_error: {},
  llm_required: {},
  invalid_llm_registry: {},
  invalid_llm: {},
  llm_registry_required: {},
  llm_not_found: {},
  llm_error: {},
  configuration_error: {},
  activity_contradicted: {},
} as const satisfies { readonly [reason in ErrorCode]?: ReasonRules };

/** Classes of model errors with which a run ends before a model is asked (agent reference, section 5.3). */
const MODEL_REASONS = { listener_not_found: { unasked: true, final: true } } as const satisfies {
  readonly [reason in ErrorCode]?: ReasonRules;
};

const ALL: { readonly [reason: string]: ReasonRules } = { ...RUN_REASONS, ...MODEL_REASONS };

/** The rules of a reason; none for one that a program chose. */
export const rulesOfReason = (reason: unknown): ReasonRules =>
  (typeof reason === "string" && Object.hasOwn(ALL, reason) && ALL[reason]) || {};
