import { roundCost } from "../../agent/budget/round-cost";
import {
  askingTools,
  type KnownPrices,
  partOf,
  TOKENS_PER_CALL,
  type TokensPerCall,
  turnsOfRun,
  worstCall,
} from "../../agent/budget/worst-call";
import type { AgentDefinition } from "../../agent/definition/definition";
import type { Definition } from "../definition/schema";
import { agentAt, type WorstRuns } from "./worst-runs";

/**
 * The most that the agents of a task can spend on models. Subflows, and tools that ask models, are named and not
 * counted.
 */
export interface WorstSpend {
  /** null: the number of runs has no maximum, or an agent is unknown. */
  model_calls: number | null;
  /** US dollars; null where the calls, a model or its price are not known. */
  cost: number | null;
  /** What a call is reckoned with. */
  tokens_per_call: TokensPerCall;
  /** `agent: tool`, for tools that ask models themselves. */
  uncounted: string[];
}

export interface SpendWorld {
  agents: { readonly [name: string]: AgentDefinition };
  /** For agents that name no model; null = not known. */
  model?: string | null;
  prices?: KnownPrices;
  tokens_per_call?: TokensPerCall;
}

/** Computes the most that a task on this graph can spend. */
export function worstSpend(definition: Definition, { runs, endless }: WorstRuns, world: SpendWorld): WorstSpend {
  const { agents, model = null, prices = {}, tokens_per_call = TOKENS_PER_CALL } = world;
  const driven = Object.entries(runs).map(([nodeId, times]) => {
    const name = agentAt(definition, nodeId);
    return { name, times, agent: Object.hasOwn(agents, name) ? (agents[name] as AgentDefinition) : undefined };
  });
  const calls = driven.map(({ agent, times }) => (agent === undefined ? null : times * turnsOfRun(agent)));
  const costs = driven.map(({ agent }, i) => {
    const models = [agent?.model ?? model ?? []].flat();
    return calls[i] === null ? null : partOf(calls[i] as number, worstCall(models, prices, tokens_per_call));
  });
  const uncounted = driven.flatMap(({ name, agent }) =>
    agent === undefined ? [] : askingTools(agent).map((tool) => `${name}: ${tool}`),
  );
  const sum = endless.length > 0 ? () => null : sumOf;
  const cost = sum(costs);
  return {
    model_calls: sum(calls),
    cost: cost === null ? null : roundCost(cost),
    tokens_per_call,
    uncounted: [...new Set(uncounted)],
  };
}

const sumOf = (parts: readonly (number | null)[]): number | null =>
  parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);
