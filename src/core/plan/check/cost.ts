import { roundCost } from "../../agent/budget/round-cost";
import { partOf, TOKENS_PER_CALL, type TokensPerCall, worstCall } from "../../agent/budget/worst-call";
import { type AgentTool, isWorkerTool } from "../../agent/definition/definition";
import type { Plan, PlanTask } from "../definition/plan";
import { nameOfTool } from "../run/plan-agents";
import { wantsQualityGate } from "../run/quality-gate";
import { retriesOf } from "../run/task-attempts";
import type { CheckWorld } from "./finding";
import { mayCall } from "./tool-findings";

/** The maximum cost of a plan. Programs and people call no model; tools that call one are named, not counted. */
export interface WorstCost {
  /** Agent runs and model calls of one execution, with every task tried as often as allowed. */
  agent_runs: number;
  model_calls: number;
  /** The same with every allowed repair, each as large as the present plan, and the planner's calls. */
  with_replans: { agent_runs: number; model_calls: number };
  /** US dollars for all of it; null if a price is unknown. */
  cost: number | null;
  /** The assumed size of a call. */
  tokens_per_call: TokensPerCall;
  /** `agent: tool`, for tools that are agents or models: the number of their calls is unknown. */
  uncounted: string[];
}

/** Calls for a plan and its correction. */
const CALLS_OF_A_PLAN = 2;

/** Computes the agent runs, model calls and cost of a plan in the worst case. */
export function worstCost(plan: Plan, { options, prices = {}, executor = false, ...world }: CheckWorld): WorstCost {
  const tokens_per_call = world.tokens_per_call ?? TOKENS_PER_CALL;
  const taskCalls = plan.tasks.map((task) => callsOf(task, options.max_turns));
  const gates = plan.tasks.filter((task) => wantsQualityGate({ plan, options, results: {} }, task)).length;
  const own = {
    agent_runs: sum(taskCalls.map(([runs]) => runs)),
    model_calls: sum(taskCalls.map(([, calls]) => calls)),
  };
  const repairs = executor ? options.max_total_replans : 0;
  const planner = repairs * CALLS_OF_A_PLAN;
  const times = repairs + 1;
  const perCall = (model: string | string[] | null): number | null => {
    const names = [model ?? []].flat().map((name) => options.llm_registry?.[name] ?? name);
    return worstCall(names, prices, tokens_per_call);
  };
  const agentCalls = own.model_calls * times + planner;
  const gateCalls = gates * times;
  const costs = [
    partOf(agentCalls, perCall(options.llm)),
    partOf(gateCalls, perCall(options.quality_gate_llm ?? options.llm)),
  ];
  return {
    agent_runs: own.agent_runs + gates,
    model_calls: own.model_calls + gates,
    with_replans: { agent_runs: (own.agent_runs + gates) * times + planner, model_calls: agentCalls + gateCalls },
    cost: costs.includes(null) ? null : roundCost(sum(costs as number[])),
    tokens_per_call,
    uncounted: uncountedTools(plan, world.tools ?? options.base_tools),
  };
}

function uncountedTools(plan: Plan, tools: readonly AgentTool[]): string[] {
  const asking = tools.filter((tool) => !isWorkerTool(tool)).map(nameOfTool);
  const used = plan.tasks.flatMap((task) =>
    mayCall(plan, task)
      .filter((tool) => asking.includes(tool))
      .map((tool) => `${task.agent}: ${tool}`),
  );
  return [...new Set(used)];
}

/** Runs and model calls of one task, in all its attempts. */
function callsOf(task: PlanTask, max_turns: number): [runs: number, calls: number] {
  const attempts = 1 + retriesOf(task);
  if (task.type === "human_review") return [0, 0];
  if (task.type === "direct") return [attempts, 0];
  return [attempts, attempts * (task.type === "synthesis_gate" ? 1 : max_turns)];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
