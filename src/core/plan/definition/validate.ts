import { nameProblem } from "../../base/input/id-rule";
import { LISP_LIMITS } from "../../base/limits";
import { shortened } from "../../base/whole-characters";
import { compileProgram } from "../../lisp/compile/compile";
import { Registry } from "../../lisp/compile/registry";
import { type LispError, programError } from "../../lisp/values/errors";
import { parseSignature, SignatureError } from "../../signature/parse";
import { findCycle } from "./order";
import { type PeopleOptions, peopleIssues } from "./people-issues";
import { DEFAULT_AGENT, DIRECT_AGENT, type Plan, type PlanIssue, type PlanTask } from "./plan";

/**
 * Every mistake in a plan (plan reference, section 1.4). A plan without issues of severity `error` can run.
 *
 * @param options with which it runs, if they are known: reviews that nobody could decide are mistakes
 */
export function validatePlan(plan: Plan, options: PeopleOptions = { base_tools: [] }): PlanIssue[] {
  if (plan.tasks.length === 0)
    return [error("empty_plan", null, "The plan has no tasks; the model may have failed to produce any.")];
  const ids = new Set(plan.tasks.map(({ id }) => id));
  return [
    ...wrongIds(plan),
    ...duplicates(plan),
    ...plan.tasks.flatMap((task) => taskIssues(plan, ids, task)),
    ...cycles(plan),
    ...peopleIssues(plan, options),
  ];
}

/** They may have a `/`: the ids of runs within a plan are read from both ends. */
function wrongIds({ tasks, agents }: Plan): PlanIssue[] {
  const ids = new Set(tasks.map(({ id }) => id));
  return [
    ...wrongNames(ids, (id, problem) =>
      error("invalid_id", id, `${shown(id)} cannot be the id of a task: ${problem}.`),
    ),
    ...wrongNames(Object.keys(agents), (name, problem) =>
      error("invalid_id", null, `${shown(name)} cannot be the name of an agent: ${problem}.`),
    ),
  ];
}

function wrongNames(names: Iterable<string>, issue: (name: string, problem: string) => PlanIssue): PlanIssue[] {
  return [...names].flatMap((name) => {
    const problem = nameProblem(name);
    return problem === undefined ? [] : [issue(name, problem)];
  });
}

const shown = (name: string) => JSON.stringify(shortened(name, 60));

function duplicates({ tasks }: Plan): PlanIssue[] {
  const seen = new Set<string>();
  return tasks.flatMap(({ id }) => {
    if (seen.has(id)) return [error("duplicate_id", id, `Two tasks have the id "${id}".`)];
    seen.add(id);
    return [];
  });
}

function taskIssues(plan: Plan, ids: ReadonlySet<string>, task: PlanTask): PlanIssue[] {
  const { id, agent, depends_on } = task;
  const missing = [...new Set(depends_on)].filter((other) => !ids.has(other));
  const known = [DEFAULT_AGENT, DIRECT_AGENT].includes(agent) || Object.hasOwn(plan.agents, agent);
  return [
    ...missing.map((other) =>
      error("missing_dependency", id, `Task "${id}" depends on "${other}", which is not a task of the plan.`),
    ),
    ...(known
      ? []
      : [error("missing_agent", id, `Task "${id}" is for the agent "${agent}", which the plan does not have.`)]),
    ...directIssues(task),
    ...predicateIssues(task, "error"),
  ];
}

function directIssues({ id, type, input }: PlanTask): PlanIssue[] {
  if (type !== "direct") return [];
  const issue = (problem: string) => [
    error("invalid_direct_input", id, `The input of the direct task "${id}" is not a program: ${problem}`),
  ];
  if (typeof input !== "string") return issue("it is not a text");
  if (input.trim() === "") return issue("it is empty");
  const problem = lispProblem(input);
  return problem === null ? [] : issue(problem);
}

/** Returns an issue if the verification of a task is not a program. */
export function predicateIssues({ id, verification }: PlanTask, severity: PlanIssue["severity"]): PlanIssue[] {
  const problem = verification === null ? null : lispProblem(verification);
  if (problem === null) return [];
  const message = `The verification of task "${id}" is not a program: ${problem}`;
  return [{ severity, category: "invalid_verification", task_id: id, message }];
}

/** The warning for a signature that cannot be read; empty otherwise. */
export function signatureIssues({ id, signature }: PlanTask): PlanIssue[] {
  try {
    if (signature !== null) parseSignature(signature);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof SignatureError)) throw thrown;
    const message = `The signature of task "${id}" cannot be read: ${thrown.message}`;
    return [{ severity: "warning", category: "invalid_signature", task_id: id, message }];
  }
}

function cycles(plan: Plan): PlanIssue[] {
  const cycle = findCycle(plan);
  if (!cycle) return [];
  return [
    error("cycle_detected", cycle[0] as string, `Tasks depend on each other in a circle: ${cycle.join(" -> ")}.`),
  ];
}

const error = (category: PlanIssue["category"], task_id: string | null, message: string): PlanIssue => ({
  severity: "error",
  category,
  message,
  task_id,
});

/**
 * Why a text is not a program: it does not parse, is not well formed, or uses a name that nothing defines. null when it
 * is one.
 */
export function lispProblem(source: string, tools: readonly string[] = []): string | null {
  if (source.length > LISP_LIMITS.max_source_chars)
    return `it is ${source.length} characters long; the limit is ${LISP_LIMITS.max_source_chars}`;
  try {
    compileProgram(source, new Registry(new Map(), new Map(tools.map((name) => [name, {}]))));
    return null;
  } catch (thrown) {
    const { message, place }: LispError = programError(thrown);
    return place === undefined ? message : `${message} (line ${place.line}, column ${place.column})`;
  }
}
