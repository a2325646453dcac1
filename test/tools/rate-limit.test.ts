import { RateLimits } from "../../src/tools";

/** Calls of a tool that come too early wait for their turn; time is the test's own. */
function limits() {
  let now = 0;
  const waits: number[] = [];
  const pace = new RateLimits(
    () => now,
    async (ms) => {
      waits.push(ms);
    },
  );
  const { signal } = new AbortController();
  return {
    waits,
    at: (ms: number) => {
      now = ms;
    },
    turn: (tool: string, limit?: { max: number; per_ms: number }) => pace.turn(tool, limit, signal),
  };
}

const TWO = { max: 2, per_ms: 100 };

test("the limit holds in every interval, in the order of requests", async () => {
  const { waits, at, turn } = limits();
  await Promise.all([1, 2, 3, 4, 5].map(() => turn("a", TWO)));
  expect(waits).toEqual([100, 100, 200]);
  at(350);
  await turn("a", TWO);
  expect(waits).toHaveLength(3);
});

test("each tool has its own limit, and most have none", async () => {
  const { waits, turn } = limits();
  await Promise.all(["a", "a", "b", "b"].map((tool) => turn(tool, TWO)));
  await Promise.all([1, 2, 3].map(() => turn("c")));
  expect(waits).toEqual([]);
});

test("a cancelled call stops waiting", async () => {
  const pace = new RateLimits(() => 0);
  const controller = new AbortController();
  await pace.turn("a", { max: 1, per_ms: 60_000 }, controller.signal);
  const waiting = pace.turn("a", { max: 1, per_ms: 60_000 }, controller.signal);
  controller.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
});
