import { decodePayloads, type HistoryEvent } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import type { BatchAnswer } from "../../calls/batch";
import type { CallInStretch } from "../../journal/stretch";
import {
  activityNameOf,
  ENDS_OF_ACTIVITIES,
  innerEnded,
  innerScheduled,
  innerStarted,
  keptInHeartbeat,
  payloadsIn,
} from "./told-calls";

/** What a history has of the calls that a batch has made (engine reference, section 17). */

/** The name of its activity. */
export const BATCH_ACTIVITY = "callTools";

/**
 * The events of a history with the calls that were made in batches: behind the event that asks for a batch, and before the one
 * that ends it, stands for each call what an activity of its own would have left. So whoever reads calls reads those, too.
 */
export function withBatches(events: HistoryEvent[]): HistoryEvent[] {
  const open = new Map<string, ToldBatch>();
  return events.flatMap((event) => {
    if (event.type === "ActivityTaskScheduled" && activityNameOf(event) === BATCH_ACTIVITY) {
      const batch = new ToldBatch(event);
      open.set(String(event.id), batch);
      return [event, ...batch.begun()];
    }
    if (event.type === "WorkflowExecutionTerminated")
      return before(
        event,
        [...open.values()].flatMap((batch) => batch.keptAt(event)),
      );
    const id = String(event.attributes.scheduledEventId);
    const batch = open.get(id);
    if (batch === undefined || !ENDS_OF_ACTIVITIES.includes(event.type)) return [event];
    open.delete(id);
    return before(event, batch.endedAt(event));
  });
}

/** The batch that an event asks for. */
class ToldBatch {
  private readonly calls: CallInStretch[];

  constructor(private readonly scheduled: HistoryEvent) {
    const input = decodePayloads(scheduled.attributes.input);
    this.calls = isObject(input) && Array.isArray(input.calls) ? (input.calls as unknown as CallInStretch[]) : [];
  }

  begun(): HistoryEvent[] {
    const { at } = this.scheduled;
    return this.calls.map((call, index) => innerScheduled(this.scheduled, call, index + 1, { id: this.id(index), at }));
  }

  /** What it gave at its end, or had kept when it was lost for good. A call without an answer is made by itself, or not at all. */
  endedAt(event: HistoryEvent): HistoryEvent[] {
    const given =
      event.type === "ActivityTaskCompleted" ? decodePayloads(event.attributes.result) : keptInHeartbeat(event);
    const answers = answersIn(given);
    return this.calls.flatMap((_, index) => {
      const answer = answers.get(index + 1);
      return answer === undefined ? [innerEnded(this.id(index), undefined, event)] : this.answered(answer);
    });
  }

  /** What it had kept when its workflow was terminated. */
  keptAt({ attributes }: HistoryEvent): HistoryEvent[] {
    const kept = payloadsIn(attributes.details).find(
      (value) => isObject(value) && value.activity === this.scheduled.attributes.activityId,
    );
    return [...answersIn(kept).values()].flatMap((answer) => this.answered(answer));
  }

  private answered({ n, began, at, answer, attempts = 1 }: BatchAnswer): HistoryEvent[] {
    const id = this.id(n - 1);
    return [innerStarted(id, { id: 0, at: began }, attempts), innerEnded(id, answer, { id: 0, at })];
  }

  /** Right behind the event that asks for the batch: ids are in the order of the events. */
  private id(index: number): number {
    return this.scheduled.id + (index + 1) / (2 * this.calls.length + 2);
  }
}

/** Events that stand right before another one, with ids in their order. */
function before(event: HistoryEvent, events: HistoryEvent[]): HistoryEvent[] {
  const placed = events.map((one, index) => ({
    ...one,
    id: event.id - (events.length - index) / (2 * events.length + 2),
  }));
  return [...placed, event];
}

/** The answers by the places of their calls. */
function answersIn(value: Json | undefined): ReadonlyMap<number, BatchAnswer> {
  const answers = isObject(value) && Array.isArray(value.answers) ? (value.answers as unknown as BatchAnswer[]) : [];
  return new Map(answers.map((answer) => [answer.n, answer]));
}
