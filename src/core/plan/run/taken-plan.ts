import type { JsonObject } from "../../base/json";
import type { PlanOptions } from "../definition/options";
import type { Plan } from "../definition/plan";

/** The results that an ended plan leaves to its retry; its effects come separately (effects reference, section 11). */
export interface TakenPlan {
  /** The last plan, where it was made or repaired; absent = the one that was given. */
  plan?: Plan;
  /** The results of the tasks that have succeeded. */
  results: JsonObject;
  /** The journals of the agents of its tasks; absent = nothing is known. */
  journal?: { [task_id: string]: JsonObject };
}

interface Wanted {
  plan: Plan | null;
  executor: boolean;
  options: PlanOptions;
}

/** Starts a plan with the results of the plan that it takes over: the tasks with a result are not done again. */
export function withTaken<T extends Wanted>(wanted: T, taken: TakenPlan | undefined): T {
  if (taken === undefined) return wanted;
  const { options } = wanted;
  const { plan = null, results, journal = options.journal } = taken;
  return {
    ...wanted,
    ...(plan === null ? {} : { plan, executor: true }),
    options: { ...options, initial_results: { ...options.initial_results, ...results }, journal },
  };
}
