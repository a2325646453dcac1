import { renderWay, stepTitle } from "../../../../src/core/graph/show/text-diagram";
import { advanceTask, sendTo } from "../../../../src/core/graph/task/task";
import { definition, reviewed, task } from "../definition/definitions";
import { walked } from "../task/walked";

describe("the path of a task", () => {
  test("shows the graph with the edges taken, and each move in order", () => {
    expect(renderWay(reviewed, walked([undefined, undefined, "failed", undefined, "passed"]))).toBe(`✓ start   ─→ build
✓ build   ─→ review ×2
✓ review  ─ passed → done   ─ failed → build   ┄ max_retries_exceeded → human
◉ done
· human   ┄ passed → build

Way:
   1  start
   2  build
   3  review: failed, retry 1 of 3, back to build
   4  build
   5  review: passed
   6  done: COMPLETED (success)`);
  });

  test.each([
    { results: [], says: "start: PENDING", mark: "▶ start" },
    { results: [undefined, undefined], says: "review: PENDING", mark: "▶ review" },
    {
      results: [undefined, undefined, "failed", undefined, "failed", undefined, "failed", undefined, "failed"],
      says: "human: HITL (blocked)",
      mark: "✋ human",
    },
  ])("after $results ends with $says", ({ results, says, mark }) => {
    const way = renderWay(reviewed, walked(results));
    expect(way.endsWith(says)).toBe(true);
    expect(way).toContain(mark);
  });

  test("numbers retries from one again after a gate has passed, and after a person sent the task back", () => {
    const fails = ["failed", undefined];
    const stuck = walked([undefined, undefined, ...fails, ...fails, ...fails, "failed"]);
    const again = sendTo(reviewed, stuck, "review", 99);
    const moved = advanceTask(reviewed, again, { result: "failed" }, 100);
    const way = renderWay(reviewed, moved.ok ? moved.task : again).split("\n");
    expect(way.filter((line) => line.includes("review: failed"))).toEqual([
      "   3  review: failed, retry 1 of 3, back to build",
      "   5  review: failed, retry 2 of 3, back to build",
      "   7  review: failed, retry 3 of 3, back to build",
      "   9  review: failed, 3 retries used up",
      "  11  review: failed, retry 1 of 3, back to build",
    ]);
    expect(way).toContain("  10  human: sent to review by a person");
  });

  test("shows a step that is retried in place, though no edge leads there", () => {
    const flow = definition({ S: task({ maxRetries: 2 }) }, [
      ["start", "S"],
      ["S", "done", "passed"],
      ["S", "human", "failed"],
    ]);
    const way = renderWay(flow, walked([undefined, "failed", "failed"], flow));
    expect(way).toContain("▶ S      ─ failed ↻ here ×2   ┄ passed → done   ┄ failed → human");
    expect(way).toContain("   2  S: failed, retry 1 of 2\n   3  S: failed, retry 2 of 2");
  });

  test("can be cut to its last moves", () => {
    const way = renderWay(reviewed, walked([undefined, undefined, "passed"]), 1);
    expect(way.split("Way:\n")[1]).toBe("      ... 2 earlier\n   3  review: passed\n   4  done: COMPLETED (success)");
  });

  test("names steps by id and name", () => {
    expect([stepTitle(reviewed, "review"), stepTitle(reviewed, "done")]).toEqual(["review: Look at it", "done"]);
  });
});
