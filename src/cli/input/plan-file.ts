import { isObject } from "../../core/base/is-object";
import { asNavigatorError, NavigatorError } from "../../core/base/navigator-error";
import { type PlanOptions, parsePlanOptions } from "../../core/plan/definition/options";
import { type ParsedPlan, parsePlan } from "../../core/plan/definition/parse";
import { type Issue, mistakesText, placed } from "../../node/file-mistakes";
import { dataOf } from "./scenario-file";
import { STDIN, textInput } from "./text-input";

/** A plan's file: the plan alone, or `{plan, options, mission}`. */
export interface PlanFile {
  name: string;
  text: string;
  parsed: ParsedPlan;
  options: PlanOptions;
  /** The options as the file has them. The project adds defaults. */
  given: { [option: string]: unknown };
  mission: string | null;
  /** The prefix of every path of the plan in the file. */
  prefix: string;
}

/** Reads a plan from a file or standard input (`-`). @throws NavigatorError `invalid_input`, `invalid_plan_format` */
export function readPlanFile(file: string): PlanFile {
  const name = file === "-" ? STDIN : file;
  const text = textInput(file);
  const raw = dataOf(text, name);
  const whole = isObject(raw) && (isObject(raw.options) || typeof raw.mission === "string") && isObject(raw.plan);
  const {
    plan,
    options = {},
    mission,
  } = (whole ? raw : { plan: raw }) as {
    plan: unknown;
    options?: { [option: string]: unknown };
    mission?: string;
  };
  const read = parsePlanOptions(options);
  if (!read.ok) {
    const found = (read.fail.details?.issues ?? []) as unknown as Issue[];
    const inFile = found.map((issue) => ({ ...issue, path: issue.path === "" ? "options" : `options.${issue.path}` }));
    const issues = placed(text, inFile);
    throw new NavigatorError("invalid_input", mistakesText(name, issues), { details: { path: name, issues } });
  }
  const parsed = parsePlan(plan);
  if (!parsed.ok) throw asNavigatorError({ ...parsed.fail, message: `${name}: ${parsed.fail.message}` });
  return {
    name,
    text,
    parsed: parsed.value,
    options: read.value,
    given: options,
    mission: mission ?? null,
    prefix: whole ? "plan." : "",
  };
}
