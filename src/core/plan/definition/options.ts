import { z } from "zod";
import type { AgentTool } from "../../agent/definition/definition";
import { parseAgent } from "../../agent/definition/parse-agent";
import { failed, ok, type Result } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { TOO_DEEP, tooDeepAt } from "../../base/json/json-problem";
import { onFirstUse } from "../../base/on-first-use";
import { PeopleTerms } from "../../review/policy/terms";
import { describedTools } from "./available-tools";

const words = onFirstUse(() => {
  const text = z.string("must be a text");
  const word = text.min(1, "must be a non-empty text");
  return {
    text,
    word,
    model: z.union([word, z.array(word).min(1)], "must be a model's name, or a list of them"),
    positive: z.int("must be a positive integer").positive("must be a positive integer"),
    countFrom0: z.int("must be an integer, 0 or more").min(0, "must be an integer, 0 or more"),
    flag: z.boolean("must be true or false"),
  };
});

/** The options of a plan (plan reference, sections 2 and 5.1). Times in ms. */
export const PlanOptionsFile = onFirstUse(() =>
  z.strictObject(
    { ...agentOptions(), ...taskOptions(), ...replanOptions(), ...journalOptions() },
    "must be a map of options",
  ),
);

/** Its agents, their tools and their programs. */
function agentOptions() {
  const { model, positive, text, word } = words();
  return {
    /** The model of all agents; several are tried in order. Plans whose tasks are all direct need none. */
    llm: model.nullable().default(null),
    llm_registry: z.record(z.string(), word, "must be a map of name to model").optional(),
    /** Tools by name, or a list, in any form that an agent's `tools` may have. */
    base_tools: z.unknown().default({}),
    /** Name -> `Description. Input: {a: type}. Output: {b: type}`. */
    available_tools: z.record(z.string(), text, "must be a map of tool name to description").default({}),
    /** For one program; values above 25000 count as 25000, the maximum for a program. */
    timeout: positive.default(30_000),
    /** null = as long as `timeout`. */
    pmap_timeout: positive.nullable().default(null),
    pmap_max_concurrency: positive.max(500, "must be at most 500").nullable().default(null),
    max_turns: positive.default(5),
  };
}

/** The options of its tasks, and the decisions and results that are known before. */
function taskOptions() {
  const { flag, model, positive, word } = words();
  const values = z.record(z.string(), z.json(), "must be a map of task id to value");
  return {
    /** Tasks of a phase that run at once. */
    max_concurrency: positive.default(10),
    /** Task id -> decision. */
    reviews: values.default({}),
    /** Task id -> value: these tasks are not run. */
    initial_results: values.default({}),
    builtin_tools: z.array(word, "must be a list of families, as in [grep]").default([]),
    quality_gate: flag.default(false),
    /** null = as `llm`. */
    quality_gate_llm: model.nullable().default(null),
  };
}

/** How a plan is made again after a failure. */
function replanOptions() {
  const { countFrom0, flag, positive, text } = words();
  return {
    /** The mission of the plan: quality gates and repairs see it. */
    mission: text.nullable().default(null),
    /** 0 = a failure ends the execution. */
    max_total_replans: countFrom0.default(5),
    /** For one task id. */
    max_replan_attempts: countFrom0.default(3),
    replan_cooldown_ms: countFrom0.default(1000),
    /** Rules for the planner, as text. */
    constraints: text.nullable().default(null),
    /**
     * Plans that a model made must pass everything that `plan check` calls an error; false = only the necessary
     * checks.
     */
    check_plans: flag.default(true),
    /** How long the planner may take for one plan. */
    planner_timeout: positive.default(30_000),
  };
}

function journalOptions() {
  return {
    /** Task id -> journal of its agent; null = agents have none. */
    journal: z
      .record(z.string(), z.record(z.string(), z.json()), "must be a map of task id to its journal")
      .nullable()
      .default(null),
    /** The people who decide the reviews of the plan, and by when: the plan's own terms come first. */
    people: PeopleTerms().optional(),
    /** The treatment of a review without a decision: the plan waits for it, or ends and reports the open review. */
    on_review: z.enum(["wait", "return"], "must be wait or return").default("wait"),
  };
}

type Read = z.output<ReturnType<typeof PlanOptionsFile>>;

/** The options of a plan as callers write them; everything is optional (plan reference, sections 2 and 5.1). */
export type PlanOptionsInput = z.input<ReturnType<typeof PlanOptionsFile>>;

/**
 * The options of a plan, checked and with defaults (plan reference, sections 2 and 5.1). Times in ms. Plain data: it
 * travels in workflow input.
 */
export interface PlanOptions
  extends Omit<Read, "base_tools" | "reviews" | "initial_results" | "journal" | "llm_registry"> {
  /** Tools with complete specs. */
  base_tools: AgentTool[];
  reviews: JsonObject;
  initial_results: JsonObject;
  journal: { [task_id: string]: JsonObject } | null;
  llm_registry?: { [name: string]: string };
}

/** Parses options; reason `invalid_input`, every mistake in `details.issues` as {path, message}. */
export function parsePlanOptions(raw: unknown): Result<PlanOptions> {
  const deep = isObject(raw) ? DATA.filter((path) => tooDeepAt(raw[path]) !== undefined) : [];
  if (deep.length > 0) return refused(deep.map((path) => ({ path, message: TOO_DEEP })));
  const parsed = PlanOptionsFile().safeParse(raw ?? {});
  const issues = parsed.success ? [] : parsed.error.issues.flatMap(optionIssues);
  if (!parsed.success) return refused(issues);
  // An agent's tools have many notations: the parser of agents knows them all.
  const toolAgent = parseAgent({ prompt: "carries the tools", tools: parsed.data.base_tools });
  if (!toolAgent.ok) {
    const inner = (toolAgent.fail.details?.issues ?? []) as { path: string; message: string }[];
    return refused(inner.map(({ path, message }) => ({ path: path.replace(/^tools/, "base_tools"), message })));
  }
  const { llm_registry = {}, ...options } = parsed.data;
  return ok({
    ...options,
    llm_registry,
    base_tools: describedTools(toolAgent.value.tools, options.available_tools),
    reviews: options.reviews as JsonObject,
    initial_results: options.initial_results as JsonObject,
    journal: options.journal as PlanOptions["journal"],
  });
}

/** Options with values of any form. */
const DATA = ["initial_results", "reviews", "journal"];

function optionIssues(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const place = (key?: string) => [...issue.path, ...(key === undefined ? [] : [key])].join(".");
  if (issue.code !== "unrecognized_keys") return [{ path: place(), message: issue.message }];
  const known = Object.keys(PlanOptionsFile().shape).join(", ");
  return issue.keys.map((key) => ({ path: place(key), message: `unknown option; there are ${known}` }));
}

function refused(issues: { path: string; message: string }[]): Result<never> {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return failed("invalid_input", `The options have mistakes: ${list.join("; ")}`, {
    path: issues[0]?.path ?? "",
    issues,
  });
}
