const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

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

/** Rows as columns of equal width, two spaces between; colours do not count as width. An empty list gives "". */
export function renderTable(rows: readonly (readonly string[])[], header?: readonly string[]): string {
  const all = header ? [header, ...rows] : rows;
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

/** Elapsed milliseconds as a person says it: `340 ms`, `12 s`, `3 min 16 s`. */
export function renderDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
