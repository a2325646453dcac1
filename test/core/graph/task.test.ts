import { parseAdvance } from "../../../src/core/graph/advance-input";
import { parseDefinition } from "../../../src/core/graph/parse";
import { type Advance, advanceTask, closeTask, newTask, sendTo, type Task } from "../../../src/core/graph/task";
import { parseTask } from "../../../src/core/graph/task-schema";
import { definition, gate, reviewed, task } from "./definitions";

const NOW = 1_700_000_000_000;

const at = (currentStep: string, more: Partial<Task> = {}, flow = reviewed): Task =>
  newTask({ id: "t-1", issueId: "I-1", workflowType: flow.id, currentStep, ...more }, flow, NOW);

/** Advances where no refusal is expected. */
function advanced(current: Task, given: Advance, now = NOW + 1, flow = reviewed) {
  const moved = advanceTask(flow, current, given, now);
  if (!moved.ok) throw new Error(moved.fail.message);
  return moved;
}

const answerOf = (current: Task, result?: string, flow = reviewed) =>
  advanced(current, result === undefined ? {} : { result }, NOW + 1, flow).answer;

/** Advances by each result in turn; every one must move the task. */
function walked(start: Task, results: (string | undefined)[], flow = reviewed): Task {
  return results.reduce((current, result) => {
    const answer = answerOf(current, result, flow);
    expect(answer.success).toBe(true);
    return answer.task;
  }, start);
}

describe("a new task", () => {
  test("begins at the start node with every default filled", () => {
    expect(newTask({ id: "t", issueId: "i", workflowType: "test-flow" }, reviewed, NOW)).toEqual({
      id: "t",
      issueId: "i",
      workflowType: "test-flow",
      currentStep: "start",
      priority: 0,
      status: "PENDING",
      retryCount: 0,
      context: {},
      stepRetries: {},
      createdAt: NOW,
      updatedAt: NOW,
      history: [],
    });
  });

  test('of a workflow that is not loaded begins at "start"', () => {
    expect(newTask({ id: "t", issueId: "i", workflowType: "research" }, undefined, NOW).currentStep).toBe("start");
  });

  test("begins where its definition starts, whatever that node is called", () => {
    const flow = definition({ start: null, begin: { type: "start" }, work: task() }, [
      ["begin", "work"],
      ["work", "done", "passed"],
      ["work", "human", "failed"],
    ]);
    expect(newTask({ id: "t", issueId: "i", workflowType: flow.id }, flow, NOW).currentStep).toBe("begin");
  });

  test("read from outside names every wrong field at once", () => {
    const read = parseTask(
      { id: "", issueId: "i", priority: "high", status: "DONE", stepRetries: { a: -1 } },
      reviewed,
      NOW,
    );
    expect(read).toMatchObject({ ok: false, fail: { reason: "invalid_task" } });
    const issues = read.ok ? [] : (read.fail.details as { issues: { field: string }[] }).issues;
    const fields = issues.map(({ field }) => field);
    expect(fields.sort()).toEqual(["id", "priority", "status", "stepRetries", "workflowType"]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("with priority %p is refused", (priority) => {
    expect(parseTask({ id: "t", issueId: "i", workflowType: "w", priority }, reviewed, NOW)).toMatchObject({
      ok: false,
    });
  });

  test("read from outside keeps counters of steps with odd names", () => {
    const input: unknown = JSON.parse(
      '{"id":"t","issueId":"i","workflowType":"w","stepRetries":{"__proto__":2,"constructor":1}}',
    );
    const read = parseTask(input, undefined, NOW);
    expect(read.ok && Object.entries(read.value.stepRetries)).toEqual([
      ["__proto__", 2],
      ["constructor", 1],
    ]);
  });
});

describe("advancing", () => {
  test("leaves the given task as it is", () => {
    const before = at("review", { stepRetries: { review: 1 } });
    const copy = JSON.stringify(before);
    advanceTask(reviewed, before, { result: "failed", output: { why: "red" } }, NOW + 1);
    expect(JSON.stringify(before)).toBe(copy);
  });

  test("answers an unconditional move with both steps and the whole task", () => {
    const answer = answerOf(at("build"));
    expect(answer).toMatchObject({ success: true, previousStep: "build", nextStep: "review", action: "unconditional" });
    expect(answer.task).toMatchObject({ id: "t-1", currentStep: "review", status: "PENDING", updatedAt: NOW + 1 });
    expect(answer).not.toHaveProperty("retriesUsed");
    expect(answer).not.toHaveProperty("terminal");
  });

  test("answers the first of three retries with 1 used and 2 left", () => {
    expect(answerOf(at("review"), "failed")).toMatchObject({
      success: true,
      previousStep: "review",
      nextStep: "build",
      action: "retry",
      retriesUsed: 1,
      retriesRemaining: 2,
      maxRetries: 3,
      task: { status: "PENDING", retryCount: 1, stepRetries: { review: 1 } },
    });
  });

  test("gives three retries with maxRetries 3, and escalates at the fourth failure", () => {
    const third = walked(at("review"), ["failed", undefined, "failed", undefined, "failed", undefined]);
    expect(third).toMatchObject({ retryCount: 3, stepRetries: { review: 3 } });
    expect(answerOf(third, "failed")).toMatchObject({
      success: true,
      nextStep: "human",
      action: "escalate",
      reason: "max_retries_exceeded",
      retriesUsed: 3,
      retriesRemaining: 0,
      maxRetries: 3,
      terminal: "hitl",
      endResult: "blocked",
      escalation: "hitl",
      task: { status: "HITL", retryCount: 3, stepRetries: { review: 3 } },
    });
  });

  test("keeps result and output of each step in the history, oldest first", () => {
    const first = advanced(at("build"), { output: "built" }, NOW + 1);
    const second = advanced(first.task, { result: "failed", output: { red: 2 } }, NOW + 2);
    expect(second.task.history).toEqual([
      { step: "build", to: "review", result: null, action: "unconditional", at: NOW + 1, output: "built" },
      { step: "review", to: "build", result: "failed", action: "retry", at: NOW + 2, output: { red: 2 } },
    ]);
    expect(second.entry).toEqual(second.task.history[1]);
  });

  test("keeps an output of null", () => {
    const moved = advanceTask(reviewed, at("build"), { output: null }, NOW);
    expect(moved.ok && moved.entry).toHaveProperty("output", null);
  });

  test("without a way changes nothing and says which ways there are", () => {
    const before = at("review");
    const moved = advanceTask(reviewed, before, { result: "odd" }, NOW + 1);
    expect(moved).toMatchObject({ ok: true, entry: null });
    expect(moved.ok && moved.task).toBe(before);
    expect(moved.ok && moved.answer).toEqual({
      success: false,
      previousStep: "review",
      nextStep: null,
      action: "no_matching_edge",
      result: "odd",
      availableEdges: [
        { to: "done", on: "passed" },
        { to: "build", on: "failed" },
        { to: "human", on: "max_retries_exceeded" },
      ],
      task: before,
    });
  });

  test("fails a task where it is when retries are used up and nothing leads out", () => {
    const flow = definition({ build: task(), check: gate({ maxRetries: 1 }) }, [
      ["start", "build"],
      ["build", "check"],
      ["check", "done", "passed"],
      ["check", "build", "failed"],
    ]);
    const answer = answerOf(at("check", { stepRetries: { check: 1 } }, flow), "failed", flow);
    expect(answer).toMatchObject({ success: true, nextStep: null, action: "escalate", reason: "max_retries_exceeded" });
    expect(answer.task).toMatchObject({ currentStep: "check", status: "FAILED" });
    expect(answer).not.toHaveProperty("terminal");
  });
});

describe("counters", () => {
  const gates = definition({ build: task(), test: gate({ maxRetries: 2 }), review: gate({ maxRetries: 1 }) }, [
    ["start", "build"],
    ["build", "test"],
    ["test", "review", "passed"],
    ["test", "build", "failed"],
    ["test", "human", "failed"],
    ["review", "done", "passed"],
    ["review", "build", "failed"],
    ["review", "human", "failed"],
  ]);

  test("belong to the gate that failed, and passing other steps on the way back leaves them", () => {
    const ended = walked(at("test", {}, gates), ["passed", "failed", undefined, "failed", undefined], gates);
    expect(ended).toMatchObject({ currentStep: "test", stepRetries: { review: 1, test: 1 }, retryCount: 2 });
  });

  test("of a gate are forgiven when it passes; the count of the whole task stays", () => {
    const ended = walked(at("test", {}, gates), ["failed", undefined, "failed", undefined, "passed"], gates);
    expect(ended).toMatchObject({ currentStep: "review", stepRetries: {}, retryCount: 2 });
  });

  test("of steps called __proto__ and constructor count like any other", () => {
    const text = JSON.stringify({
      id: "odd",
      nodes: {
        start: { type: "start" },
        PROTO: gate({ maxRetries: 2 }),
        constructor: task(),
        done: { type: "end", result: "success" },
        human: { type: "end", result: "blocked" },
      },
      edges: [
        { from: "start", to: "constructor" },
        { from: "constructor", to: "PROTO" },
        { from: "PROTO", to: "done", on: "passed" },
        { from: "PROTO", to: "constructor", on: "failed" },
        { from: "PROTO", to: "human", on: "max_retries_exceeded" },
      ],
    }).replaceAll("PROTO", "__proto__");
    const read = parseDefinition(JSON.parse(text));
    if (!read.ok) throw new Error(read.fail.message);
    // As it arrives in a workflow.
    const flow = JSON.parse(JSON.stringify(read.value.definition)) as typeof read.value.definition;
    const ended = walked(at("start", {}, flow), [undefined, undefined, "failed", undefined, "failed", undefined], flow);
    expect(Object.entries(ended.stepRetries)).toEqual([["__proto__", 2]]);
    expect(answerOf(JSON.parse(JSON.stringify(ended)), "failed", flow)).toMatchObject({
      action: "escalate",
      nextStep: "human",
    });
  });
});

describe("arriving at an end", () => {
  test.each([
    { result: "success", escalation: undefined, status: "COMPLETED", terminal: "success" },
    { result: "success", escalation: "alert", status: "COMPLETED", terminal: "success" },
    { result: "success", escalation: "hitl", status: "HITL", terminal: "hitl" },
    { result: "failure", escalation: undefined, status: "FAILED", terminal: "failure" },
    { result: "blocked", escalation: "ticket", status: "FAILED", terminal: "failure" },
    { result: "blocked", escalation: "hitl", status: "HITL", terminal: "hitl" },
    { result: "cancelled", escalation: undefined, status: "FAILED", terminal: "failure" },
    { result: "cancelled", escalation: "hitl", status: "HITL", terminal: "hitl" },
  ])("$result with escalation $escalation makes the task $status", ({ result, escalation, status, terminal }) => {
    const end = { type: "end", result, ...(escalation === undefined ? {} : { escalation }) };
    const flow = definition({ human: null, done: end, work: task() }, [
      ["start", "work"],
      ["work", "done"],
    ]);
    const answer = answerOf(at("work", {}, flow), "passed", flow);
    expect(answer).toMatchObject({ terminal, endResult: result, task: { status, endResult: result } });
    expect("escalation" in answer ? answer.escalation : undefined).toBe(escalation);
    expect(answer.task.escalation).toBe(escalation);
  });
});

describe("an advance from outside", () => {
  test.each([
    { raw: null, fields: [""] },
    { raw: "passed", fields: [""] },
    { raw: { result: 7, expectedStep: ["review"] }, fields: ["result", "expectedStep"] },
  ])("$raw is refused, and every wrong field named", ({ raw, fields }) => {
    const read = parseAdvance(raw);
    expect(read).toMatchObject({ ok: false, fail: { reason: "invalid_arguments" } });
    const issues = read.ok ? [] : (read.fail.details?.issues as { field: string }[]);
    expect(issues.map(({ field }) => field)).toEqual(fields);
  });

  test.each([{}, { result: "passed" }, { output: null }, { result: "odd", output: [{}], expectedStep: "review" }])(
    "%j is taken as it is",
    (raw) => expect(parseAdvance(raw)).toEqual({ ok: true, value: raw }),
  );
});

describe("a task that may not be advanced refuses and stays", () => {
  test.each([
    {
      name: "completed",
      current: at("done", { status: "COMPLETED" }),
      given: { result: "passed" },
      reason: "task_closed",
    },
    { name: "failed", current: at("review", { status: "FAILED" }), given: { result: "passed" }, reason: "task_closed" },
    { name: "paused", current: at("review", { status: "PAUSED" }), given: { result: "passed" }, reason: "task_paused" },
    {
      name: "waiting for a person, told failed",
      current: at("human", { status: "HITL" }),
      given: { result: "failed" },
      reason: "task_in_hitl",
    },
    {
      name: "waiting for a person, told nothing",
      current: at("human", { status: "HITL" }),
      given: {},
      reason: "task_in_hitl",
    },
    { name: "at a step that is gone", current: at("gone"), given: { result: "passed" }, reason: "step_not_found" },
    {
      name: "at a step that is a property of every object",
      current: at("constructor"),
      given: {},
      reason: "step_not_found",
    },
    {
      name: "elsewhere than expected",
      current: at("review"),
      given: { result: "passed", expectedStep: "build" },
      reason: "step_changed",
    },
    {
      name: "ended after the first of two equal calls",
      current: at("done", { status: "COMPLETED" }),
      given: { result: "passed", expectedStep: "review" },
      reason: "step_changed",
    },
    { name: "at a gate, told nothing", current: at("review"), given: {}, reason: "result_required" },
    {
      name: "told the engine's own result",
      current: at("review"),
      given: { result: "max_retries_exceeded" },
      reason: "reserved_result",
    },
  ])("$name: $reason", ({ current, given, reason }) => {
    expect(advanceTask(reviewed, current, given as object, NOW)).toMatchObject({ ok: false, fail: { reason } });
  });

  test("step_changed tells where the task is", () => {
    const moved = advanceTask(reviewed, at("review"), { expectedStep: "build" }, NOW);
    expect(moved).toMatchObject({ fail: { details: { currentStep: "review" } } });
  });

  test("in HITL without a recovery edge not even passed leads on", () => {
    const flow = definition({ work: task() }, [
      ["start", "work"],
      ["work", "done", "passed"],
      ["work", "human", "failed"],
    ]);
    const moved = advanceTask(flow, at("human", { status: "HITL" }, flow), { result: "passed" }, NOW);
    expect(moved).toMatchObject({ ok: false, fail: { reason: "task_in_hitl", details: { recoverable: false } } });
  });
});

test("an orchestrator's IN_PROGRESS task may be advanced", () => {
  expect(answerOf(at("review", { status: "IN_PROGRESS" }), "passed")).toMatchObject({ nextStep: "done" });
});

test("passed takes a task out of HITL with its step counters emptied and the task's count kept", () => {
  const stuck = at("human", {
    status: "HITL",
    retryCount: 3,
    stepRetries: { review: 3 },
    endResult: "blocked",
    escalation: "hitl",
  });
  const answer = answerOf(stuck, "passed");
  expect(answer).toMatchObject({ success: true, nextStep: "build", action: "conditional" });
  expect(answer.task).toMatchObject({ status: "PENDING", stepRetries: {}, retryCount: 3 });
  expect(answer.task).not.toHaveProperty("endResult");
  expect(answerOf(walked(answer.task, [undefined]), "failed")).toMatchObject({ action: "retry", retriesUsed: 1 });
});

describe("people", () => {
  const stuck = at("human", {
    status: "HITL",
    retryCount: 3,
    stepRetries: { review: 3 },
    endResult: "blocked",
    escalation: "hitl",
  });

  test("send a task back to any step, where it starts afresh", () => {
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

  test("cannot send a task to a step that does not exist: that is a bug", () => {
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
