import type { ToolSpec } from "./tool";

/** How often a call is attempted if its worker is lost or its tool asks for a retry; milliseconds between attempts. */
interface AttemptPolicy {
  max_attempts: number;
  initial_ms: number;
  backoff: number;
  max_ms: number;
}

const WRITE: AttemptPolicy = { max_attempts: 10, initial_ms: 100, backoff: 2, max_ms: 10_000 };
const READ: AttemptPolicy = { max_attempts: 5, initial_ms: 50, backoff: 2, max_ms: 2_000 };
/** The outcome of a lost call is unknown, and a second call would be a second effect. */
const IRREVERSIBLE: AttemptPolicy = { ...WRITE, max_attempts: 1 };
const LATER: AttemptPolicy = { max_attempts: 3, initial_ms: 1_000, backoff: 2, max_ms: 60_000 };

/**
 * How often and how soon a failed call is tried again: the policy of the tool's effect, with the tool's own settings.
 */
export function attemptPolicy(tool: Pick<ToolSpec, "effect" | "retry" | "completes_later">): AttemptPolicy {
  if (tool.effect === "irreversible") return IRREVERSIBLE;
  return { ...(tool.completes_later ? LATER : tool.effect === "read" ? READ : WRITE), ...tool.retry };
}

/** The wait in ms after the nth attempt failed. */
export const delayAfter = ({ initial_ms, backoff, max_ms }: AttemptPolicy, attempt: number): number =>
  Math.min(max_ms, initial_ms * backoff ** (attempt - 1));
