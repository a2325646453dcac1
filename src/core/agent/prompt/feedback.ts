import { escapeLineBreaks } from "../../base/one-line";
import { cutText } from "../../base/whole-characters";
import type { Mismatch } from "../../signature/check";
import type { AgentDefinition } from "../definition/definition";

/** The message to the model after a turn (agent reference, section 9.2). */
export interface TurnsLeft {
  /** Number of the coming turn. */
  next: number;
  work: number;
  retry: number;
}

/** The printed output as the model sees it. */
export function printed(agent: AgentDefinition, prints: readonly string[]): { text: string; truncated: boolean } {
  const limit = agent.format_options.feedback_max_chars;
  const text = prints.join("\n");
  if (text.length <= limit) return { text, truncated: false };
  return { text: `${cutText(text, limit)}\n(truncated, use println selectively)`, truncated: true };
}

/** Writes the message to the model after a turn that went well. */
export function success(
  agent: AgentDefinition,
  output: string,
  defined: readonly string[],
  left: TurnsLeft,
  progress: string,
): string {
  const names = [...new Set(defined)];
  const stored = agent.max_turns > 1 && names.length > 0 ? `Stored (access as symbols): ${names.join(", ")}` : "";
  return joined(output, stored, turnLine(agent, left), progress);
}

/** Writes the message to the model after a failed turn. */
export function failure(agent: AgentDefinition, message: string, left: TurnsLeft): string {
  return joined(`Error: ${message}`, turnLine(agent, left));
}

/** Writes the message to the model about a returned value of the wrong type. */
export function invalidReturn(
  agent: AgentDefinition,
  expected: string,
  received: string,
  mismatches: readonly Mismatch[],
  left: TurnsLeft,
): string {
  const lines = [
    "Return type validation failed.",
    `Expected: ${expected}`,
    `Received: ${escapeLineBreaks(received.length > 200 ? `${cutText(received, 200)}...` : received)}`,
    ...mismatches.map(
      ({ path, message }) => `- [${path === "" ? "root" : escapeLineBreaks(path)}]: ${escapeLineBreaks(message)}`,
    ),
    "Call (return ...) again with a value that fits.",
  ];
  return joined(lines.join("\n"), turnLine(agent, left));
}

/** Writes the message to the model about a reply without a program. */
export function noCode(message: string): string {
  return `Error: ${message} Answer with exactly one \`\`\`clojure block, or a program that starts with "(".`;
}

/** @param sizes how large the definitions were and what the limit is */
export function rollback(sizes: string): string {
  return `Error: ${sizes} All definitions of this turn were undone. Work in smaller steps and store only what later turns need.`;
}

/** The line with the state of the run; "" for an agent of one turn without retries. */
export function turnLine(agent: AgentDefinition, { next, work, retry }: TurnsLeft): string {
  const { max_turns, retry_turns } = agent;
  if (work <= 0) {
    if (retry_turns === 0 || retry <= 0) return "";
    const nth = retry_turns - retry + 1;
    if (retry === 1)
      return `⚠️ FINAL RETRY (Retry ${nth} of ${retry_turns}): you must call (return ...) or (fail ...) now.`;
    return `Turn ${next}: Retry ${nth} of ${retry_turns} (${retry} retries remaining)`;
  }
  if (max_turns === 1) return "";
  if (work === 1) {
    const corrections =
      retry_turns > 0 ? ` If the returned value does not fit, ${retry_turns} correction(s) follow.` : "";
    return `⚠️ FINAL WORK TURN: tools are stripped, you must call (return ...) or (fail ...).${corrections}`;
  }
  if (retry_turns > 0) return `Turn ${next} (${work} work turns + ${retry} retry turns remaining)`;
  const line = `Turn ${next} of ${max_turns} (${work} remaining)`;
  return work === 2 ? `${line}. The turn after it is the last: prepare the return.` : line;
}

const joined = (...parts: string[]): string => parts.filter((part) => part !== "").join("\n\n");
