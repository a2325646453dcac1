import { PROGRAMS } from "./material/settings";

test("a whole check tries at least 100,000 generated programs", () => {
  expect(Object.values(PROGRAMS).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(100_000);
});
