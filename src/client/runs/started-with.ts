import { withoutHidden } from "../../core/agent/prompt/hidden-values";
import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { startedIn } from "../../core/history/read/history";
import { givenBudget } from "../../core/history/trace/given-budget";

/** What a workflow was asked for, as it was started. Values under names that begin with `_` are hidden. */
export interface StartedWith {
  /** Of an agent's run. */
  agent?: string;
  prompt?: string;
  signature?: string;
  context?: Json;
  /** Of a task. */
  graph?: string;
  task?: Json;
  /** Of a plan. */
  mission?: string;
  steps?: number;
  model?: Json;
  /** What it and everything below it may use. */
  budget?: JsonObject;
  requested_by?: string;
}

/** @param runs the histories of a workflow, the oldest first */
export function askedOf(runs: readonly unknown[]): StartedWith {
  const input = startedIn(runs[0])?.input;
  if (input === undefined) return {};
  const { agent, context, task, plan, mission, model } = input;
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const of = (map: unknown, field: string) => (isObject(map) ? map[field] : undefined);
  const tasks = of(plan, "tasks");
  return defined({
    agent: text(of(agent, "name")),
    prompt: text(of(agent, "prompt")),
    signature: text(of(agent, "signature")),
    context: isObject(context) ? withoutHidden(context) : undefined,
    graph: text(of(task, "workflowType")),
    task: isObject(task) ? withoutHidden(task) : undefined,
    mission: text(mission),
    steps: Array.isArray(tasks) ? tasks.length : undefined,
    model: model === "" || model === null ? undefined : model,
    budget: givenBudget(input) ?? undefined,
    requested_by: text(input.requested_by),
  });
}
