import type { PlanRunResult } from "../../client/plan-client";
import type { Json, JsonObject } from "../../core/base/json";
import { PlanTracer } from "../../core/plan/run/tracer";
import type { PlanSimulation } from "../../simulate/simulate-plan";
import type { Colors } from "../terminal/render";
import { indented } from "./values";

/** A simulated plan as text: its events line by line, then its result. */
export function planSimulationText(simulation: PlanSimulation, color: Colors): string {
  const tracer = new PlanTracer();
  const lines = simulation.events.flatMap((event) => tracer.line(event) ?? []);
  return [...lines, "", ...planEndLines(simulation, color)].join("\n");
}

/** The result of a plan. */
export function planEndLines(simulation: PlanRunResult, color: Colors): string[] {
  const results = resultsOf(simulation);
  switch (simulation.status) {
    case "ok":
      return [color.green("ok"), ...Object.entries(results).map(([id, value]) => `  ${id}: ${shown(value)}`)];
    case "waiting":
      return [color.yellow("waiting"), ...simulation.pending.map(({ task_id, prompt }) => `  ${task_id}: ${prompt}`)];
    case "error":
      return [color.red("error"), indented(`${simulation.reason.reason}: ${simulation.reason.message}`)];
    case "replan_required":
      return [
        color.yellow("another plan is needed"),
        indented(`${simulation.context.task_id}: ${simulation.context.diagnosis}`),
      ];
  }
}

const shown = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Finds the values of tasks, wherever the result has them. */
export function resultsOf(result: PlanRunResult): JsonObject {
  if ("metadata" in result) return result.metadata?.results ?? {};
  return "results" in result ? result.results : result.context.completed_results;
}
