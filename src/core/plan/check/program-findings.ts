import { tasksById } from "../definition/parse";
import type { Plan, PlanTask } from "../definition/plan";
import type { Finder } from "./finding";
import { type ProgramUse, programUse } from "./program-forms";
import { missingField, outputType } from "./template-findings";

/**
 * Programs that can be parsed, but use names or fields that do not exist: they would fail, or give nothing, every time.
 */
export function programFindings(plan: Plan, tools: ReadonlySet<string> | null, finder: Finder): void {
  for (const task of plan.tasks) {
    if (task.verification !== null) predicateFindings(plan, task, programUse(task.verification), finder);
    if (task.type === "direct" && typeof task.input === "string")
      directFindings(plan, task, programUse(task.input), tools, finder);
  }
}

const PREDICATE_DATA = ["result", "input", "depends"];

function predicateFindings(plan: Plan, task: PlanTask, use: ProgramUse, finder: Finder): void {
  const { id } = task;
  const error = (category: Parameters<Finder["error"]>[0], message: string) =>
    finder.error(category, id, message, "verification");
  for (const name of unique(use.tools))
    error("tool_in_verification", `The verification of "${id}" calls the tool ${name}: a predicate has no tools.`);
  for (const name of unique(use.data).filter((one) => !PREDICATE_DATA.includes(one)))
    error(
      "unknown_data",
      `The verification of "${id}" reads data/${name}: there are data/result, data/input, data/depends.`,
    );
  for (const { data, path } of use.fields) {
    const type = data === "result" ? outputType(task) : null;
    const missing = type?.kind === "record" ? missingField(type, path.map(wired)) : null;
    if (missing !== null)
      error(
        "unknown_result_field",
        `The verification of "${id}" reads ${missing} of its result, which has no such field: ${task.signature}.`,
      );
    if (data === "depends") dependencyRead(plan, task, path, "verification", finder);
  }
  const { constant } = use;
  if (constant !== null && constant.value !== true)
    error("never_passes", `The verification of "${id}" never passes: it is not true for any result.`);
}

function directFindings(
  plan: Plan,
  task: PlanTask,
  use: ProgramUse,
  tools: ReadonlySet<string> | null,
  finder: Finder,
): void {
  const { id } = task;
  for (const name of unique(use.data).filter((one) => one !== "results"))
    finder.error("unknown_data", id, `The program of "${id}" reads data/${name}: there is only data/results.`, "input");
  for (const name of unique(use.tools))
    if (tools !== null && !tools.has(name))
      finder.error(
        "missing_tool",
        id,
        `The program of "${id}" calls the tool "${name}", which does not exist.`,
        "input",
      );
  for (const { data, path } of use.fields) if (data === "results") dependencyRead(plan, task, path, "input", finder);
}

/** Only the results of a task's dependencies exist, and only the fields of their signatures. */
function dependencyRead(plan: Plan, task: PlanTask, path: readonly string[], field: string, finder: Finder): void {
  const [other = "", ...fields] = path;
  if (!task.depends_on.includes(other)) {
    const message = `The program of "${task.id}" reads the result of "${other}", on which the task does not depend.`;
    finder.error("unknown_result", task.id, message, field);
    return;
  }
  const source = tasksById(plan).get(other);
  const missing = source === undefined ? null : missingField(outputType(source), fields.map(wired));
  if (missing !== null) {
    const message = `The program of "${task.id}" reads ${missing} of "${other}", which has no such field: ${source?.signature}.`;
    finder.error("unknown_result_field", task.id, message, field);
  }
}

const wired = (key: string): string => key.replaceAll("-", "_");
const unique = (names: readonly string[]): string[] => [...new Set(names)];
