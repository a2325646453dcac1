import type { ReviewTerms } from "../review/request";

/**
 * What a worker says about a tool so that an agent may use it. This part is data and travels in
 * workflow input; the function behind it stays on the worker.
 */
export interface ToolSpec {
  name: string;
  /** `(order_id :int) -> {tx :string}`; undefined = never validated. */
  signature?: string;
  description?: string;
  /**
   * read: repeatable and cheap, may run as a local activity. write (default): called at least once, made
   * exactly-once by its idempotency key. irreversible: never called a second time; when the outcome of a
   * call is lost the program sees `tool_error` with code `unknown_outcome`.
   */
  effect: "read" | "write" | "irreversible";
  /** Results are kept for the run under (name, arguments). */
  cache?: boolean;
  /** Limit of one call, milliseconds. */
  timeout_ms?: number;
  /** A person is asked before each call, and may change its arguments; the call is what was approved. */
  approval?: true | ReviewTerms;
  /** Attempts after a lost worker, or when the tool asks to be called again; never for `irreversible`. */
  retry?: ToolRetryPolicy;
  /** Its worker counts as lost after so many milliseconds of silence; silence is the worker's, not the tool's. */
  heartbeat_ms?: number;
  /** The answer comes later, from outside, with the call's token. */
  completes_later?: true;
  /** Each worker starts at most `max` calls in any `per_ms` milliseconds; others wait for their turn. */
  rate_limit?: { max: number; per_ms: number };
  /** Task queue of the workers that have this tool; undefined = the workflow's own. */
  task_queue?: string;
}

/** Milliseconds; what is left out is the policy of the tool's effect. */
export interface ToolRetryPolicy {
  max_attempts?: number;
  initial_ms?: number;
  backoff?: number;
  max_ms?: number;
}
