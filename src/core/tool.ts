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
  /** Task queue of the workers that have this tool; undefined = the workflow's own. */
  task_queue?: string;
}
