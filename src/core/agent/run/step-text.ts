import { escapeLineBreaks } from "../../base/one-line";
import { cutText } from "../../base/whole-characters";
import { compressedTurns } from "../prompt/compress";
import { joined } from "../prompt/prompt";
import type { Step, Usage } from "../result/step";
import type { Turn } from "../result/turn";

/** The parts of a Step that its text shows. */
export interface StepTextOptions {
  /** `turns`: one after the other; `compressed`: their summary, as a model with compression sees it. */
  view?: "turns" | "compressed";
  /** The models' whole replies in place of their programs. */
  raw?: boolean;
  /** The conversation, if the run collected it (`collect_messages`). */
  messages?: boolean;
  /** The same for the system prompt. */
  system?: boolean;
  usage?: boolean;
}

/** A Step as text (agent reference, section 17). */
export function stepTraceText(step: Step, options: StepTextOptions = {}): string {
  return joined(
    header(step),
    ...conversationLines(step, options),
    ...(options.view === "compressed" ? compressedView(step) : turnsView(step, options)),
    ending(step),
    options.usage ? usageText(step.usage) : "",
  );
}

/** Steps of a chain, each with its result. */
export function chainText(steps: readonly Step[]): string {
  return steps.map((step, index) => `${index + 1}. ${header(step)}\n${indent(ending(step))}`).join("\n");
}

const LIMITS = { tool_call_limit: 20, println_limit: 15 };
/** One line of a value; the Step has it whole. */
const MAX_VALUE_CHARS = 500;

function header({ name, usage, child_steps }: Step): string {
  const turns = usage === null ? "refused before its first turn" : count(usage.turns, "turn");
  const children = child_steps.length === 0 ? "" : `, ${count(child_steps.length, "nested run")}`;
  return `${name ?? "agent"}: ${turns}${children}`;
}

function conversationLines({ messages }: Step, options: StepTextOptions): string[] {
  const wanted = (messages ?? []).filter(({ role }) => (role === "system" ? options.system : options.messages));
  return wanted.map(({ role, content }) => `[${role}]\n${indent(content)}`);
}

function turnsView({ turns }: Step, { raw }: StepTextOptions): string[] {
  if (turns === null) return ["(its turns were not kept)"];
  return turns.map((turn) => turnText(turn, raw === true));
}

function turnText(turn: Turn, raw: boolean): string {
  const { number, type, success, program, raw_response, prints, tool_calls, result } = turn;
  return [
    `Turn ${number}${type === "normal" ? "" : `, ${type}`}${success ? "" : ", failed"}`,
    indent(raw || program === null ? raw_response : program),
    ...tool_calls.map((call) => `  - ${call.name} ${value(call.args)} => ${value(call.result)}`),
    ...prints.map((line) => indent(line, "  | ")),
    ...(success && result === null ? [] : [`  => ${value(result)}`]),
  ].join("\n");
}

function compressedView({ prompt, memory, turns }: Step): string[] {
  const defined = Object.keys(memory);
  return [
    prompt === null ? "" : `<mission>\n${prompt}\n</mission>`,
    defined.length === 0
      ? ""
      : `;; === user/ ===\n${defined.map((name) => `${name}: ${value(memory[name])}`).join("\n")}`,
    turns === null ? "(its turns were not kept)" : compressedTurns(turns, LIMITS),
  ];
}

const ending = ({ fail, return: result }: Step): string =>
  fail === null ? `Returned ${value(result)}` : `Failed [${fail.reason}] ${fail.message}`;

function usageText(usage: Usage | null): string {
  if (usage === null) return "";
  const numbers = Object.entries(usage).filter(([, amount]) => typeof amount === "number");
  const width = Math.max(...numbers.map(([name]) => name.length));
  return ["Usage", ...numbers.map(([name, amount]) => `  ${name.padEnd(width)}  ${amount}`)].join("\n");
}

function value(json: unknown): string {
  const text = escapeLineBreaks(JSON.stringify(json) ?? "null");
  return text.length > MAX_VALUE_CHARS ? `${cutText(text, MAX_VALUE_CHARS)}... (${text.length} characters)` : text;
}

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
const indent = (text: string, by = "  "): string => text.replace(/^/gm, by);
