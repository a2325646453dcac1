import { randomUUID } from "node:crypto";
import type { Client, WorkflowHandle } from "@temporalio/client";
import { defined } from "../core/base/defined";
import { newBareId, type ProjectName, planWorkflowId } from "../core/base/ids";
import { checkedId } from "../core/base/input/id-rule";
import { startableProject } from "../core/base/input/project";
import type { Json } from "../core/base/json";
import * as messages from "../workflows/messages";
import type { planRun } from "../workflows/plan/plan-run";
import type { EventsAnswer, PlanRunInput, PlanRunResult, PlanStatus, ShownEvent } from "../workflows/plan-run-input";
import { isFailedPlan } from "../workflows/start/kept-result";
import { type PlanToRun, planInput } from "../workflows/start/plan-input";
import type { WorkShare } from "../workflows/start/priority";
import { checkOptions, checkSize } from "../workflows/start/sendable";
import { startOfPlan } from "../workflows/start/work-start";
import { askQuery } from "./ask-query";
import { ask } from "./errors";
import { endedResult, ReviewedHandle } from "./handles";
import { startOnce } from "./start-once";

export type { EventsAnswer, PlanRunResult, PlanStatus, ShownEvent } from "../workflows/plan-run-input";

/** A plan to start: a plan that is written already, or a mission that the planner makes one for. */
export interface StartPlan extends PlanToRun, WorkShare {
  /** Run id; the workflow id is `plan/<id>`. */
  id?: string;
  /** As for a run: a second start that asks for something else is refused with `id_in_use`, unless this is true. */
  join?: boolean;
  /**
   * Gets every event of the plan in this process, each once and in order (plan reference, section 6). `result()` waits
   * until it has had the last one. An error that it throws ends the listening and is thrown by `result()`.
   */
  on_event?: (event: ShownEvent) => void;
}

/** Starts plans. Mistakes in a plan are reported before anything is started. */
export class PlanStarter {
  constructor(private readonly client: { temporal: Client; taskQueue: string; project: ProjectName }) {}

  /** @throws NavigatorError invalid_id, id_in_use, invalid_plan, invalid_input, invalid_plan_format, invalid_input, payload_too_large */
  async start({ id = randomUUID(), on_event, join, priority, fairness, ...wanted }: StartPlan): Promise<PlanHandle> {
    const bare = checkedId("a plan", newBareId("plan", id, this.client.project));
    checkOptions("the plan", wanted.plan ?? null);
    checkOptions("the options", wanted.options ?? null);
    const handle = await this.begin(bare, planInput(wanted), join, defined({ priority, fairness }));
    if (on_event !== undefined) handle.listen(on_event);
    return handle;
  }

  /** The same with what was read and checked already. */
  async begin(id: string, input: PlanRunInput, join?: boolean, share: WorkShare = {}): Promise<PlanHandle> {
    checkSize("the input", input);
    const { temporal, taskQueue, project } = this.client;
    startableProject(project);
    const start = startOfPlan(id, project, input, share);
    await startOnce<typeof planRun>(temporal, "planRun", { ...start, taskQueue, join });
    return this.handle(id);
  }

  handle(id: string): PlanHandle {
    return new PlanHandle(
      id,
      this.client.temporal.workflow.getHandle<typeof planRun>(planWorkflowId(id, this.client.project)),
    );
  }
}

/** One plan: its state, results and events. Errors are `NavigatorError`. */
export class PlanHandle extends ReviewedHandle {
  private readonly run: WorkflowHandle<typeof planRun>;
  /** What came of the listener: the error that ended it, if there was one. */
  private listening: Promise<{ error?: unknown }> = Promise.resolve({});

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
    const { error } = await this.listening;
    if (error !== undefined) throw error;
    return result;
  }
  /** Passes every event of the plan to a listener, from the first one on, until it ends. */
  listen(on_event: (event: ShownEvent) => void): void {
    const deliver = async () => {
      for await (const event of this.follow()) on_event(event);
      return {};
    };
    this.listening = deliver().catch((error: unknown) => ({ error }));
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
  async *follow(offset = 0, every_ms = 250): AsyncGenerator<ShownEvent> {
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
}
