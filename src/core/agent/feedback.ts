import { cutText } from "../lisp/print";
import type { Mismatch } from "../signature/check";
import type { AgentDefinition } from "./definition";

/** What the model is told after a turn (agent reference, section 9.2). */
export interface TurnsLeft {
  /** Number of the coming turn. */
  next: number;
  work: number;
  retry: number;
}

export function successFeedback(
  agent: AgentDefinition,
  turn: { prints: readonly string[]; defined: readonly string[] },
  left: TurnsLeft,
  progress: string,
): { text: string; truncated: boolean } {
  const limit = agent.format_options.feedback_max_chars;
  const printed = turn.prints.join("\n");
  const truncated = printed.length > limit;
  const parts = [
    truncated ? `${printed.slice(0, limit)}\n(truncated, use println selectively)` : printed,
    agent.max_turns > 1 && turn.defined.length > 0 ? `Stored (access as symbols): ${turn.defined.join(", ")}` : "",
    turnLine(agent, left),
    progress,
  ];
  return { text: parts.filter((part) => part !== "").join("\n\n"), truncated };
}

export function failureFeedback(agent: AgentDefinition, message: string, left: TurnsLeft): string {
  return [`Error: ${message}`, turnLine(agent, left)].filter((part) => part !== "").join("\n\n");
}

export function invalidReturnFeedback(
  agent: AgentDefinition,
  expected: string,
  received: string,
  mismatches: readonly Mismatch[],
  left: TurnsLeft,
): string {
  return [
    [
      "Return type validation failed.",
      `Expected: ${expected}`,
      `Received: ${cutText(received, 200)}`,
      ...mismatches.map(({ path, message }) => `- [${path === "" ? "root" : path}]: ${message}`),
      "Call (return ...) again with a value that fits.",
    ].join("\n"),
    turnLine(agent, left),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

export function noCodeFeedback(message: string): string {
  return `Error: ${message} Answer with exactly one \`\`\`clojure block, or a program that starts with "(".`;
}

export function rollbackFeedback(bytes: number, limit: number): string {
  return `The definitions of this turn were undone: together they take ${bytes} bytes, the limit is ${limit}. Keep less: work in smaller steps and store only what later turns need.`;
}

/** Where the run stands; "" for an agent of one turn without retries. */
export function turnLine(agent: AgentDefinition, { next, work, retry }: TurnsLeft): string {
  if (work <= 0) {
    if (agent.retry_turns === 0) return "";
    const nth = agent.retry_turns - retry + 1;
    if (retry === 1)
      return `⚠️ FINAL RETRY (Retry ${nth} of ${agent.retry_turns}): you must call (return ...) or (fail ...) now.`;
    return `Turn ${next}: Retry ${nth} of ${agent.retry_turns} (${retry} retries remaining)`;
  }
  if (agent.max_turns === 1) return "";
  if (work === 1) {
    const corrections =
      agent.retry_turns > 0 ? ` ${agent.retry_turns} correction(s) of the return follow if it does not fit.` : "";
    return `⚠️ FINAL WORK TURN: tools are stripped, you must call (return ...) or (fail ...).${corrections}`;
  }
  if (agent.retry_turns > 0) return `Turn ${next} (${work} work turns + ${retry} retry turns remaining)`;
  const line = `Turn ${next} of ${agent.max_turns} (${work} remaining)`;
  return work === 2 ? `${line}. The turn after it is the last: prepare the return.` : line;
}
