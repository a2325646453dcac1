import type { AgentDefinition } from "../definition/definition";
import { mostCost } from "./price";
import { roundCost } from "./round-cost";
import { askingTools, type KnownPrices, partOf, TOKENS_PER_CALL, turnsOfRun, worstCall } from "./worst-call";

/**
 * The cost of one mission of an agent, before it runs. Agents and models that it calls as tools are named, not counted.
 */
interface AgentCost {
  /** One call at least, and all its turns at most. */
  model_calls: { least: number; most: number };
  /**
   * US dollars. `least`: one call with the agent's first prompt. `most`: all calls, each with a long prompt and a long answer, by
   * the dearest of its models. null if a price is unknown.
   */
  cost: { least: number; most: number } | null;
  /** Tools that ask models themselves: the number of their calls is unknown. */
  uncounted: string[];
}

/** @param prompt_tokens of the first call, estimated */
export function agentCost(
  agent: AgentDefinition,
  { models, prices, prompt_tokens }: { models: readonly string[]; prices: KnownPrices; prompt_tokens: number },
): AgentCost {
  const calls = turnsOfRun(agent);
  const most = partOf(calls, worstCall(models, prices, TOKENS_PER_CALL));
  const known = models.flatMap((name) => prices[name] ?? []);
  const least = known.map((price) => mostCost({ input: prompt_tokens, output: 0 }, price));
  return {
    model_calls: { least: 1, most: calls },
    cost: most === null ? null : { least: roundCost(Math.min(most, ...least)), most: roundCost(most) },
    uncounted: askingTools(agent),
  };
}
