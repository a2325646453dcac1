import type { DeclaredInput } from "../effects/declared-input";
import type { EffectSettings, ToolEffect } from "../effects/effect-settings";
import type { ReviewTerms } from "../review/policy/terms";

/**
 * A worker's description of a tool, so that an agent may use it. It is plain data and is passed in workflow input; the
 * function stays on the worker.
 */
export interface ToolSpec extends EffectSettings {
  name: string;
  /** `(order_id :int) -> {tx :string}`; undefined = never validated. */
  signature?: string;
  description?: string;
  /**
   * What the schema of a tool with effects says of arguments that never reach it, and of its defaults; `defineTool` reads it.
   * Absent = nothing is dropped, and there are no defaults.
   */
  takes?: DeclaredInput;
  /**
   * read: repeatable and cheap, may run as a local activity. idempotent: a write whose service acts once for each idempotency
   * key: after a crash the last calls are made again with their keys.
   * write (default): called at least once; the idempotency key makes the effect exactly-once. irreversible: never repeated automatically; if the outcome of a call is lost, `lookup` is
   * asked, then a person. The program gets a `tool_error` with code `unknown_outcome` only where nobody can be asked.
   */
  effect: ToolEffect;
  /** Results are kept for the run under (name, arguments). */
  cache?: boolean;
  /** Limit of one call, milliseconds. */
  timeout_ms?: number;
  /** A person must approve each call and may change its arguments; exactly the approved call runs. */
  approval?: true | ReviewTerms;
  /** Attempts after a lost worker, or when the tool asks for a retry; never for `irreversible`. */
  retry?: ToolRetryPolicy;
  /** The worker counts as lost after this many milliseconds without a heartbeat. The worker sends it, not the tool. */
  heartbeat_ms?: number;
  /** The answer comes later, from outside, with the call's token. */
  completes_later?: true;
  /** Each worker starts at most `max` calls in any `per_ms` milliseconds; others wait for their turn. */
  rate_limit?: { max: number; per_ms: number };
  /** Task queue of the workers that have this tool; undefined = the workflow's own. */
  task_queue?: string;
  /** Each call has a separate activity (engine reference, section 16). */
  alone?: true;
  /** Calls that are asked for at the same moment are made by one activity, at most so many (engine reference, section 17). */
  batch?: number;
  /** The tool can say whether the effect of a key has happened: `lookUpEffect` asks it. */
  lookup?: true;
  /** The tool can take an effect back: `undoEffect` does. */
  undo?: true;
  /** What taking one effect back costs, in US dollars. */
  undo_cost?: number;
}

/** Milliseconds; what is left out is the policy of the tool's effect. */
export interface ToolRetryPolicy {
  max_attempts?: number;
  initial_ms?: number;
  backoff?: number;
  max_ms?: number;
}
