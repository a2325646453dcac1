import { newTask, type Task, type TaskEntry } from "../../../../src/core/graph/task/task";
import { escalationReview, gateReview } from "../../../../src/core/graph/task/task-reviews";
import { Review } from "../../../../src/core/review/review-schema";
import { definition, gate, reviewed, task } from "../definition/definitions";

/** Reviews that a task on a graph asks for. */
const NOW = 1_700_000_000_000;
const entry = (more: Partial<TaskEntry> = {}): TaskEntry => ({
  step: "build",
  to: "review",
  result: "passed",
  action: "conditional",
  at: NOW,
  ...more,
});
const at = (currentStep: string, more: Partial<Task> = {}, flow = reviewed): Task =>
  newTask({ id: "t-1", issueId: "I-1", workflowType: flow.id, currentStep, ...more }, flow, NOW);

describe("the review of a human gate", () => {
  test("asks for one of the step's results and describes what led there", () => {
    const asked = gateReview(reviewed, at("review", { history: [entry({ output: { tests: 7 } })] }), 2, NOW + 1);
    expect(asked).toEqual({
      id: "t-1/review/2",
      kind: "gate",
      title: "Look at it",
      body: 'Step "build" ended with "passed".\n\nIt gave: tests: 7',
      data: {
        task: "t-1",
        issue: "I-1",
        workflow: "test-flow",
        step: "review",
        last_step: "build",
        last_result: "passed",
        last_output: { tests: 7 },
      },
      choices: ["passed", "failed"],
      moves: { passed: { kind: "result", result: "passed" }, failed: { kind: "result", result: "failed" } },
      createdAt: NOW + 1,
      status: "open",
    });
    expect(Review.safeParse(asked).success).toBe(true);
  });

  test("has the declared outputs as choices, the step's text, retries used, assignees and time", () => {
    const review = { assignees: ["anna"], timeout_ms: 60, on_timeout: "no", remind_ms: 20 };
    const flow = definition(
      {
        S: gate({
          outputs: ["yes", "no"],
          description: "What it is.",
          instructions: "How to look.",
          maxRetries: 3,
          review,
        }),
      },
      [
        ["start", "S"],
        ["S", "done", "yes"],
        ["S", "human", "no"],
      ],
    );
    const asked = gateReview(flow, at("S", { stepRetries: { S: 1 } }, flow), 1, NOW);
    expect(asked).toMatchObject({
      choices: ["yes", "no"],
      assignees: ["anna"],
      expiresAt: NOW + 60,
      onTimeout: "no",
      remindAt: NOW + 20,
    });
    expect(asked.body).toBe("What it is.\n\nHow to look.\n\n1 of 3 retries are used.");
  });

  test("does not store a large output a second time", () => {
    const asked = gateReview(reviewed, at("review", { history: [entry({ output: "x".repeat(5_000) })] }), 1, NOW);
    expect(JSON.stringify(asked).length).toBeLessThan(3_500);
    expect(asked.data.last_output).toMatch(/x\.\.\. \(5002 characters\)$/);
    expect(asked.body).toMatch(/x\.\.\.$/);
  });
});

describe("the review of a task that cannot continue", () => {
  const stuck = at("human", {
    status: "HITL",
    history: [entry({ step: "review", to: "human", result: "failed", action: "escalate" })],
  });

  test("at a HITL end offers recovery, every work step, and closing", () => {
    const asked = escalationReview(reviewed, stuck, 1, NOW);
    expect(asked).toMatchObject({
      id: "t-1/human/1",
      kind: "escalation",
      title: "t-1 needs a person: human",
      body: 'Step "review" ended with "failed", its retries used up.',
      choices: ["passed", "send back to build", "send back to review", "close"],
      moves: {
        passed: { kind: "result", result: "passed" },
        "send back to build": { kind: "send_to", step: "build" },
        close: { kind: "close" },
      },
    });
    expect(Review.safeParse(asked).success).toBe(true);
  });

  test("without a recovery edge does not offer recovery", () => {
    const flow = definition({ S: task() }, [
      ["start", "S"],
      ["S", "done", "passed"],
      ["S", "human", "failed"],
    ]);
    expect(escalationReview(flow, at("human", { status: "HITL" }, flow), 1, NOW).choices).toEqual([
      "send back to S",
      "close",
    ]);
  });

  test("at a step whose result has no edge offers the results with an edge, and gives the reason", () => {
    const asked = escalationReview(reviewed, at("review"), 1, NOW, { why: 'No edge for "odd".' });
    expect(asked.choices).toEqual(["passed", "failed", "send back to build", "send back to review", "close"]);
    expect(asked.body).toBe('No edge for "odd".');
  });

  test("offers each choice once if two edges have one result, or an output is named close", () => {
    const flow = definition({ S: task({ outputs: ["close", "failed"], maxRetries: 1 }) }, [
      ["start", "S"],
      ["S", "done", "close"],
      ["S", "S", "failed"],
      ["S", "human", "failed"],
    ]);
    const asked = escalationReview(flow, at("S", {}, flow), 1, NOW);
    expect(asked.choices).toEqual(["close", "failed", "send back to S"]);
    expect(asked.moves.close).toEqual({ kind: "result", result: "close" });
  });

  test("of a task at a step that no longer exists can still be closed or sent back", () => {
    const asked = escalationReview(reviewed, at("gone"), 1, NOW);
    expect(asked).toMatchObject({ title: "t-1 needs a person: gone" });
    expect(asked.choices).toEqual(["send back to build", "send back to review", "close"]);
  });
});
