import { defined } from "../core/base/defined";
import { asNavigatorError } from "../core/base/navigator-error";
import { checkPlan, type PlanCheck } from "../core/plan/check/check-plan";
import { type PlanOptionsInput, parsePlanOptions } from "../core/plan/definition/options";
import type { ParsedPlan } from "../core/plan/definition/parse";
import type { Plan } from "../core/plan/definition/plan";
import { knownPrices } from "../models/known-prices";
import type { Project } from "./load";
import { openedTools } from "./opened-tools";
import { shortModelNames } from "./short-model-names";

/** A plan of programs and people only needs no model. */
export const planAsksModels = (plan: Plan | undefined, options: PlanOptionsInput, executor = false): boolean =>
  plan === undefined ||
  executor ||
  options.quality_gate === true ||
  plan.tasks.some(({ type, quality_gate }) => quality_gate === true || !["direct", "human_review"].includes(type));

/**
 * Options of a plan with the project's tools and models as defaults: tools that are only named are the project's, so that the plan
 * knows which of them ask people. A name that the project does not have stays: a worker may have the tool.
 *
 * @param model of a plan that asks models and names none
 */
export async function planOptionsIn(
  project: Project,
  { plan, executor, options }: { plan: Plan | undefined; executor: boolean | undefined; options: PlanOptionsInput },
  model: string,
): Promise<PlanOptionsInput> {
  await openedTools(project);
  const specs = project.tools.specs();
  const named: unknown = options.base_tools;
  const base_tools = Array.isArray(named)
    ? named.map((tool: unknown) => specs.find(({ name }) => name === tool) ?? tool)
    : (named ?? specs);
  const llm = options.llm ?? (planAsksModels(plan, options, executor) ? model : undefined);
  return {
    ...options,
    ...defined({ llm }),
    llm_registry: { ...shortModelNames(project.models ?? {}), ...options.llm_registry },
    base_tools: base_tools as NonNullable<PlanOptionsInput["base_tools"]>,
  };
}

/**
 * The check of a plan with the tools and prices of its options and of the project.
 *
 * @param given options with the project's defaults
 * @throws NavigatorError `invalid_input`
 */
export function checkPlanIn(
  project: Pick<Project, "models" | "configFile">,
  parsed: ParsedPlan,
  given: PlanOptionsInput,
  executor: boolean,
): PlanCheck {
  const read = parsePlanOptions(given);
  if (!read.ok) throw asNavigatorError(read.fail);
  const options = read.value;
  const names = [options.llm ?? [], options.quality_gate_llm ?? []]
    .flat()
    .map((one) => options.llm_registry?.[one] ?? one);
  const prices = project.models === undefined ? {} : knownPrices(project.models, names);
  return checkPlan(parsed, { options, tools: options.base_tools, prices, executor });
}
