import type { Result } from "../../../../src/core/base/failure";
import type { JsonObject } from "../../../../src/core/base/json";
import { checkWorkflow } from "../../../../src/core/graph/cost/check-workflow";
import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { renderMermaid, renderTaskDetails, renderWay } from "../../../../src/core/graph/show/diagram";
import { stepInstructions } from "../../../../src/core/graph/show/instructions";
import { taskProgress } from "../../../../src/core/graph/show/progress";
import { TaskMachine } from "../../../../src/core/graph/task/machine/task-machine";
import type { TaskMessages } from "../../../../src/core/graph/task/machine/task-messages";
import type { TaskState } from "../../../../src/core/graph/task/machine/task-state";
import { advanceTask, newTask, type Task } from "../../../../src/core/graph/task/task";
import { parseNewTask } from "../../../../src/core/graph/task/task-input";
import type { TaskInput } from "../../../../src/core/graph/task/task-schema";
import { type Arrow, definition, task as work, written } from "../definition/definitions";
import { errorsOf, warningsOf } from "../definition/findings";
import { messagesOf, stateOf } from "../task/machine/machine-rig";

/** A wait node in every part of the graph core (graph reference, section 9.8). */
const HOUR = 3_600_000;
const arrows: Arrow[] = [
  ["start", "ship"],
  ["ship", "pause"],
  ["pause", "ask"],
  ["ask", "done"],
];
const waiting = (wait: object, ways = arrows) =>
  definition({ ship: work(), pause: { type: "wait", ...wait }, ask: work() }, ways);
const twoHours = waiting({ for: "2h" });

const loaded = (more: Partial<TaskInput> = {}, flow = twoHours): Task =>
  newTask({ id: "t-1", issueId: "I-1", workflowType: flow.id, currentStep: "ship", ...more }, flow, 0);

function arrived(flow = twoHours, atMs = 1_000, more: Partial<TaskInput> = {}): Task {
  const moved = advanceTask(flow, loaded(more, flow), { result: "passed" }, atMs);
  if (!moved.ok) throw new Error(moved.fail.message);
  return moved.task;
}

describe("the duration or time of a wait", () => {
  test.each([
    { for: "2h" },
    { for: "1.5d" },
    { for: 90_000 },
    { for: "3650d" },
    { for: "context.delay" },
    { until: "2027-01-31T09:00:00Z" },
    { until: "2027-01-31T09:00+02:00" },
    { until: "context.release.at" },
  ])("%j", (wait) =>
    expect(errorsOf(written({ ship: work(), pause: { type: "wait", ...wait }, ask: work() }, arrows))).toEqual([]),
  );

  test.each([
    {},
    { for: "2h", until: "2027-01-31T09:00:00Z" },
    { for: "soon" },
    { for: 0 },
    { for: -5 },
    { for: 1.5 },
    { for: "3651d" },
    { for: "context." },
    { until: "tomorrow" },
    { until: "2027-02-30T09:00:00Z" },
    { until: "2027-04-31T09:00:00+02:00" },
    { until: "2027-01-31" },
    { until: "2027-01-31T09:00:00" },
    { until: "2027-13-31T09:00:00Z" },
    { until: 1_800_000_000_000 },
  ])("%j is refused", (wait) =>
    expect(errorsOf(written({ ship: work(), pause: { type: "wait", ...wait }, ask: work() }, arrows))).toEqual([
      "invalid_wait",
    ]),
  );

  test("its only result is passed: an edge on another result is a mistake", () => {
    const nodes = { ship: work(), pause: { type: "wait", for: "2h" }, ask: work() };
    const ways: Arrow[] = [...arrows, ["pause", "human", "failed"]];
    expect(errorsOf(written(nodes, ways))).toEqual(["output_not_declared"]);
    expect(warningsOf(nodes, [...arrows.filter(([from]) => from !== "pause"), ["pause", "ask", "passed"]])).toEqual([]);
  });

  test("the check of a project accepts it like any other step", () =>
    expect(checkWorkflow(twoHours, { agents: {}, tools: [] })).toMatchObject({
      findings: [],
      worst: { agent_runs: 0 },
    }));
});

describe("a task that arrives at a wait", () => {
  test("waits for the duration, counted from its arrival", () =>
    expect(arrived()).toMatchObject({ currentStep: "pause", status: "IN_PROGRESS", waitingUntil: 2 * HOUR + 1_000 }));

  test.each([
    { wait: { for: 500 }, context: {}, due: 1_500 },
    { wait: { until: "1970-01-01T01:00:00Z" }, context: {}, due: HOUR },
    { wait: { until: "1970-01-01T01:00+01:00" }, context: {}, due: 0 },
    { wait: { for: "context.delay" }, context: { delay: "10m" }, due: 601_000 },
    { wait: { for: "context.delay" }, context: { delay: 500 }, due: 1_500 },
    { wait: { until: "context.release.at" }, context: { release: { at: "1970-01-01T01:00:00Z" } }, due: HOUR },
    { wait: { until: "context.release.at" }, context: { release: { at: 5_000 } }, due: 5_000 },
  ])("$wait with $context is due at $due", ({ wait, context, due }) =>
    expect(arrived(waiting(wait), 1_000, { context: context as JsonObject })).toMatchObject({
      status: "IN_PROGRESS",
      waitingUntil: due,
    }),
  );

  test.each([
    { wait: { for: "context.delay" }, context: {} },
    { wait: { for: "context.delay" }, context: { delay: "soon" } },
    { wait: { for: "context.delay" }, context: { delay: "3651d" } },
    { wait: { until: "context.at" }, context: { at: "tomorrow" } },
    { wait: { until: "context.at" }, context: { at: null } },
    { wait: { until: "context.at" }, context: { at: "9999-01-01T00:00:00Z" } },
  ])("$wait with $context is pending, and says why", ({ wait, context }) => {
    const flow = waiting(wait);
    const task = arrived(flow, 1_000, { context: context as JsonObject });
    expect(task).toMatchObject({ status: "PENDING", blockedBy: "wait_time_unknown" });
    expect(task).not.toHaveProperty("waitingUntil");
    expect(stepInstructions(flow, task).instructions).toContain(
      'When it may continue, call advance_task with taskId "t-1", version 1 and result "passed".',
    );
  });

  test("has no time any more after it left", () => {
    const moved = advanceTask(twoHours, arrived(), { result: "passed" }, 2 * HOUR);
    expect(moved.ok && moved.task).toMatchObject({ currentStep: "ask", status: "PENDING" });
    expect(moved.ok && moved.task).not.toHaveProperty("waitingUntil");
  });
});

describe("texts and drawings of a wait", () => {
  test("its instructions say until when, and that no call is needed", () =>
    expect(stepInstructions(twoHours, arrived()).instructions).toBe(
      "# pause\n\nWaits for 2h.\n\nThe task waits until 1970-01-01T02:00:01.000Z and then continues automatically. No call is needed.",
    ));
  test("its progress contains the time", () =>
    expect(taskProgress(twoHours, arrived()).waitingUntil).toBe(2 * HOUR + 1_000));
  test("it has its own shape and colour in the flowchart", () => {
    const chart = renderMermaid(twoHours);
    expect(chart).toContain('  pause[/"pause<br/>⏱ for 2h"\\]');
    expect(chart).toContain("class pause wait");
  });
  test("text diagrams mark it and show the time", () => {
    const way = renderWay(twoHours, arrived());
    expect(way).toContain("◷ pause");
    expect(way).toContain("pause: IN_PROGRESS (until 1970-01-01T02:00:01.000Z)");
  });
  test("the Web UI shows the time", () =>
    expect(renderTaskDetails(twoHours, arrived(), [])).toContain("waits until 1970-01-01T02:00:01.000Z"));
});

/** A task driven with a clock that jumps to the next time that something is due. */
class Driven {
  now: number;
  readonly state: TaskState;
  readonly messages: TaskMessages;
  private readonly machine: TaskMachine;
  private stay: ReturnType<TaskMachine["stay"]> | null = null;
  private next: ReturnType<ReturnType<TaskMachine["stay"]>["next"]> | null = null;

  constructor(task: Task, flow = twoHours, drive: "agent" | "external" = "external", now = 0) {
    this.now = now;
    const setup = { task, definition: flow, agents: {}, model: "scripted", drive };
    this.state = stateOf(setup);
    this.messages = messagesOf(this.state, () => this.now);
    this.machine = new TaskMachine(this.state, { workflowId: "task/t-1", now: () => this.now });
    this.until(now);
  }

  until(toMs: number): Task {
    for (;;) {
      if (this.next === null || this.next.done) {
        if (this.machine.over) return this.state.task;
        this.stay = this.machine.stay();
        this.next = this.stay.next();
      } else if (!this.resume(toMs)) return this.state.task;
    }
  }

  private resume(toMs: number): boolean {
    const action = this.next?.value;
    if (typeof action !== "object" || action.kind !== "wait") throw new Error("only waits are expected here");
    if (!action.over()) {
      this.now = Math.max(this.now, Math.min(toMs, action.until ?? toMs));
      if (!action.over() && (action.until ?? Number.POSITIVE_INFINITY) > toMs) return false;
    }
    this.next = this.stay?.next(!action.over()) ?? null;
    return true;
  }
}

const code = (result: Result<unknown>) => (result.ok ? "taken" : result.fail.reason);

describe("leaving a wait", () => {
  const reached = (drive: "agent" | "external" = "external") => {
    const driven = new Driven(loaded(), twoHours, drive);
    driven.now = 1_000;
    driven.messages.advance({ result: "passed" });
    return driven;
  };

  test.each(["agent", "external"] as const)(
    "driven by the %s, the task continues with passed when the time comes",
    (drive) => {
      const driven = reached(drive);
      expect(driven.until(2 * HOUR).currentStep).toBe("pause");
      expect(driven.until(2 * HOUR + 1_000)).toMatchObject({
        currentStep: "ask",
        status: "PENDING",
        history: [{ step: "ship" }, { step: "pause", to: "ask", result: "passed", at: 2 * HOUR + 1_000 }],
      });
    },
  );

  test("a time in the past does not wait", () => {
    const past = waiting({ until: "1970-01-01T00:00:00Z" });
    const driven = new Driven(loaded({}, past), past, "external", 5_000);
    driven.messages.advance({ result: "passed" });
    expect(driven.until(5_000).currentStep).toBe("ask");
  });

  test("advancing and claiming it is refused, and nothing moves; force continues now", () => {
    const driven = reached();
    driven.until(HOUR);
    expect(driven.messages.checkAdvance({ result: "passed" })).toMatchObject({
      ok: false,
      fail: { reason: "task_waiting", details: { currentStep: "pause", waitingUntil: 2 * HOUR + 1_000 } },
    });
    expect(code(driven.messages.checkClaim({ owner: "bo", leaseMs: 60_000 }))).toBe("task_waiting");
    expect(code(driven.messages.checkAdvance({ expectedStep: "ship", result: "passed" }))).toBe("step_changed");
    expect(code(driven.messages.advance({ result: "passed", force: true }))).toBe("taken");
    expect(driven.until(HOUR).currentStep).toBe("ask");
    expect(driven.until(9 * HOUR).currentStep).toBe("ask");
  });

  test("the wait runs while the task is paused", () => {
    const driven = reached();
    driven.messages.pause();
    expect(driven.until(HOUR)).toMatchObject({ status: "PAUSED", waitingUntil: 2 * HOUR + 1_000 });
    expect(code(driven.messages.checkAdvance({ result: "passed" }))).toBe("task_paused");
    driven.messages.resume();
    expect(driven.until(HOUR)).toMatchObject({ status: "IN_PROGRESS", currentStep: "pause" });
    driven.messages.pause();
    expect(driven.until(5 * HOUR)).toMatchObject({ status: "PAUSED", currentStep: "pause" });
    driven.messages.resume();
    expect(driven.until(5 * HOUR).currentStep).toBe("ask");
  });

  test("a cancelled task stops waiting", () => {
    const driven = reached();
    driven.messages.cancel("not needed");
    const ended = driven.until(9 * HOUR);
    expect(ended).toMatchObject({ currentStep: "pause", status: "FAILED", endResult: "cancelled" });
    expect(ended).not.toHaveProperty("waitingUntil");
  });

  test("a run that continues another run waits for the rest of the time", () => {
    const before = reached();
    before.until(HOUR);
    const driven = new Driven(before.state.task, twoHours, "external", HOUR);
    expect(driven.until(2 * HOUR).currentStep).toBe("pause");
    expect(driven.until(2 * HOUR + 1_000).currentStep).toBe("ask");
  });

  test.each([
    { list: {}, due: 2 * HOUR + 1_000 },
    { list: { waitingUntil: 5 * HOUR }, due: 5 * HOUR },
  ])("loading a list with $list over the task leaves it waiting until $due", ({ list, due }) => {
    const driven = reached();
    driven.until(HOUR);
    const { definition: flow, agents, model } = driven.state.setup;
    const task = loaded({ currentStep: "pause", ...list });
    driven.messages.reload({ task, agents, model, ...(flow === undefined ? {} : { definition: flow }) });
    expect(driven.until(HOUR)).toMatchObject({ status: "IN_PROGRESS", waitingUntil: due });
    expect(driven.until(due).currentStep).toBe("ask");
  });

  test("a task that is loaded at a wait starts to wait there", () => {
    const driven = new Driven(loaded({ currentStep: "pause" }), twoHours, "external", HOUR);
    expect(driven.until(HOUR)).toMatchObject({ status: "IN_PROGRESS", waitingUntil: 3 * HOUR });
  });

  test("without a time in its context, a person or the orchestrator ends the wait", () => {
    const flow = waiting({ for: "context.delay" });
    for (const end of ["review", "advance"]) {
      const driven = new Driven(loaded({ currentStep: "pause" }, flow), flow);
      const [review] = driven.state.reviews.open();
      expect(driven.state.task).toMatchObject({ status: "PENDING", blockedBy: "wait_time_unknown" });
      expect(review).toMatchObject({ choices: ["passed"], body: expect.stringContaining("no time for this wait") });
      if (end === "advance") expect(code(driven.messages.checkAdvance({ result: "passed" }))).toBe("taken");
      if (end === "advance") driven.messages.advance({ result: "passed" });
      else driven.messages.decide({ review: review?.id as string, choice: "passed", by: "ada" });
      expect(driven.until(HOUR)).toMatchObject({ currentStep: "ask", status: "PENDING" });
      expect(driven.state.reviews.open()).toEqual([]);
    }
  });
});

test("a definition that tasks run on keeps a day that an earlier version read as the next month", () => {
  const flow = written({ ship: work(), pause: { type: "wait", until: "2027-02-30T09:00:00Z" }, ask: work() }, arrows);
  expect(parseDefinition(flow, "test-flow", undefined, { isStored: true }).ok).toBe(true);
});

test.each([
  {
    at: 1_800_000_000,
    problem: /is 1800000000: in milliseconds .* 1970-01-21T20:00:00.000Z. 2027-01-15T08:00:00.000Z/,
  },
  { at: 0, problem: /is 0: in milliseconds/ },
  { at: "2027-02-30T09:00:00Z", problem: /there is no such day/ },
  { at: 1_800_000_000_000, problem: null },
  { at: "2027-02-28T09:00:00Z", problem: null },
  { at: "later", problem: null },
])(
  "a new task with context.at $at is refused when that time is a mistake, with the time that it is",
  ({ at, problem }) => {
    const flow = waiting({ until: "context.at" });
    const read = (more: object) =>
      parseNewTask({ id: "t", issueId: "I", workflowType: flow.id, context: { at }, ...more }, flow, 0);
    const task = read({});
    if (problem === null) expect(task.ok).toBe(true);
    else expect(task).toMatchObject({ fail: { reason: "invalid_task", message: expect.stringMatching(problem) } });
    expect(read({ status: "COMPLETED", currentStep: "done" }).ok).toBe(true);
  },
);
