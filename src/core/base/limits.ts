/** Every limit and default in one place, with its unit. */

/** What one program may use (lisp reference, section 13). */
export interface LispLimits {
  /** Evaluation steps of the whole program. */
  max_steps: number;
  /** Evaluation steps between two effects: bounds one workflow activation. */
  max_steps_between_effects: number;
  /** Estimated bytes built by the whole program. */
  max_bytes: number;
  max_depth: number;
  /** Iterations of one `loop` / function recursion by `recur`. */
  max_iterations: number;
  max_parallel: number;
  /** null = no limit. */
  max_tool_calls: number | null;
  max_print_chars: number;
  /** Characters of the source text. */
  max_source_chars: number;
}

/** The limits of a program, unless something else is asked for (lisp reference, section 13). */
export const LISP_LIMITS: LispLimits = {
  max_steps: 20_000_000,
  // About 0.3 s on a slow core: well under the worker's 5 s limit for one activation.
  max_steps_between_effects: 2_000_000,
  max_bytes: 64 * 1024 * 1024,
  max_depth: 10_000,
  max_iterations: 1_000,
  max_parallel: 8,
  max_tool_calls: null,
  max_print_chars: 2_000,
  max_source_chars: 256 * 1024,
};

/**
 * A larger JSON value is refused before it is scheduled: Temporal's payload limit is 2 MiB, and beyond it a workflow
 * task fails forever.
 */
export const MAX_PAYLOAD_BYTES = 1_900_000;

/**
 * How long a workflow task may take before another worker gets it. This is also the delay after a worker is killed in
 * the middle of one; it is half of Temporal's default. The longest replay and the longest part of a program without a call take a
 * fraction of it.
 */
export const WORKFLOW_TASK_TIMEOUT_MS = 5_000;

/**
 * The limit of a step's output, or of a value that a person gives with a decision: the task's history keeps it and
 * passes it on.
 */
export const MAX_OUTPUT_BYTES = 256_000;

/** All outputs in a task's history together; beyond it the oldest are left out. */
export const MAX_OUTPUTS_BYTES = 1_000_000;

/** Journal values are shown in the memo up to this many characters; the state keeps them whole. */
export const MEMO_VALUE_CHARS = 2_000;

/**
 * A workflow's memo is limited as a whole (2 MiB on a default server): beyond this many characters further values are
 * shown by a short text only.
 */
export const MEMO_TOTAL_CHARS = 400_000;
/** Characters of a value's short text once the memo is full. */
export const MEMO_FULL_TEXT_CHARS = 20;

/** How long a run waits for a worker that has what a call needs, unless a setting changes it: a day. */
export const BLOCKED_TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/** A worker asks the server for work at least once a minute; the server remembers one that is gone for minutes longer. */
export const POLLER_FRESH_MS = 90_000;
