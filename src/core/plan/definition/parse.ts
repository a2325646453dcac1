import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import { readInput } from "../../base/input/invalid-input";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { TOO_DEEP, tooDeepAt } from "../../base/json/json-problem";
import { PeopleTerms, type ReviewTerms } from "../../review/policy/terms";
import { parseAgents } from "./parse-agents";
import { parsePlanTask, type TaskSource, type WrittenTask } from "./parse-task";
import type { Plan, PlanIssue, PlanTask } from "./plan";

/** A plan as read, and where in the document its author wrote each part. */
export interface ParsedPlan {
  plan: Plan;
  /** The parts that were left out. */
  warnings: PlanIssue[];
  /** Of each task, in order. */
  sources: TaskSource[];
  /** Agent -> its place in the document. */
  agent_paths: { [name: string]: string };
}

/**
 * Parses a plan as models write it (plan reference, section 1). Any object is a plan, even without tasks;
 * `validatePlan` finds its mistakes. Anything else is `invalid_plan_format`, and so are unusable `people`: otherwise
 * other people than the author named could decide.
 *
 * @param readsPeople false for the plan of a model, which does not choose who decides: its `people` are left out
 */
export function parsePlan(raw: unknown, readsPeople = true): Result<ParsedPlan> {
  if (!isObject(raw)) return failed("invalid_plan_format", "A plan is an object with tasks and agents.");
  const deep = tooDeepAt(raw);
  if (deep !== undefined) return failed("invalid_plan_format", `The plan cannot be read: ${TOO_DEEP}, at ${deep}`);
  const { agents, warnings, paths } = parseAgents(placeOf(raw, AGENT_PLACES));
  const written = namedByOthers(writtenTasks(raw));
  const read = written.map((entry, i) => parsePlanTask(entry, i + 1));
  const people = readsPeople ? readPeople(raw) : ok(undefined);
  if (!people.ok) return people;
  const tasks: PlanTask[] = [];
  for (const [i, { task, source }] of read.entries()) {
    const own = readsPeople ? readPeople(written[i]?.item ?? null, `${source.path}.`) : ok(undefined);
    if (!own.ok) return own;
    tasks.push({ ...task, ...defined({ people: own.value }) });
  }
  return ok({
    plan: { ...defined({ people: people.value }), agents, tasks },
    warnings,
    sources: read.map(({ source }) => source),
    agent_paths: paths,
  });
}

/** The terms of its reviews that a plan or a task states, if it does. */
function readPeople(raw: Json, place = ""): Result<ReviewTerms | undefined> {
  if (!isObject(raw) || raw.people === undefined || raw.people === null) return ok(undefined);
  const read = readInput(PeopleTerms(), raw.people, "invalid_plan_format", `${place}people`);
  return read.ok ? ok(read.value) : read;
}

const TASK_PLACES = [
  "tasks",
  "steps",
  "workflow",
  "phases",
  "plan.steps",
  "plan.tasks",
  "plan.workflow",
  "plan.phases",
];
const AGENT_PLACES = ["agents", "workers", "plan.agents"];

/** The value at the first existing place; null counts as nothing. */
function placeOf(raw: JsonObject, places: readonly string[]): { value: Json; path: string } {
  for (const path of places) {
    const value = path.split(".").reduce<Json | undefined>((at, key) => {
      return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }, raw);
    if (value !== undefined && value !== null) return { value, path };
  }
  return { value: null, path: "" };
}

/** All tasks in order; tasks inside phases have the dependencies of their phase. */
function writtenTasks(raw: JsonObject): WrittenTask[] {
  const { value, path } = placeOf(raw, TASK_PLACES);
  if (Array.isArray(value)) return value.flatMap((item, i) => writtenTask(item, `${path}[${i}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    writtenTask(item, `${path}.${key}`).map((entry) => (entry.phase_depends_on === null ? { ...entry, key } : entry)),
  );
}

function writtenTask(item: Json, path: string): WrittenTask[] {
  if (typeof item === "string") return [{ item, path, phase_depends_on: null }];
  if (!isObject(item)) return [];
  const inner = Object.hasOwn(item, "tasks") ? item.tasks : undefined;
  if (!Array.isArray(inner)) return [{ item, path, phase_depends_on: null }];
  const phase_depends_on = Object.hasOwn(item, "depends_on") ? (item.depends_on as Json) : [];
  return inner.flatMap((task, i): WrittenTask[] =>
    typeof task === "string" || isObject(task) ? [{ item: task, path: `${path}.tasks[${i}]`, phase_depends_on }] : [],
  );
}

/**
 * A task under a name, without an id, gets a numbered id. But if another task depends on it by that name, the name is
 * its id.
 */
function namedByOthers(entries: readonly WrittenTask[]): WrittenTask[] {
  const wanted = new Set<string>(entries.flatMap((entry, i) => parsePlanTask(entry, i + 1).task.depends_on));
  return entries.map((entry) => {
    const { item, key } = entry;
    if (key === undefined || !wanted.has(key) || !isObject(item)) return entry;
    const named = ["id", "step_id", "name"].some((field) => Object.hasOwn(item, field) && item[field] !== null);
    return named ? entry : { ...entry, item: { ...item, id: key } };
  });
}

/** The tasks by id; the first one of those that share an id. */
export const tasksById = (plan: Plan): ReadonlyMap<string, PlanTask> =>
  new Map([...plan.tasks].reverse().map((task) => [task.id, task]));
