import { log } from "@temporalio/workflow";
import { happeningOf, type PlanEvent } from "../../core/plan/run/events";
import type { EventLogState, EventsAnswer, ReportedEvent, ShownEvent } from "../plan-run-input";

/** Older events are only in the history of the run, because kept events travel when a long run continues as new. */
const MAX_KEPT = 5_000;

/** The events of a plan, numbered from 0. A listener continues at its last number, also after a restart. */
export class EventLog {
  private readonly events: ShownEvent[];
  private next: number;

  constructor({ events, next }: EventLogState = { events: [], next: 0 }) {
    this.events = [...events];
    this.next = next;
  }

  get state(): EventLogState {
    return { events: [...this.events], next: this.next };
  }

  add(event: PlanEvent): void {
    const shown: ShownEvent = { ...shortened(event), number: this.next++, at: event.at, place: event.place };
    this.events.push(shown);
    if (this.events.length > MAX_KEPT) this.events.shift();
    log.info("plan_event", { ...shown });
  }

  from(offset: number): EventsAnswer {
    const events = this.events.filter(({ number }) => number >= offset);
    const first = this.events[0]?.number ?? this.next;
    return { events, next: this.next, dropped: Math.max(0, first - Math.max(0, offset)) };
  }
}

function shortened(event: PlanEvent): ReportedEvent {
  const happening = happeningOf(event);
  if (happening.type !== "task_step") return happening;
  const { task_id, step } = happening;
  return { type: "task_step", task_id, ok: step.fail === null, ...(step.fail === null ? {} : { fail: step.fail }) };
}
