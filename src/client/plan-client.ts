import { randomUUID } from "node:crypto";
import type { Client, WorkflowHandle } from "@temporalio/client";
import { defined } from "../core/base/defined";
import { newBareId, type ProjectName, planWorkflowId } from "../core/base/ids";
import { checkedId } from "../core/base/input/id-rule";
import { startableProject } from "../core/base/input/project";
import { isObject } from "../core/base/is-object";
import type { Json } from "../core/base/json";
import { NavigatorError, valueOrThrow } from "../core/base/navigator-error";
import { RUN_FORMAT } from "../core/base/run-format";
import type { PlanFinding } from "../core/plan/check/finding";
import { lostResults } from "../core/plan/check/lost-results";
import { type PlanOptions, type PlanOptionsInput, parsePlanOptions } from "../core/plan/definition/options";
import { parsePlan } from "../core/plan/definition/parse";
import { peopleIssues } from "../core/plan/definition/people-issues";
import type { Plan, PlanIssue } from "../core/plan/definition/plan";
import { validatePlan } from "../core/plan/definition/validate";
import * as messages from "../workflows/messages";
import type { planRun } from "../workflows/plan/plan-run";
import type { EventsAnswer, PlanRunInput, PlanRunResult, PlanStatus, ToldEvent } from "../workflows/plan-run-input";
import { planAttributes } from "../workflows/search-attributes";
import { askQuery } from "./ask-query";
import { ask } from "./errors";
import { endedResult, ReviewedHandle } from "./handles";
import { planIntent } from "./intent";
import { checkOptions, checkSize } from "./sendable";
import { startOnce } from "./start-once";

export type { EventsAnswer, PlanRunResult, PlanStatus, ToldEvent } from "../workflows/plan-run-input";

/** A plan to start: a plan that is written already, or a mission that the planner makes one for. */
export interface StartPlan {
  /** Run id; the workflow id is `plan/<id>`. */
  id?: string;
  /** As for a run: a second start that asks for something else is refused with `id_in_use`, unless this is true. */
  join?: boolean;
  /** Anything that `parsePlan` reads; absent = the planner makes one for the mission. */
  plan?: unknown;
  mission?: string;
  /** With repairs where it fails (PlanExecutor); default: only for a mission without a plan. */
  executor?: boolean;
  /** As in the plan reference, sections 2 and 5.1. */
  options?: PlanOptionsInput;
  /** Who asks for it: that principal decides none of its reviews, unless their terms say so. */
  requested_by?: string;
  /**
   * Gets every event of the plan in this process, each once and in order (plan reference, section 6). `result()` waits
   * until it has had the last one. An error that it throws ends the listening and is thrown by `result()`.
   */
  on_event?: (event: ToldEvent) => void;
}

/** Starts plans. Mistakes in a plan are reported before anything is started. */
export class PlanStarter {
  constructor(private readonly client: { temporal: Client; taskQueue: string; project: ProjectName }) {}

  /** @throws NavigatorError invalid_id, id_in_use, invalid_plan, invalid_options, invalid_plan_format, mission_required, payload_too_large */
  async start({ id = randomUUID(), on_event, join, ...wanted }: StartPlan): Promise<PlanHandle> {
    const bare = checkedId("a plan", newBareId("plan", id, this.client.project));
    checkOptions("the plan", wanted.plan ?? null);
    checkOptions("the options", wanted.options ?? null);
    const handle = await this.begin(bare, planInput(wanted), join);
    if (on_event !== undefined) handle.listen(on_event);
    return handle;
  }

  /** The same with what was read and checked already. */
  async begin(id: string, input: PlanRunInput, join?: boolean): Promise<PlanHandle> {
    checkSize("the input", input);
    const { temporal, taskQueue, project } = this.client;
    startableProject(project);
    await startOnce<typeof planRun>(temporal, "planRun", {
      workflowId: planWorkflowId(id, project),
      taskQueue,
      args: [{ ...input, format: RUN_FORMAT }],
      typedSearchAttributes: planAttributes(),
      staticSummary: `plan ${id}`,
      staticDetails: input.mission ?? "",
      named: { what: "plan", id },
      intent: planIntent(input),
      join,
    });
    return this.handle(id);
  }

  handle(id: string): PlanHandle {
    return new PlanHandle(
      id,
      this.client.temporal.workflow.getHandle<typeof planRun>(planWorkflowId(id, this.client.project)),
    );
  }
}

/** Input of the workflow, all of it checked. @throws NavigatorError as `start` */
export function planInput({
  plan: raw,
  mission,
  executor,
  options: given,
  requested_by,
}: {
  [part in "plan" | "mission" | "executor" | "options" | "requested_by"]?: StartPlan[part] | undefined;
}): PlanRunInput {
  const options = valueOrThrow(parsePlanOptions({ ...defined({ mission }), ...given }));
  const plan = raw === undefined ? null : readPlan(raw, options);
  if (plan === null) refuseIssues(peopleIssues(null, options));
  if (plan === null && options.mission === null)
    throw new NavigatorError("mission_required", "There is neither a plan nor a mission to plan for.");
  return { plan, mission: options.mission, executor: executor ?? plan === null, options, ...asker(requested_by) };
}

/** @throws NavigatorError `invalid_options` for nobody */
function asker(requested_by: string | undefined): Pick<PlanRunInput, "requested_by"> {
  if (requested_by === undefined) return {};
  if (typeof requested_by === "string" && requested_by.trim() !== "") return { requested_by };
  throw new NavigatorError("invalid_options", "requested_by must be a non-empty text: who asks for the plan.");
}

function readPlan(raw: unknown, options: PlanOptions): Plan {
  const parsed = valueOrThrow(parsePlan(raw));
  const { plan } = parsed;
  const invalid = validatePlan(plan, options).filter(({ severity }) => severity === "error");
  refuseIssues(invalid.length > 0 ? invalid : lostResults(parsed));
  return plan;
}

function refuseIssues(issues: readonly (PlanIssue | PlanFinding)[]): void {
  if (issues.length === 0) return;
  throw new NavigatorError("invalid_plan", issues.map(({ message }) => message).join(" "), {
    details: { issues: issues.map((issue) => ({ ...issue })) },
  });
}

const isFailedPlan = (result: unknown): result is PlanRunResult =>
  isObject(result) && result.status === "error" && Array.isArray(result.task_results);

/** One plan: its state, results and events. Errors are `NavigatorError`. */
export class PlanHandle extends ReviewedHandle {
  private readonly run: WorkflowHandle<typeof planRun>;
  /** What came of the listener: the error that ended it, if there was one. */
  private heard: Promise<{ error?: unknown }> = Promise.resolve({});

  constructor(id: string, run: WorkflowHandle<typeof planRun>) {
    super(id, run as never);
    this.run = run;
  }

  /**
   * Waits until the plan is over, and until its listener had every event. Gives the plan's result. A failed plan fails
   * its workflow, and its result is given all the same.
   */
  async result(): Promise<PlanRunResult> {
    const result = await endedResult(this.run, isFailedPlan);
    const { error } = await this.heard;
    if (error !== undefined) throw error;
    return result;
  }
  /** Tells a listener every event of the plan, from the first one on, until it ends. */
  listen(on_event: (event: ToldEvent) => void): void {
    const told = async () => {
      for await (const event of this.follow()) on_event(event);
      return {};
    };
    this.heard = told().catch((error: unknown) => ({ error }));
  }
  /** How the plan and each of its tasks stand. */
  status(): Promise<PlanStatus> {
    return askQuery(this.run, messages.planStatusQuery);
  }
  /** Task id -> value, for tasks that have given one. */
  results(): Promise<{ [task_id: string]: Json }> {
    return askQuery(this.run, messages.planResultsQuery);
  }
  /** The events from an offset on. Ask again with `next`. */
  events(offset = 0): Promise<EventsAnswer> {
    return askQuery(this.run, messages.planEventsQuery, offset);
  }
  /**
   * Every event from an offset on, each once, until the plan ends, also across restarts of workers and of this process.
   */
  async *follow(offset = 0, every_ms = 250): AsyncGenerator<ToldEvent> {
    for (let next = offset; ; ) {
      // Asked before the events, so that the events include everything up to then.
      const over = (await this.ended()) !== null;
      const answer = await this.events(next);
      yield* answer.events;
      next = answer.next;
      if (over) return;
      await new Promise((resolve) => setTimeout(resolve, every_ms));
    }
  }
  /** How its workflow ended, as in `completed`, `cancelled` or `terminated`; null while it runs. */
  async ended(): Promise<string | null> {
    const { status } = await ask(() => this.run.describe());
    return status.name === "RUNNING" ? null : status.name.toLowerCase();
  }
  /** Asks the workflow to cancel. Running tasks are cancelled with it. */
  async cancel(): Promise<void> {
    await ask(() => this.run.cancel());
  }
}
