import { renderStep } from "../../src/cli/show/render-step";
import { indented, valueText } from "../../src/cli/show/values";
import { type Colors, renderTable } from "../../src/cli/terminal/render";
import type { Step, Turn } from "../../src/core/agent/result/step";
import type { Json } from "../../src/core/base/json";

/** One turn as a person follows it: what the model wrote, what it called, what it saw. */
export function turnText(turn: Turn, color: Colors): string {
  const wrote = turn.program ?? turn.raw_response;
  return [
    `\n  ${color.bold(`Turn ${turn.number}`)}${turn.success ? "" : color.red("  failed")}`,
    ...(wrote.trim() === "" ? [] : [color.dim(wrote.trim().replace(/^/gm, "    "))]),
    ...turn.tool_calls.map(
      ({ name, args, result, error }) =>
        `    called ${name} ${short(args)} ${error === undefined ? `-> ${short(result)}` : `failed: ${error}`}`,
    ),
    ...turn.prints.map((line) => `    printed ${line.replaceAll("\n", "\n            ")}`),
    ...(turn.success ? [] : [indented(valueText(turn.result))]),
  ].join("\n");
}

/** How a run ended: its Mission Log, the agents it ran, what it gave. */
export function endText(step: Step, mission_log: string, color: Colors): string {
  const children = step.child_steps.map(childText);
  return [
    "",
    ...(children.length === 0 ? [] : [color.bold("Agents it ran"), ...children, ""]),
    renderStep(step, { mission_log, progress: "" }, color),
  ].join("\n");
}

function childText({ name, fail, return: value, usage }: Step): string {
  const turns = usage?.turns ?? 0;
  const end = fail === null ? short(value) : `failed: ${fail.message}`;
  return `  ${name ?? "agent"} (${turns} ${turns === 1 ? "turn" : "turns"}): ${end}`;
}

export function effectsText(effects: { [kind: string]: number }, color: Colors): string {
  const rows = Object.entries(effects).map(([kind, count]) => [`  ${kind}`, String(count)]);
  return [`\n${color.bold("What really happened")}`, renderTable(rows)].join("\n");
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 140 ? text : `${text.slice(0, 137)}...`;
}
