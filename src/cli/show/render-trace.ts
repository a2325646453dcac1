import type { TimelineRow, TraceEnd, TraceNode, TraceSummary } from "../../core/history/trace/analyse";
import type { TraceLine } from "../../core/history/trace/line";
import { attemptsOf, notedEffectOf, shownSpans, spanName } from "../../core/history/trace/span-of-lines";
import { type Colors, renderDuration, renderTable } from "../terminal/render";

interface Views {
  summary?: TraceSummary;
  tree?: TraceNode[];
  timeline?: TimelineRow[];
  slowest?: TraceLine[];
}

/** The requested views, one below the other. */
export function viewsText({ summary, tree, timeline, slowest }: Views, color: Colors): string {
  return [
    ...(summary === undefined ? [] : [summaryText(summary)]),
    ...(tree === undefined ? [] : [orNothing(treeText(tree, color))]),
    ...(timeline === undefined ? [] : [orNothing(timelineText(timeline, color))]),
    ...(slowest === undefined ? [] : [orNothing(slowestText(slowest, color))]),
  ].join("\n\n");
}

/** The notes of the run, and its error as the last line. */
export function endText({ warnings, fail }: TraceEnd, color: Colors): string[] {
  const lines = [
    ...warnings.map(({ message }) => color.yellow(`Note: ${message}`)),
    ...(fail === null ? [] : [color.red(`failed: ${fail.reason}: ${fail.message}`)]),
  ];
  return lines.length === 0 ? [] : [lines.join("\n")];
}

const orNothing = (text: string): string => (text === "" ? "There is nothing of that kind." : text);

const cachedText = ({ input, cached }: TraceSummary["tokens"]): string =>
  cached === undefined ? "" : `, ${cached} of them from the cache (${Math.round((cached / input) * 100)} %)`;

function summaryText({ duration_ms, runs, turns, llm_calls, tool_calls, failed, open, tokens }: TraceSummary): string {
  return renderTable([
    ["Duration", renderDuration(duration_ms)],
    ["Runs", `${runs}`],
    ["Turns", `${turns}`],
    ["Model calls", `${llm_calls}`],
    ["Tool calls", `${tool_calls}`],
    ...(failed === 0 ? [] : [["Failed", `${failed}`]]),
    ...(open === 0 ? [] : [["Not over", `${open}`]]),
    ...(tokens.total === 0
      ? []
      : [["Tokens", `${tokens.total} (${tokens.input} in${cachedText(tokens)}, ${tokens.output} out)`]]),
    ...(tokens.cost === undefined ? [] : [["Cost", `$${tokens.cost}`]]),
  ]);
}

function treeText(nodes: readonly TraceNode[], color: Colors): string {
  const rows: string[][] = [];
  const add = (node: TraceNode, depth: number): void => {
    rows.push([`${"  ".repeat(depth)}${titleOf(node)}`, took(node), statusText(node, color)]);
    for (const child of node.children) add(child, depth + 1);
  };
  for (const node of nodes) add(node, 0);
  return renderTable(rows);
}

function timelineText(rows: readonly TimelineRow[], color: Colors): string {
  return renderTable(
    rows.map((row) => [
      `+${(row.at_ms / 1000).toFixed(3)} s`.padStart(12),
      titleOf(row),
      took(row),
      statusText(row, color),
    ]),
  );
}

function slowestText(lines: readonly TraceLine[], color: Colors): string {
  return renderTable(
    shownSpans(lines).map((span) => {
      const { kind, status, duration_ms } = span;
      const row = {
        kind,
        name: spanName(span),
        status,
        duration_ms,
        attempts: attemptsOf(span),
        effect: notedEffectOf(span),
      };
      return [took(row).padStart(9), titleOf(row), statusText(row, color)];
    }),
  );
}

type Titled = Pick<TimelineRow, "kind" | "name" | "status" | "attempts"> & {
  duration_ms?: number | undefined;
  effect?: string | undefined;
};

const titleOf = ({ kind, name }: Titled): string => (kind === "turn" || kind === name ? name : `${kind} ${name}`);
const took = ({ duration_ms }: Titled): string => (duration_ms === undefined ? "" : renderDuration(duration_ms));

function statusText({ status, attempts = 1, effect }: Titled, color: Colors): string {
  const notes = [
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
    ...(status === "open" ? [color.yellow("not over")] : status === "failed" ? [color.red("failed")] : []),
    ...(effect === undefined ? [] : [color.yellow(`effect ${effect}`)]),
  ];
  return notes.join(", ");
}
