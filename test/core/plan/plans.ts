import { type ParsedPlan, parsePlan } from "../../../src/core/plan/definition/parse";
import type { Plan, PlanTask } from "../../../src/core/plan/definition/plan";

/** What tests of plans begin with. */

export function parsed(raw: unknown): ParsedPlan {
  const read = parsePlan(raw);
  if (!read.ok) throw new Error(read.fail.message);
  return read.value;
}

export const planOf = (raw: unknown): Plan => parsed(raw).plan;

/** A plan with these tasks and no agents. */
export const tasks = (...list: unknown[]): Plan => planOf({ tasks: list });

export const taskOf = (raw: unknown): PlanTask => tasks(raw).tasks[0] as PlanTask;
