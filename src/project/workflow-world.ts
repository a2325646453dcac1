import type { WorkflowWorld } from "../core/graph/cost/check-workflow";
import { knownPrices } from "../models/known-prices";
import type { Project } from "./load";

/**
 * What a graph is checked against: the project's agents and tools, and the prices of its models.
 *
 * @param model of agents that name none; null = not known
 */
export function workflowWorld(
  { agents, models, tools, sources = [] }: Pick<Project, "agents" | "models" | "tools" | "sources">,
  model: string | null,
): WorkflowWorld {
  // Tools of servers are known only while the servers run, and a check starts none.
  const names = sources.length > 0 ? null : tools.specs().map(({ name }) => name);
  const asked = Object.values(agents).flatMap((agent) => agent.model ?? []);
  const prices = models === undefined ? {} : knownPrices(models, [...asked, ...(model === null ? [] : [model])]);
  return { agents, tools: names, model, prices };
}
