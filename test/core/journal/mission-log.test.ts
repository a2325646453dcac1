import fc from "fast-check";
import type { Json } from "../../../src/core/base/json";
import { missionLogText, renderMissionLog, renderPeoplesLog } from "../../../src/core/journal/mission-log";
import { assertProperty } from "../../support/run/property";

/** The Mission Log's text (agent reference, section 10.2). */
test("one line for each record, in order of recording, below the heading", () => {
  const entries = [
    { id: "reserve_seat_17", value: "rsv_9" },
    { id: "approval_anna_250", value: true },
  ];
  expect(renderMissionLog(entries)).toBe(
    '## Mission Log (Completed Tasks)\n- [done] reserve_seat_17: "rsv_9"\n- [done] approval_anna_250: true',
  );
});

test("decisions and approvals show person and time; records of tasks and callers do not", () => {
  const at = Date.UTC(2026, 10, 21, 17, 3);
  const rows = [
    { id: "load_order_42", text: "1", at, by: "task" },
    { id: "charge_order_42", text: '"tx_1"', at, by: "task", note: "approved by ben: known customer" },
    { id: "earlier", text: "true", at, by: "given" },
    { id: "payment_confirmed", text: "true", at, by: "anna", note: "seen on\nthe account" },
    { id: "waited", text: "true", at, by: "timer" },
  ];
  expect(renderPeoplesLog(rows).split("\n").slice(1)).toEqual([
    "- [done] load_order_42: 1",
    '- [done] charge_order_42: "tx_1" (approved by ben: known customer, 2026-11-21T17:03:00.000Z)',
    "- [done] earlier: true",
    "- [done] payment_confirmed: true (anna: seen on\\nthe account, 2026-11-21T17:03:00.000Z)",
    "- [done] waited: true (timer, 2026-11-21T17:03:00.000Z)",
  ]);
});

test("an empty journal gives no log", () => expect(renderMissionLog([])).toBe(""));

test.each<[Json, string]>([
  ["tx_abc", '"tx_abc"'],
  [null, "nil"],
  [1.5, "1.5"],
  [{ status: "paid", n: 2 }, '{"n" 2 "status" "paid"}'],
  [{ a: 1, _secret: 2, in: [{ _secret: 3 }] }, '{"a" 1 "in" [{}]}'],
  [{ $kw: "done" }, ":done"],
  [{ $set: [1] }, "#{1}"],
  [Array.from({ length: 12 }, (_, i) => i), "[0 1 2 3 4 5 6 7 8 9 ...] (12 items, showing first 10)"],
])("%j is shown as %s", (value, text) => expect(missionLogText(value)).toBe(text));

test.each([
  { length: 198, cut: false },
  { length: 199, cut: true },
])("a text of $length characters is cut: $cut", ({ length, cut }) => {
  const text = missionLogText("x".repeat(length));
  expect(text).toBe(cut ? `"${"x".repeat(199)}...` : `"${"x".repeat(198)}"`);
});

test("a cut never leaves half a character", () => {
  const text = missionLogText("🙂".repeat(150));
  expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  expect([...text].length).toBeLessThanOrEqual(204);
});

test("line breaks in ids and values do not look like records", () => {
  const log = renderMissionLog([{ id: "a\n- [done] b", value: { $kw: "c\r\n- [done] d" } }]);
  expect(log.split("\n")).toHaveLength(2);
});

test("a value that is too deep to print is named, and the log is still rendered", () => {
  const deep = JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`) as Json;
  expect(missionLogText(deep)).toMatch(/^\(.*\)$/);
});

test("any JSON value has a line", () =>
  assertProperty(
    fc.property(fc.array(fc.tuple(fc.string(), fc.jsonValue({ maxDepth: 4 }))), (pairs) => {
      const log = renderMissionLog(pairs.map(([id, value]) => ({ id, value: value as Json })));
      expect(log === "" ? [] : log.split("\n").slice(1)).toHaveLength(pairs.length);
    }),
  ));
