import { type PlanStep, renderProgress } from "../../core/agent/prompt/progress";
import type { Turn } from "../../core/agent/result/step";
import { renderMissionLog } from "../../core/journal/mission-log";
import type { AgentSimulation } from "../../simulate/simulate-agent";
import type { Colors } from "../terminal/render";
import { renderStep } from "./render-step";
import { indented, valueText } from "./render-value";

/** A simulated run as text: the effects of each turn, then the result. */
export function simulationText({ step }: AgentSimulation, plan: readonly PlanStep[], color: Colors): string {
  const records = Object.entries(step.journal ?? {}).map(([id, value]) => ({ id, value }));
  const written = {
    mission_log: renderMissionLog(records),
    progress: renderProgress(plan, new Map(Object.entries(step.summaries))),
  };
  return [...(step.turns ?? []).map((turn) => `${turnText(turn, color)}\n`), renderStep(step, written, color)].join(
    "\n",
  );
}

function turnText(turn: Turn, color: Colors): string {
  const sign = turn.success ? color.green("ok") : color.red("failed");
  return [
    `${color.bold(`Turn ${turn.number}`)}  ${sign}`,
    ...turn.tool_calls.map(({ name, args }) => `  called ${name}${argsText(args)}`),
    ...turn.prints.map((line) => indented(`printed ${line.replaceAll("\n", "\n        ")}`)),
    ...(turn.success ? [] : [indented(valueText(turn.result))]),
  ].join("\n");
}

/** ` with order_id 42, amount 4990`. */
function argsText(args: Turn["tool_calls"][number]["args"]): string {
  const list = Object.entries(args).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return list.length === 0 ? "" : ` with ${list.join(", ")}`;
}
