import { activitiesUnderWay } from "../../../../src/core/history/trace/under-way";
import { type ExportedHistory, readRecorded } from "../../../support/recorded";

/** Which activities may have made calls that the history does not tell, from the beginning of a recorded history. */
const { events } = readRecorded("stretch-chain.json");
const typeOf = (type: string) => `EVENT_TYPE_${type}`;
const scheduled = events.findIndex(({ activityTaskScheduledEventAttributes: attributes }) =>
  JSON.stringify(attributes ?? null).includes("runStretch"),
);
const ending = (eventType: string, attributes: string) => ({ ...events.at(-1), eventType, [attributes]: {} });
const begun = events.slice(0, scheduled + 1);
const under = (...history: ExportedHistory["events"]) =>
  activitiesUnderWay({ workflow_id: "agent/a", runs: [{ events: history }], children: [] });

const OPEN = [{ run: "agent/a", what: expect.stringMatching(/model|stretch/), since: expect.any(Number) }];

test("one that is at work, and one of a run that was terminated, may have made calls", () => {
  expect(under(...begun)).toEqual(OPEN);
  const terminated = ending(typeOf("WORKFLOW_EXECUTION_TERMINATED"), "workflowExecutionTerminatedEventAttributes");
  expect(under(...begun, terminated as never)).toEqual(OPEN);
});

test("one that was lost may have made calls until the run has heard of it", () => {
  const eventId = String(begun.at(-1)?.eventId);
  const lost = {
    ...ending(typeOf("ACTIVITY_TASK_TIMED_OUT"), ""),
    eventId: String(Number(eventId) + 1),
    activityTaskTimedOutEventAttributes: { scheduledEventId: eventId },
  };
  expect(under(...begun, lost as never)).toEqual(OPEN);
  const heard = { ...ending(typeOf("WORKFLOW_TASK_COMPLETED"), ""), eventId: String(Number(eventId) + 4) };
  expect(under(...begun, lost as never, heard as never)).toEqual([]);
});

test("of a child it is told, whatever its parent does", () => {
  const below = { workflow_id: "agent/a/b", runs: [{ events: begun }], children: [] };
  const mission = { workflow_id: "agent/a", runs: [{ events }], children: [below] };
  expect(activitiesUnderWay(mission)).toMatchObject([{ run: "agent/a/b" }]);
});

test("one that has ended has told its calls, and so has a run that ended by itself", () => {
  expect(under(...events.slice(0, -1))).toEqual([]);
  expect(under(...events)).toEqual([]);
  const cancelled = ending(typeOf("WORKFLOW_EXECUTION_CANCELED"), "workflowExecutionCanceledEventAttributes");
  expect(under(...begun, cancelled as never)).toEqual([]);
});
