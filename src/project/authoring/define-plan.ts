import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import { lostResults } from "../../core/plan/check/lost-results";
import { parsePlan } from "../../core/plan/definition/parse";
import type { Plan, PlanTask } from "../../core/plan/definition/plan";
import { validatePlan } from "../../core/plan/definition/validate";

/**
 * Makes a plan (plan reference, sections 1 to 1.4), the same as a file gives. The compiler checks what stands in code:
 * a task depends on tasks that are there, has an agent of the plan, and reads in `{{results.ID}}` only what comes
 * before it.
 *
 *     definePlan({
 *       agents: { writer: { prompt: "Write." } },
 *       tasks: {
 *         total: { agent: "direct", input: "(+ 20 61)" },
 *         note: { agent: "writer", input: "Write that it costs {{results.total}}.", depends_on: ["total"] },
 *       },
 *     });
 *
 * What its tools and models can do is checked by `checkPlan` of `navigator-agents/plan`, whose `parsePlan` reads what
 * stands in a file.
 *
 * @throws NavigatorError, code `invalid_plan_format` for what is no plan, or `invalid_plan` with every mistake in
 *   `details.issues`
 */
export function definePlan<const Agents extends PlanAgents, const Tasks extends PlanTasks>(
  plan: PlanSource<Agents, Tasks>,
): Plan {
  const read = valueOrThrow(parsePlan(listed(plan)));
  const invalid = validatePlan(read.plan).filter(({ severity }) => severity === "error");
  const issues = invalid.length > 0 ? invalid : lostResults(read);
  if (issues.length === 0) return read.plan;
  throw new NavigatorError("invalid_plan", issues.map(({ message }) => message).join(" "), { details: { issues } });
}

/** With each task under its id, as files list them: a plan of a model may use other names. */
function listed(plan: unknown): unknown {
  if (!isObject(plan) || !isObject(plan.tasks)) return plan;
  const tasks = Object.entries(plan.tasks).map(([id, task]) => (isObject(task) ? { id, ...task } : task));
  return { ...plan, tasks };
}

/** The agents of a plan by their names: a prompt, or a prompt and tools. */
export interface PlanAgents {
  readonly [name: string]: string | { readonly prompt: string; readonly tools?: readonly string[] };
}

/** A task as code writes it: what is left out has its default. */
export interface PlanTaskSource extends Partial<Omit<PlanTask, "id" | "input" | "depends_on" | "people">> {
  readonly input?: Json;
  readonly depends_on?: readonly string[];
  readonly people?: Plan["people"];
}

/** Tasks by their ids, or a list of tasks with ids. */
export type PlanTasks =
  | { readonly [id: string]: PlanTaskSource }
  | readonly (PlanTaskSource & { readonly id: string })[];

type ById<Tasks> = Tasks extends readonly unknown[]
  ? { [Task in Tasks[number] as Task extends { readonly id: infer Id extends string } ? Id : never]: Task }
  : Tasks;

type CheckedTasks<Tasks, Agents> = Tasks extends readonly unknown[]
  ? {
      readonly [I in keyof Tasks]: Tasks[I] extends { readonly id: infer Id }
        ? Tasks[I] & CheckedTask<Id, ById<Tasks>, Agents>
        : never;
    }
  : { readonly [Id in keyof Tasks]: CheckedTask<Id, Tasks, Agents> };

/** A plan as code writes it. */
export interface PlanSource<Agents extends PlanAgents, Tasks extends PlanTasks> {
  readonly people?: Plan["people"];
  readonly agents?: Agents;
  readonly tasks: Tasks & CheckedTasks<Tasks, Agents>;
}

/** The agents that need no entry. */
type AnyAgentName<Agents> = Extract<keyof Agents, string> | "default" | "direct";

interface CheckedTask<Id, Tasks, Agents> {
  readonly agent?: AnyAgentName<Agents>;
  readonly depends_on?: readonly Extract<keyof Tasks, string>[];
  readonly input?: ReadsOnly<Id, Tasks>;
}

type DependenciesOf<Task> = Task extends { readonly depends_on: readonly (infer Id)[] } ? Id : never;

/** All tasks that have ended before this one begins. */
type Before<Id, Tasks, Seen = never> = Id extends keyof Tasks
  ? {
      [D in Extract<Exclude<DependenciesOf<Tasks[Id]>, Seen>, string>]: D | Before<D, Tasks, Seen | Id>;
    }[Extract<Exclude<DependenciesOf<Tasks[Id]>, Seen>, string>]
  : never;

/** The ids of the results that a text reads. */
type ResultsIn<Text> = Text extends `${string}{{results.${infer Name}}}${infer Rest}`
  ? (Name extends `${infer Id}.${string}` ? Id : Name) | ResultsIn<Rest>
  : never;

/** Any input, unless it reads a result that may not be there yet. */
type ReadsOnly<Id, Tasks> = Id extends keyof Tasks
  ? Tasks[Id] extends { readonly input: infer Input extends string }
    ? [Exclude<ResultsIn<Input>, Before<Id, Tasks>>] extends [never]
      ? Json
      : `add to depends_on: ${Exclude<ResultsIn<Input>, Before<Id, Tasks>>}`
    : Json
  : Json;
