import type { Plan } from "../../core/plan/definition/plan";
import type { PlanEvent } from "../../core/plan/run/events";
import type { PlanStatus, ShownEvent } from "../plan-run-input";

type TaskState = PlanStatus["tasks"][number]["state"];

/** The state of each task of the plan, from its events. */
export class Progress {
  private states = new Map<string, TaskState>();

  /** @param before the events before this run, if it continues another one */
  constructor(plan: Plan | null, before: readonly ShownEvent[]) {
    if (plan) this.plan(plan);
    for (const event of before) this.note(event);
  }

  /** The current plan. After a repair there may be other tasks. */
  plan({ tasks }: Plan): void {
    this.states = new Map(tasks.map(({ id }) => [id, this.states.get(id) ?? "pending"]));
  }

  note(event: ShownEvent | PlanEvent): void {
    switch (event.type) {
      case "task_started":
        return void this.states.set(event.task_id, "running");
      case "task_succeeded":
      case "task_skipped":
        return void this.states.set(event.task_id, "ok");
      case "task_failed":
        return void this.states.set(event.task_id, "failed");
      case "verification_failed":
        return void this.states.set(event.task_id, "failed");
    }
  }

  tasks(): PlanStatus["tasks"] {
    return [...this.states].map(([task_id, state]) => ({ task_id, state }));
  }
}
