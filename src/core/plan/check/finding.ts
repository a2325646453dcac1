import type { AgentTool } from "../../agent/definition/definition";
import type { Price } from "../../calls/host";
import type { PlanOptions } from "../definition/options";
import type { ParsedPlan } from "../definition/parse";
import type { CheckCategory, IssueCategory } from "../definition/plan";

/** One finding of `checkPlan`. Only those with severity `error` keep the plan from running. */
export interface PlanFinding {
  severity: "error" | "warning" | "info";
  category: IssueCategory | CheckCategory;
  message: string;
  task_id: string | null;
  /** Its place in the document, if known: `tasks[2].input`. */
  path: string;
}

/** The surroundings of a plan's run: options, tools and prices. */
export interface CheckWorld {
  options: PlanOptions;
  /** Finished tasks: any task may use their results. */
  completed?: readonly string[];
  /** All available tools with their specs; null = unknown. */
  tools: readonly AgentTool[] | null;
  /** The prices of models; null or absent = unknown. */
  prices?: { readonly [model: string]: Price | null };
  /** With replanning. */
  executor?: boolean;
  /** The assumed size of one model call. */
  tokens_per_call?: { input: number; output: number };
}

/** Findings with their places: a field has the name that the plan's author used. */
export class Finder {
  readonly found: PlanFinding[] = [];

  constructor(private readonly parsed: ParsedPlan) {}

  add(
    severity: PlanFinding["severity"],
    category: PlanFinding["category"],
    task_id: string | null,
    message: string,
    field?: string,
  ): void {
    this.found.push({ severity, category, message, task_id, path: this.pathOf(task_id, field) });
  }

  error(category: PlanFinding["category"], task_id: string | null, message: string, field?: string): void {
    this.add("error", category, task_id, message, field);
  }

  /** The path of a task. If two tasks have the id, the path of the second: that is where the mistake is. */
  pathOf(task_id: string | null, field?: string): string {
    const { plan, sources } = this.parsed;
    const source = task_id === null ? undefined : sources[plan.tasks.findLastIndex(({ id }) => id === task_id)];
    if (source === undefined) return "";
    const key = field === undefined ? undefined : source.keys[field];
    return key === undefined ? source.path : `${source.path}.${key}`;
  }

  agentPath(name: string): string {
    const { agent_paths } = this.parsed;
    return Object.hasOwn(agent_paths, name) ? (agent_paths[name] as string) : "";
  }
}
