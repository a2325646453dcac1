import { type Growth, growthFaults, measureGrowth } from "../../prove/history/growth";

const payload = (text: string) => ({ data: Buffer.from(JSON.stringify(text)).toString("base64") });
const history = (...texts: string[]) => ({
  events: texts.map((text, index) => ({
    eventId: String(index + 1),
    eventType: "EVENT_TYPE_MARKER_RECORDED",
    eventTime: "2026-01-01T00:00:00Z",
    markerRecordedEventAttributes: { details: { said: { payloads: [payload(text)] } } },
  })),
});

test("copies are counted in each run, bytes and events in all of them", () => {
  const marks = ["mark-0-5;", "mark-1-6;", "mark-2-7;"];
  const runs = [history("mark-0-5; and mark-1-6;", "mark-0-5;"), history("mark-1-6; mark-1-6; mark-1-6;")];
  expect(measureGrowth(runs, marks)).toMatchObject({ runs: 2, events: 3, copies: [2, 3, 0] });
});

const growth = (more: Partial<Growth>): Growth => ({ runs: 1, events: 10, bytes: 1_000, copies: [2, 3], ...more });

test.each([
  { growth: growth({}), newText: 1_000, repeats: false, faults: [] },
  { growth: growth({ copies: [2, 31] }), newText: 1_000, repeats: false, faults: ["text 1 of 2 is 31 times"] },
  { growth: growth({ copies: [2, 31] }), newText: 1_000, repeats: true, faults: [] },
  { growth: growth({ bytes: 13_001 }), newText: 1_000, repeats: false, faults: ["13001 bytes for 1000 bytes"] },
  { growth: growth({ bytes: 13_000 }), newText: 1_000, repeats: false, faults: [] },
])("$growth of $newText bytes of new text has the faults $faults", ({ growth, newText, repeats, faults }) => {
  expect(growthFaults(growth, newText, repeats)).toEqual(faults.map((text) => expect.stringContaining(text)));
});
