import { renderTaskDetails } from "../../../../src/core/graph/show/details";
import { taskProgress } from "../../../../src/core/graph/show/progress";
import type { Review } from "../../../../src/core/review/review";
import { definition, reviewed, task } from "../definition/definitions";
import { begin, walked } from "../task/walked";

describe("progress (graph reference, section 8)", () => {
  test.each([
    { results: [], level: 0, percent: 0, remaining: 0 },
    { results: [undefined], level: 1, percent: 33, remaining: 0 },
    { results: [undefined, undefined], level: 2, percent: 66, remaining: 3 },
    { results: [undefined, undefined, "failed", undefined], level: 2, percent: 66, remaining: 2 },
    { results: [undefined, undefined, "passed"], level: 3, percent: 100, remaining: 0, terminal: "success" },
  ])("after $results: level $level, $percent %", ({ results, level, percent, remaining, ...more }) => {
    expect(taskProgress(reviewed, walked(results))).toMatchObject({
      level,
      levelCount: 4,
      percent,
      retriesRemaining: remaining,
      ...more,
    });
  });

  test("shows everything about the current step", () => {
    const flow = definition({ S: task({ name: "Do", stage: "build", agent: "dev" }) }, [
      ["start", "S"],
      ["S", "done", "passed"],
      ["S", "human", "failed"],
    ]);
    expect(taskProgress(flow, walked([undefined], flow))).toEqual({
      taskId: "t-1",
      workflowType: "test-flow",
      currentStep: "S",
      stepName: "Do",
      stage: "build",
      agent: "dev",
      status: "PENDING",
      level: 1,
      levelCount: 3,
      percent: 50,
      visited: [{ step: "start", result: null, action: "unconditional", at: 1 }],
      retryCount: 0,
      stepRetries: {},
      retriesRemaining: 0,
      nextSteps: [
        { to: "done", on: "passed" },
        { to: "human", on: "failed" },
      ],
    });
  });

  test("works for a task at a step that no longer exists", () => {
    expect(taskProgress(reviewed, { ...begin(), currentStep: "gone" })).toMatchObject({
      stepName: "gone",
      level: null,
      percent: 0,
      nextSteps: [],
    });
  });
});

describe("details for the Temporal Web UI", () => {
  const review: Review = {
    id: "t-1/review/1",
    kind: "gate",
    title: "Look *here*",
    body: `line one\n${"x".repeat(700)}`,
    data: {},
    choices: ["passed", "failed"],
    createdAt: 0,
    status: "open",
    moves: {},
  };

  test("say where the task is, what it waits for and how it got there", () => {
    const text = renderTaskDetails(reviewed, walked([undefined, undefined]), [review]);
    expect(text).toContain("**PENDING** at **review: Look at it** (66 %) · 3 of 3 retries left");
    expect(text).toContain("Ways on: passed → done, failed → build, max_retries_exceeded → human");
    expect(text).toContain("### Waiting for a person\n\n- **Look \\*here\\*** (t-1/review/1)\n  > line one\n  > xxx");
    expect(text).toContain("x...\n  Choices: passed, failed");
    expect(text).toContain("### Graph\n\n```\n");
  });

  test("show no next edges when the task has ended", () => {
    expect(renderTaskDetails(reviewed, walked([undefined, undefined, "passed"]), [])).not.toContain("Ways on");
  });

  test("stay intact with backticks in a name", () => {
    const flow = definition({ "```": task() }, [
      ["start", "```"],
      ["```", "done"],
    ]);
    expect(renderTaskDetails(flow, begin(flow), [])).toMatch(/### Graph\n\n````\n[\s\S]*\n````$/);
  });
});
