import { mostCost, roundCost } from "../../agent/price";
import type { Plan, PlanTask } from "../plan";
import { wantsQualityGate } from "../quality-gate";
import { retriesOf } from "../task-attempts";
import type { CheckWorld } from "./finding";

/** The most that a plan can cost. Programs and people ask no model; agents that are tools are not counted. */
export interface WorstCost {
  /** Agent runs and model calls of one execution, every task tried as often as it may be. */
  agent_runs: number;
  model_calls: number;
  /** The same with every repair that is allowed, each as large as the plan is now, and the planner's calls. */
  with_replans: { agent_runs: number; model_calls: number };
  /** US dollars for all of it; null where a price is not known. */
  cost: number | null;
  /** What a call is reckoned with. */
  tokens_per_call: { input: number; output: number };
}

/** A long prompt and a long answer; what calls really use is told by the runs. */
const TOKENS_PER_CALL = { input: 20_000, output: 4_096 };
/** A plan and its correction. */
const CALLS_OF_A_PLAN = 2;

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
    if (model === null) return null;
    const found = [model].flat().map((name) => prices[options.llm_registry?.[name] ?? name] ?? null);
    return found.some((price) => price === null)
      ? null
      : Math.max(...found.map((price) => mostCost(tokens_per_call, price as NonNullable<typeof price>)));
  };
  const agentCalls = own.model_calls * times + planner;
  const gateCalls = gates * times;
  const costs = [
    part(agentCalls, perCall(options.llm)),
    part(gateCalls, perCall(options.quality_gate_llm ?? options.llm)),
  ];
  return {
    agent_runs: own.agent_runs + gates,
    model_calls: own.model_calls + gates,
    with_replans: { agent_runs: (own.agent_runs + gates) * times + planner, model_calls: agentCalls + gateCalls },
    cost: costs.includes(null) ? null : roundCost(sum(costs as number[])),
    tokens_per_call,
  };
}

/** Runs and model calls of one task, in all its attempts. */
function callsOf(task: PlanTask, max_turns: number): [runs: number, calls: number] {
  const attempts = 1 + retriesOf(task);
  if (task.type === "human_review") return [0, 0];
  if (task.type === "direct") return [attempts, 0];
  return [attempts, attempts * (task.type === "synthesis_gate" ? 1 : max_turns)];
}

const part = (calls: number, price: number | null): number | null =>
  calls === 0 ? 0 : price === null ? null : calls * price;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
