import { withoutSecrets } from "../../core/agent/prompt/key-shapes";
import type { Json } from "../../core/base/json";
import { escapeLineBreaks, linesOf } from "../../core/base/one-line";
import type { Story, StoryCall, StoryTurn } from "../../core/history/trace/story";
import { shellWord } from "../../node/shell-word";
import { type Colors, renderDuration } from "../terminal/render";
import { indented } from "./render-value";

/** How much of each text is shown. */
interface Size {
  lines: number;
  chars: number;
}
const SHORT: Size = { lines: 12, chars: 140 };
const FULL: Size = { lines: Number.POSITIVE_INFINITY, chars: Number.POSITIVE_INFINITY };

/**
 * What a run did, turn by turn: the program, what it printed, its calls with their answers, and what the model was told.
 * Texts that look like keys are left out.
 */
export function storyText({ turns }: Story, full: boolean, color: Colors): string {
  const size = full ? FULL : SHORT;
  return withoutSecrets(turns.map((turn) => turnText(turn, size, color)).join("\n"));
}

function turnText(turn: StoryTurn, size: Size, color: Colors): string {
  const { number, invocation, duration_ms, program, reply = "", prints, calls, error, told } = turn;
  const again = invocation === 1 ? "" : `, woken ${invocation - 1} time(s)`;
  const took = duration_ms === undefined ? "not over" : renderDuration(duration_ms);
  const wrote = program ?? reply;
  const lines = [
    ...(wrote.trim() === "" ? [] : [color.dim(cutLines(wrote.trim(), size))]),
    ...calls.map((call) => callText(call, size)),
    ...prints.map((line) => `printed ${hanging(cutLines(line, size), 8)}`),
    ...(error === undefined ? [] : [color.red(`failed: ${hanging(cutLines(error, size), 8)}`)]),
    ...(told === undefined ? [] : [`told the model: ${hanging(cutLines(told, size), 4)}`]),
  ];
  return [`${color.bold(`Turn ${number}`)}${again}  ${color.dim(took)}`, ...lines.map((line) => indented(line))].join(
    "\n",
  );
}

function callText({ name, args, answer, error, duration_ms, child }: StoryCall, size: Size): string {
  const given = args === undefined ? "" : ` ${short(args, size)}`;
  const came =
    error !== undefined
      ? `failed: ${cut(escapeLineBreaks(error), size)}`
      : answer === undefined
        ? "(no answer yet)"
        : `-> ${short(answer, size)}`;
  const took = duration_ms === undefined ? "" : `  ${renderDuration(duration_ms)}`;
  const more = child === undefined ? "" : `\n  more: navigator log ${shellWord(child)}`;
  return `called ${name}${given} ${came}${took}${more}`;
}

const short = (value: Json, size: Size): string => cut(escapeLineBreaks(JSON.stringify(value)), size);

const cut = (text: string, { chars }: Size): string => (text.length <= chars ? text : `${text.slice(0, chars - 3)}...`);

function cutLines(text: string, { lines, chars }: Size): string {
  const all = linesOf(text);
  const shown = all.slice(0, lines).map((line) => cut(line, { lines, chars: chars * 2 }));
  return all.length <= lines
    ? shown.join("\n")
    : [...shown, `... ${all.length - lines} more lines (--full)`].join("\n");
}

/** Indents every line but the first. Empty lines stay empty. */
const hanging = (text: string, by: number): string => text.replace(/\n(?!\n|$)/g, `\n${" ".repeat(by)}`);
