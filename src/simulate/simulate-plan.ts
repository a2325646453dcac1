import { z } from "zod";
import { withTrace } from "../core/agent/result/step";
import { defined } from "../core/base/defined";
import { failed, ok, type Result } from "../core/base/failure";
import { isObject } from "../core/base/is-object";
import { Json, type JsonObject } from "../core/base/json";
import type { Price } from "../core/calls/host";
import { type PlanOptions, parsePlanOptions } from "../core/plan/definition/options";
import { parsePlan } from "../core/plan/definition/parse";
import type { Plan } from "../core/plan/definition/plan";
import { executePlan } from "../core/plan/executor";
import { makePlan } from "../core/plan/planner/planner";
import { happeningOf, inPlanOrder, type PlanEvent, type PlanHappening } from "../core/plan/run/events";
import type { PlanAgentRun } from "../core/plan/run/host";
import type { ExecutionResult, PlanResult } from "../core/plan/run/result";
import { runPlan } from "../core/plan/run/runner";
import { Script } from "../models/scripted";
import type { ScriptedDecision, SentCall } from "./memory-host";
import { MemoryPlanHost } from "./memory-plan-host";
import { type SentMessage, sentMessages } from "./simulate-agent";
import { makeStub, TOOL_STUB } from "./tool-stubs";

const DecisionInput = z.strictObject({
  choice: z.string(),
  by: z.string().default("somebody"),
  value: Json.optional(),
  note: z.string().optional(),
});

/**
 * One simulated plan (engine reference, section 11.5): a plan or a mission, and what models, tools and people answer.
 */
const PlanScenario = z.strictObject(
  {
    /** Absent: the planner makes one for the mission. */
    plan: z.unknown().optional(),
    mission: z.string("expected a text").optional(),
    options: z.record(z.string(), z.unknown(), "expected a map of options").default({}),
    /** With replanning, as the executor does it; a plan that is made for a mission is always executed so. */
    executor: z.boolean().default(false),
    /** A list of replies for each agent or task id, and `default`. */
    model: Script.default([]),
    /** An options map without base_tools gets all of these. */
    tools: z.record(z.string(), TOOL_STUB).default({}),
    /** Task id -> decision, given beforehand. */
    reviews: z.record(z.string(), Json).default({}),
    /** Task id -> the answers of people in the one inbox, each time that they are asked. */
    decisions: z.record(z.string(), z.array(DecisionInput)).default({}),
    prices: z.record(z.string(), z.strictObject({ input: z.number(), output: z.number() })).default({}),
    /** For people. */
    about: z.string().optional(),
    /** The parts that the answer must contain. */
    expect: z
      .record(z.string(), z.unknown(), "expected an object of the parts that the answer must contain")
      .optional(),
  },
  {
    error: (issue) =>
      issue.code === "invalid_type" ? "a scenario is an object {plan, options, model, ...}" : undefined,
  },
);

/** A scenario with its plan and options read (engine reference, section 11.5). */
export interface PlanScenario extends Omit<z.output<typeof PlanScenario>, "plan" | "options" | "reviews"> {
  plan: Plan | null;
  options: PlanOptions;
}

/** The result of a scenario, the same from both hosts. */
export type PlanSimulation = (PlanResult | (ExecutionResult & { results: JsonObject })) & {
  /** In the order that every run shares. */
  events: PlanHappening[];
  /** All that models were sent, run by run. */
  messages: RunMessage[];
};

export type RunMessage = SentMessage & { run: string };

/** Reads a scenario; reason `invalid_input`, every mistake in `details.issues` as {path, message}. */
export function parsePlanScenario(raw: unknown): Result<PlanScenario> {
  const parsed = PlanScenario.safeParse(raw);
  if (!parsed.success)
    return refusal(
      parsed.error.issues.map((issue) => ({
        path: issue.path.join("."),
        message:
          issue.code === "unrecognized_keys"
            ? `unknown field ${issue.keys.join(", ")}; a scenario has ${Object.keys(PlanScenario.shape).join(", ")}`
            : issue.message,
      })),
    );
  const { plan, reviews, ...scenario } = parsed.data;
  const issues: { path: string; message: string }[] = [];
  const options = parsePlanOptions(optionsOf(parsed.data));
  if (!options.ok) {
    const inner = (options.fail.details?.issues ?? []) as { path: string; message: string }[];
    issues.push(...inner.map(({ path, message }) => ({ path: path === "" ? "options" : `options.${path}`, message })));
  }
  const read = plan === undefined ? null : parsePlan(plan);
  if (read !== null && !read.ok) issues.push({ path: "plan", message: read.fail.message });
  if (read === null && scenario.mission === undefined)
    issues.push({ path: "", message: "a scenario has a plan, or a mission for the planner" });
  if (issues.length > 0 || !options.ok || read?.ok === false) return refusal(issues);
  return ok({ ...scenario, plan: read === null ? null : read.value.plan, options: options.value });
}

/** The parts that every simulation sets: the scripted model, the stubs as tools, and that nobody is waited for. */
function optionsOf({ options, tools, reviews, mission }: z.output<typeof PlanScenario>): object {
  const given = isObject(options.reviews) ? options.reviews : {};
  return {
    llm: "scripted",
    base_tools: Object.keys(tools),
    on_review: "return",
    ...defined({ mission }),
    ...options,
    reviews: { ...given, ...reviews },
  };
}

/** Runs a scenario to its end, in memory. Reason `invalid_plan` for a plan that has no order. */
export async function simulatePlan(scenario: PlanScenario): Promise<Result<PlanSimulation>> {
  const stubs = Object.entries(scenario.tools);
  const host = new MemoryPlanHost({
    model: scenario.model,
    tools: new Map(stubs.map(([name, stub]) => [name, makeStub(name, stub)])),
    tool_times: Object.fromEntries(stubs.map(([name, stub]) => [name, stub.delay_ms ?? 0])),
    prices: scenario.prices as { [model: string]: Price },
    decisions: scenario.decisions as { [task_id: string]: ScriptedDecision[] },
  });
  const result = await host.clock.during(resultOf(host, scenario));
  return result.ok ? ok(planAnswer(result.value, host.events, host.runs)) : result;
}

async function resultOf(
  host: MemoryPlanHost,
  { plan, executor, options }: PlanScenario,
): Promise<Result<PlanResult | ExecutionResult>> {
  const mission = options.mission ?? "";
  if (plan === null) {
    const made = await makePlan(host, mission, options);
    if (made.ok) return ok(await executePlan(host, made.value, mission, options));
    return ok({ status: "error", reason: made.fail, metadata: null, task_results: [] });
  }
  return executor ? ok(await executePlan(host, plan, mission, options)) : runPlan(host, plan, options);
}

/** The form in which a run of a plan is reported, on either host. */
export function planAnswer(
  result: PlanResult | ExecutionResult,
  events: readonly PlanEvent[],
  runs: readonly { run: Pick<PlanAgentRun, "id">; sent: readonly SentCall[] }[],
): PlanSimulation {
  const results = "metadata" in result ? { results: result.metadata?.results ?? {} } : {};
  return {
    ...result,
    ...results,
    events: inPlanOrder(events).map((event) => {
      const happening = happeningOf(event);
      return happening.type === "task_step" ? { ...happening, step: withTrace(happening.step) } : happening;
    }),
    messages: [...runs]
      .sort((a, b) => (a.run.id < b.run.id ? -1 : 1))
      .flatMap(({ run, sent }) => sentMessages(sent).map((message) => ({ run: run.id, ...message }))),
  } as PlanSimulation;
}

function refusal(issues: { path: string; message: string }[]): Result<never> {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return failed("invalid_input", `The scenario has mistakes: ${list.join("; ")}`, {
    path: issues[0]?.path ?? "",
    issues,
  });
}
