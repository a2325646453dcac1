import { log } from "@temporalio/workflow";
import { happeningOf, type PlanEvent } from "../../core/plan/events";
import type { EventLogState, EventsAnswer, ToldEvent, ToldHappening } from "./input";

/** Older ones are left to the history of the run: what is kept travels when a long run continues as new. */
const MAX_KEPT = 5_000;

/** The events of a plan, numbered from 0 as they happened: whoever listens goes on where he was, also after a restart. */
export class EventLog {
  constructor(private s: EventLogState = { events: [], next: 0 }) {}

  get state(): EventLogState {
    return this.s;
  }

  add(event: PlanEvent): void {
    const told: ToldEvent = { ...shortened(event), number: this.s.next, at: event.at, place: event.place };
    const events = [...this.s.events, told];
    this.s = { events: events.length > MAX_KEPT ? events.slice(-MAX_KEPT) : events, next: this.s.next + 1 };
    log.info("plan_event", { ...told });
  }

  from(offset: number): EventsAnswer {
    const events = this.s.events.filter(({ number }) => number >= offset);
    const first = this.s.events[0]?.number ?? this.s.next;
    return { events, next: this.s.next, dropped: Math.max(0, first - Math.max(0, offset)) };
  }
}

function shortened(event: PlanEvent): ToldHappening {
  const happening = happeningOf(event);
  if (happening.type !== "task_step") return happening;
  const { task_id, step } = happening;
  return { type: "task_step", task_id, ok: step.fail === null, ...(step.fail === null ? {} : { fail: step.fail }) };
}
