import type { JsonObject } from "../../base/json";
import type { Journal } from "../../journal/journal";
import type { ProgramOptions } from "../../lisp/program";
import { limitsOf, remainingBudget } from "../budget/token-counts";
import type { AgentDefinition } from "../definition/definition";
import { toolSpecs } from "../tools/run-tools";
import type { RunMemory } from "./run-memory";
import type { AgentState } from "./state";

export interface TurnWorld {
  agent: AgentDefinition;
  state: AgentState;
  memory: RunMemory;
  journal: Journal | null;
  data: JsonObject;
  /** 0 for a root agent. */
  depth: number;
}

/** All that a turn's program sees: data (with the last fail), definitions, tools, journal, budget. */
export function programOptions(world: TurnWorld, source: string, now: () => number): ProgramOptions {
  const { agent, state, memory, data } = world;
  return {
    source,
    data: state.last_fail === null ? data : { ...data, fail: state.last_fail },
    memory: memory.definitions,
    tools: new Map(toolSpecs(agent).map((tool) => [tool.name, tool.cache ? { cache: true } : {}])),
    journal: world.journal,
    history: memory.history,
    budget: remainingBudget({
      turns: state.remaining_turns,
      work: state.work_left,
      retry: state.retry_left,
      depth: world.depth,
      maxDepth: agent.max_depth,
      tokens: state.tokens,
    }),
    tool_cache: memory.toolCache,
    limits: limitsOf(agent),
    other_intent: agent.on_other_intent,
    now,
  };
}
