import type { StartPlan } from "../../client/plan-client";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import { checkPlan } from "../../core/plan/check/check-plan";
import { type PlanOptionsInput, parsePlanOptions } from "../../core/plan/definition/options";
import type { Plan } from "../../core/plan/definition/plan";
import { validatePlan } from "../../core/plan/definition/validate";
import { shellWord } from "../../node/shell-word";
import type { Project } from "../../project/load";
import { planAsksModels } from "../../project/plan-defaults";
import { shortModelNames } from "../../project/short-model-names";
import { badUsage } from "../terminal/exit";
import { jsonObjectArgument } from "./arguments";
import { modelOf } from "./model-name";
import { type PlanFile, readPlanFile } from "./plan-file";
import { STDIN } from "./text-input";

/** The command line's options of a plan to run, besides its file. */
export interface PlanFlags {
  mission?: string;
  executor?: boolean;
  options?: string;
  onReview?: string;
  reviews?: string;
  initialResults?: string;
  id?: string;
  model?: string;
}

/** A request for a plan: the options of the command line override those of the file, and the project adds the others. */
export interface PlanRequest {
  plan: Plan | undefined;
  /** The file of the plan. */
  file: PlanFile | undefined;
  mission: string | undefined;
  executor: boolean | undefined;
  given: PlanOptionsInput;
}

/** @throws NavigatorError for every mistake in a plan and its options, before anything is started */
export function planRequest(file: string | undefined, flags: PlanFlags): PlanRequest {
  const read = file === undefined ? undefined : readPlanFile(file);
  const mission = flags.mission ?? read?.mission ?? undefined;
  if (read === undefined && mission === undefined)
    throw badUsage(
      "--mission",
      "Name a plan file, or give --mission to have a plan made.",
      "navigator plan run plan.yaml\nnavigator plan run --mission 'Find the cheapest lamp.'",
    );
  if (read !== undefined) refuseUnsound(read.name, read.parsed.plan);
  return {
    plan: read?.parsed.plan,
    file: read,
    mission,
    executor: flags.executor,
    given: {
      ...(read?.given as PlanOptionsInput),
      ...ownOptions(flags),
      ...defined({ mission }),
    },
  };
}

function ownOptions({ options, onReview: review, reviews, initialResults }: PlanFlags): PlanOptionsInput {
  if (review !== undefined && review !== "wait" && review !== "return")
    throw badUsage("--on-review", `--on-review must be wait or return, got "${review}".`);
  return {
    ...(options === undefined ? {} : (jsonObjectArgument("--options", options) as PlanOptionsInput)),
    ...(review === undefined ? {} : { on_review: review }),
    ...(reviews === undefined ? {} : { reviews: jsonObjectArgument("--reviews", reviews) }),
    ...(initialResults === undefined
      ? {}
      : { initial_results: jsonObjectArgument("--initial-results", initialResults) }),
  };
}

function refuseUnsound(name: string, plan: Plan): void {
  const errors = validatePlan(plan).filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  throw new NavigatorError("invalid_plan", `${name}: ${errors.map(({ message }) => message).join(" ")}`, {
    ...(name === STDIN ? {} : { hint: `With their places: navigator plan check ${shellWord(name)}` }),
    details: { issues: errors },
  });
}

/**
 * Refuses a plan in which `plan check` finds errors, unless the option `check_plans` is false.
 *
 * @throws NavigatorError `invalid_plan` with every error of the check
 */
function refuseUnrunnable(
  { name, parsed }: PlanFile,
  given: PlanOptionsInput,
  project: Project,
  executor = false,
): void {
  const options = parsePlanOptions(given);
  // Mistakes in the options are reported when the plan is started.
  if (!options.ok || !options.value.check_plans) return;
  const own = given.base_tools !== undefined || given.available_tools !== undefined;
  const tools = own || project.configFile !== null ? options.value.base_tools : null;
  const { findings } = checkPlan(parsed, { options: options.value, tools, executor });
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  throw new NavigatorError("invalid_plan", `${name}: ${errors.map(({ message }) => message).join(" ")}`, {
    hint: `With their places: navigator plan check ${name === STDIN ? "FILE" : shellWord(name)}. To start it as it is: --options '{"check_plans": false}'`,
    details: { issues: errors },
  });
}

/** The plan as it is started: with the project's tools and the model as defaults. */
export async function planStart(
  { plan, file, mission, executor, given }: PlanRequest,
  project: Project,
  config: { model: string | null },
  { id, model, detach = false }: { id?: string; model?: string; detach?: boolean },
): Promise<StartPlan> {
  const first = [given.llm ?? []].flat()[0];
  const agent = first === undefined ? undefined : (given.llm_registry?.[first] ?? first);
  let options = given;
  if (model !== undefined || planAsksModels(plan, given, executor)) {
    const llm = modelOf({ option: model, agent, config }, project.models, !detach);
    // Several models are tried in order: the first was checked, and all are kept.
    options = { ...options, llm: model === undefined ? (given.llm ?? llm) : llm };
  }
  if (given.base_tools === undefined || !detach) await project.openTools();
  const base_tools = baseTools(given.base_tools, project, detach);
  const llm_registry = { ...shortModelNames(project.models), ...options.llm_registry };
  if (file !== undefined) refuseUnrunnable(file, { ...options, base_tools }, project, executor);
  return { ...defined({ id, plan, mission, executor }), options: { ...options, llm_registry, base_tools } };
}

/** Tools that are only named are the project's. A plan must know which of them ask people. */
function baseTools(given: unknown, project: Project, detach: boolean): unknown {
  const specs = project.tools.specs();
  if (given === undefined) return specs;
  if (!Array.isArray(given)) return given;
  return given.map((tool: unknown) => {
    const spec = specs.find(({ name }) => name === tool);
    if (spec !== undefined || typeof tool !== "string" || detach) return spec ?? tool;
    const there = specs.length === 0 ? "It has none." : `Tools: ${specs.map(({ name }) => name).join(", ")}.`;
    throw new NavigatorError(
      "tool_not_found",
      `base_tools names "${tool}", which the project does not have. ${there}`,
      {
        hint: "Add it to navigator.config, or leave the plan to a worker that has it: --detach.",
        exitCode: 2, // The error is raised before anything runs.
      },
    );
  });
}
