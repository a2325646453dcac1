import { advanceTask, closeTask, sendTo } from "../../../../src/core/graph/task/task";
import { reviewed } from "../definition/definitions";
import { at, NOW, stuck } from "./moves";

/** What people do to a task outside its graph. */
describe("people", () => {
  test("send a task back to any step, where its counters start again", () => {
    const sent = sendTo(reviewed, stuck, "review", NOW + 9, { by: "anna" });
    expect(sent).toMatchObject({
      currentStep: "review",
      status: "PENDING",
      stepRetries: {},
      retryCount: 3,
      updatedAt: NOW + 9,
    });
    expect(sent).not.toHaveProperty("escalation");
    expect(sent.history.at(-1)).toEqual({
      step: "human",
      to: "review",
      result: null,
      action: "send_to",
      at: NOW + 9,
      output: { by: "anna" },
    });
  });

  test("send a task to an end, which ends it", () => {
    expect(sendTo(reviewed, at("build"), "done", NOW)).toMatchObject({ status: "COMPLETED", endResult: "success" });
  });

  test("cannot send a task to a step that does not exist: this is a bug", () => {
    expect(() => sendTo(reviewed, stuck, "nowhere", NOW)).toThrow("nowhere");
  });

  test.each([
    { endResult: "blocked" as const, status: "FAILED" },
    { endResult: "success" as const, status: "COMPLETED" },
    { endResult: undefined, status: "FAILED" },
  ])("close a task at an end with result $endResult: $status", ({ endResult, status }) => {
    const closed = closeTask({ ...stuck, endResult }, NOW + 9, "enough");
    expect(closed).toMatchObject({ currentStep: "human", status });
    expect(closed.history.at(-1)).toMatchObject({ step: "human", to: null, action: "close", output: "enough" });
    expect(advanceTask(reviewed, closed, { result: "passed" }, NOW)).toMatchObject({ fail: { reason: "task_closed" } });
  });
});
