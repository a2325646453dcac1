import { z } from "zod";
import { ok, type Result } from "../../base/failure";
import { readOnce } from "../../base/input/same-input";
import {
  fieldMistakes,
  formatFields,
  type InputMistake,
  invalidWorkflowInput,
  mistakesOf,
  readableInput,
} from "../../base/input/wrong-input";
import { onFirstUse } from "../../base/on-first-use";
import { type PlanOptions, parsePlanOptions } from "./options";
import { parsePlan } from "./parse";
import { peopleIssues } from "./people-issues";
import type { Plan, PlanIssue } from "./plan";
import { validatePlan } from "./validate";

/** What a plan's workflow is started with, complete. */
export interface ReadPlanInput {
  plan: Plan | null;
  mission: string | null;
  executor: boolean;
  options: PlanOptions;
  requested_by?: string;
}

const PlanFields = onFirstUse(() =>
  z.strictObject({
    ...formatFields(),
    plan: z.unknown().optional(),
    mission: z.string("must be a text").nullable().optional(),
    executor: z.boolean("must be true or false").optional(),
    options: z.unknown().optional(),
    requested_by: z.string("must be a text").min(1, "must be a non-empty text").optional(),
  }),
);

/**
 * Reads the input of a plan that any client may have sent (`invalid_input`, every mistake in `details.issues`): a plan as
 * `parsePlan` reads it, or a mission to plan for, and options.
 *
 * @param knownFields false: fields that are not known here are passed over, since a newer client may have sent them
 */
export function readPlanInput(given: unknown, knownFields: boolean): Result<ReadPlanInput> {
  const readable = readableInput("planRun", given, "plan, mission and options");
  if (!readable.ok) return readable;
  const raw = readable.value;
  const mission = typeof raw.mission === "string" ? { mission: raw.mission } : {};
  const written = isPlain(raw.options) ? { ...mission, ...raw.options } : raw.options;
  const options = parsePlanOptions(written);
  const plan = readPlan(raw.plan ?? null);
  const issues = [
    ...plan.unread,
    // Navigator's client has refused such a plan, or left it to the executor and the runner (plan reference, section 5.1).
    ...(raw.format === undefined ? plan.mistakes : []),
    ...(raw.format === undefined && options.ok && plan.mistakes.length === 0
      ? mistakesIn(peopleIssues(plan.plan, options.value))
      : []),
    ...mistakesOf("options", options),
    ...fieldMistakes(PlanFields(), raw, knownFields),
  ];
  if (options.ok && issues.length === 0 && raw.plan == null && options.value.mission === null)
    issues.push({ path: "mission", message: "is missing: give a plan, or a mission to plan for" });
  if (!options.ok || issues.length > 0) return invalidWorkflowInput("planRun", issues);
  const { executor = plan.plan === null } = raw as { executor?: boolean };
  return ok({
    ...(raw as object),
    plan: plan.plan,
    mission: options.value.mission,
    executor,
    options: options.value,
  });
}

const isPlain = (value: unknown): value is object | undefined | null =>
  value === undefined || value === null || (typeof value === "object" && !Array.isArray(value));

/** A plan, why it cannot be read, and the mistakes in one that can. */
interface ReadPlan {
  plan: Plan | null;
  unread: InputMistake[];
  mistakes: InputMistake[];
}

const readPlan = readOnce((raw): ReadPlan => {
  if (raw === null) return { plan: null, unread: [], mistakes: [] };
  const parsed = parsePlan(raw);
  if (!parsed.ok) return { plan: null, unread: mistakesOf("plan", parsed), mistakes: [] };
  const { plan } = parsed.value;
  const errors = validatePlan(plan).filter(({ severity }) => severity === "error");
  return { plan, unread: [], mistakes: mistakesIn(errors) };
});

const mistakesIn = (issues: readonly PlanIssue[]): InputMistake[] =>
  issues.map(({ task_id, message }) => ({
    path: task_id === null ? "plan" : `plan.tasks.${task_id}`,
    message: `is wrong: ${message}`,
  }));
