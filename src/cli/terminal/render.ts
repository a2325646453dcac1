import { escapeLineBreaks } from "../../core/base/one-line";

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** A function for each style, which colours a text, or leaves it as it is where colours are off. */
export type Colors = Record<keyof typeof STYLES, (text: string) => string>;

/** Colour on a terminal only; NO_COLOR (any value) switches it off, FORCE_COLOR on. */
export function createColors(isTerminal: boolean, env: NodeJS.ProcessEnv): Colors {
  const on = !env.NO_COLOR && (isTerminal || Boolean(env.FORCE_COLOR)) && env.TERM !== "dumb";
  const style =
    ([open, close]: readonly [number, number]) =>
    (text: string) =>
      on ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return Object.fromEntries(Object.entries(STYLES).map(([name, codes]) => [name, style(codes)])) as Colors;
}

const ANSI = /\u001b\[\d+m/g;
const width = (text: string) => text.replace(ANSI, "").length;

/**
 * Rows as columns of equal width, two spaces between; colours do not count as width. A cell stays on its line: its line
 * breaks are shown as `\n`. An empty list gives "".
 */
export function renderTable(rows: readonly (readonly string[])[], header?: readonly string[]): string {
  const all = (header ? [header, ...rows] : rows).map((row) => row.map(escapeLineBreaks));
  const columns = Math.max(0, ...all.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...all.map((row) => width(row[i] ?? ""))));
  return all
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell + " ".repeat((widths[i] ?? 0) - width(cell))))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Formats elapsed milliseconds for people: `340 ms`, `4.1 s`, `12 s`, `3 min 16 s`, `2 h 5 min`, `3 d 4 h`. */
export function renderDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A moment, in UTC as every log has it: `2026-11-21 07:56:15`. */
export function renderTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}
