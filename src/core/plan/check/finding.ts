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
  /** Where it stands in the document, as far as that is known: `tasks[2].input`. */
  path: string;
}

/** What a plan will run with: options, tools and prices. */
export interface CheckWorld {
  options: PlanOptions;
  /** Tasks that are done: their results may be used by any task. */
  completed?: readonly string[];
  /** All tools that there are, with what they say of themselves; null = nobody knows. */
  tools: readonly AgentTool[] | null;
  /** What models cost; null or absent = not known. */
  prices?: { readonly [model: string]: Price | null };
  /** With replanning. */
  executor?: boolean;
  /** What one model call is reckoned with. */
  tokens_per_call?: { input: number; output: number };
}

/** Findings with their places: a field is named as the plan's author wrote it. */
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

  /** Of an id that two tasks have, the second place: that is where the mistake is. */
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
