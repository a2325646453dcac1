import { periodOf } from "../../../src/core/base/once-per";

test.each([
  ["day", "2026-11-21"],
  ["hour", "2026-11-21T02"],
  ["minute", "2026-11-21T02:30"],
] as const)("all times of one %s have the name %s", (period, name) => {
  expect(periodOf("2026-11-21T02:30:00.000Z", period)).toBe(name);
  expect(periodOf("2026-11-21T02:30:59.999Z", period)).toBe(name);
});
