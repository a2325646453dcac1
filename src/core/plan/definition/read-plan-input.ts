import { z } from "zod";
import { readOnce } from "../../base/input/same-input";
import {
  formatFields,
  type InputMistake,
  like,
  mistakesOf,
  text,
  workflowInput,
} from "../../base/input/workflow-input";
import { parsePlanOptions } from "./options";
import { parsePlan } from "./parse";
import { peopleIssues } from "./people-issues";
import type { Plan, PlanIssue } from "./plan";
import { validatePlan } from "./validate";

/** Reads the input of a plan: a plan as `parsePlan` reads it, or a mission to plan for, and options. */
export const readPlanInput = workflowInput(
  "planRun",
  "plan, mission and options",
  () => ({
    fields: {
      ...formatFields(),
      plan: z.unknown().optional(),
      mission: z.string("must be a text").nullable().optional(),
      executor: z.boolean("must be true or false").optional(),
      options: z.unknown().optional(),
      requested_by: text().optional(),
    },
    internal: { effects: like({ mission: "", lane: "" }), retry: like({ of: "" }) },
    continuedFields: {
      carried: like({
        ...{ "run?": {}, "execution?": { plan: {}, history: [], task_results: [] }, events: { events: [], next: 0 } },
        ...{ reviews: { reviews: [], count: 0 }, refused_signals: 0, "agents?": [], used: { own: {} }, "pause?": {} },
        ...{ effects: { effects: { rows: [] }, lent: [] }, "chain?": { seq: 0, head: "", at: 0 } },
      }),
    },
  }),
  (raw, take, _, mistakes) => {
    const mission = typeof raw.mission === "string" ? { mission: raw.mission } : {};
    const read = parsePlanOptions(isPlain(raw.options) ? { ...mission, ...raw.options } : raw.options);
    const { plan, unread, invalid } = readPlan(raw.plan ?? null);
    mistakes.push(...unread);
    // Navigator's client has refused such a plan, or left it to the executor and the runner (plan reference, section 5.1).
    if (raw.format === undefined)
      mistakes.push(...(invalid.length === 0 && read.ok ? mistakesIn(peopleIssues(plan, read.value)) : invalid));
    const options = take("options", read);
    if (read.ok && raw.plan == null && options.mission === null)
      mistakes.push({ path: "mission", message: "is missing: give a plan, or a mission to plan for" });
    return () => {
      const { executor = plan === null } = raw as { executor?: boolean };
      return { ...(raw as object), plan, mission: options.mission, executor, options };
    };
  },
);

const isPlain = (value: unknown): value is object | undefined | null =>
  value === undefined || value === null || (typeof value === "object" && !Array.isArray(value));

/** A plan, why it cannot be read, and the mistakes in one that can. */
interface ReadPlan {
  plan: Plan | null;
  unread: InputMistake[];
  invalid: InputMistake[];
}

const readPlan = readOnce((raw): ReadPlan => {
  if (raw === null) return { plan: null, unread: [], invalid: [] };
  const parsed = parsePlan(raw);
  if (!parsed.ok) return { plan: null, unread: mistakesOf("plan", parsed), invalid: [] };
  const { plan } = parsed.value;
  const errors = validatePlan(plan).filter(({ severity }) => severity === "error");
  return { plan, unread: [], invalid: mistakesIn(errors) };
});

const mistakesIn = (issues: readonly PlanIssue[]): InputMistake[] =>
  issues.map(({ task_id, message }) => ({
    path: task_id === null ? "plan" : `plan.tasks.${task_id}`,
    message: `is wrong: ${message}`,
  }));
