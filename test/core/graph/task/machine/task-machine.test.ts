import { failed, ok } from "../../../../../src/core/base/failure";
import type { Child } from "../../../../../src/core/graph/task/fork";
import { definition, gate, reviewed, task } from "../../definition/definitions";
import { agent, MachineRig, NOW, stepOf } from "./machine-rig";

const WAIT = { kind: "wait", until: null };
const coded = definition({ build: task({ agent: "coder" }), review: gate() }, [
  ["start", "build"],
  ["build", "review", "passed"],
  ["review", "done", "passed"],
  ["review", "build", "failed"],
]);
const driven = { agents: { coder: agent("coder") } };

test("a task without an orchestrator leaves its start by itself", () => {
  const rig = new MachineRig(reviewed);
  expect(rig.stay()).toBeNull();
  expect(rig.state.task.currentStep).toBe("build");
});

test("a task with an orchestrator waits at its start", () =>
  expect(new MachineRig(reviewed, { drive: "external" }).stay()).toMatchObject(WAIT));

test("claiming a start before the task could leave it is a failure", () => {
  const rig = new MachineRig(reviewed);
  rig.messages.claim({ owner: "one", leaseMs: 60_000 });
  expect(rig.stay()).toMatchObject({ kind: "fail", fail: { reason: "task_claimed" } });
});

describe("an agent's step", () => {
  const at = { ...driven, task: { currentStep: "build", context: { ticket: 7 } } };

  test("runs the agent with the step and the task's context", () => {
    expect(new MachineRig(coded, at).stay()).toMatchObject({
      kind: "run_agent",
      work: {
        step: "build",
        attempt: 1,
        workflowId: "task/t/build/1",
        input: {
          context: { ticket: 7, step: { id: "build" } },
          effects: { mission: "task/t", lane: "build" },
          journal: {},
        },
      },
    });
  });

  test.each([
    { name: "goes on by the outcome", step: stepOf({ return: "passed", fail: null }), currentStep: "review" },
    { name: "stays where no edge leads on", step: stepOf({ return: "failed", fail: null }), currentStep: "build" },
  ])("$name", ({ step, currentStep }) => {
    const rig = new MachineRig(coded, at);
    rig.stay();
    const next = rig.report({ step: ok(step) });
    expect(rig.state.task.currentStep).toBe(currentStep);
    expect(rig.state.runningAgent).toBeNull();
    expect(next === null).toBe(currentStep === "review");
    expect(rig.state.reviews.open().length).toBe(currentStep === "review" ? 0 : 1);
  });

  test("that continues as new waits for the agent of the run before, and starts no other", () => {
    const before = new MachineRig(coded, at);
    before.stay();
    const rig = new MachineRig(coded, at, before.state.continueState());
    expect(rig.messages.checkAdvance({ result: "passed" })).toMatchObject({ fail: { reason: "child_active" } });
    expect(rig.stay()).toEqual({ kind: "await_agent", workflowId: "task/t/build/1", needed: true });
    rig.report({ step: ok(stepOf({ return: "failed", fail: null, journal: { kept: 1 } })) });
    expect(rig.state.runningAgent).toBeNull();
    expect(rig.state.continueState()).toMatchObject({ attempts: { build: 1 }, journals: { build: { kept: 1 } } });
  });

  test("that continues as new while it is paused waits for its agent, and drops what it gives", () => {
    const before = new MachineRig(coded, at);
    before.stay();
    before.messages.pause();
    const rig = new MachineRig(coded, { ...at, task: { ...at.task, status: "PAUSED" } }, before.state.continueState());
    expect(rig.stay()).toMatchObject({ kind: "await_agent" });
    expect(rig.report({ step: ok(stepOf({ return: "passed", fail: null })) })).toMatchObject(WAIT);
    expect(rig.state.task.currentStep).toBe("build");
  });

  test.each([
    ["cancelled", (rig: MachineRig) => rig.messages.cancel("not needed"), true],
    ["paused", (rig: MachineRig) => rig.messages.pause(), false],
  ])(
    "that is %s as soon as it has continued as new: its agent is cancelled if nobody needs it",
    (_, message, isOver) => {
      const before = new MachineRig(coded, at);
      before.stay();
      const rig = new MachineRig(coded, at, before.state.continueState());
      message(rig);
      expect(rig.machine.over).toBe(false);
      expect(rig.stay()).toEqual({ kind: "await_agent", workflowId: "task/t/build/1", needed: !isOver });
      const next = rig.report(isOver ? null : { step: ok(stepOf({ return: "passed", fail: null })) });
      expect(next === null).toBe(isOver);
      expect(rig.machine.over).toBe(isOver);
      expect(rig.state.task.currentStep).toBe("build");
    },
  );

  test("asks a person when the agent is lost", () => {
    const rig = new MachineRig(coded, at);
    rig.stay();
    expect(rig.report({ step: failed("agent_lost", "It was terminated.") })).toMatchObject(WAIT);
    expect(rig.state.reviews.open()[0]?.body).toContain('Its agent ended with "failed"');
  });

  test("asks a person instead of starting an agent with too large an input", () => {
    const rig = new MachineRig(coded, { ...at, outputs: { before: "x".repeat(3_000_000) } });
    expect(rig.stay()).toMatchObject(WAIT);
    expect(rig.state.reviews.open()[0]?.body).toMatch(/^Its agent cannot be started: .* bytes/);
  });

  test("ignores the outcome of a cancelled agent", () => {
    const rig = new MachineRig(coded, at);
    rig.stay();
    rig.told();
    rig.messages.cancel("not needed");
    expect(rig.told()).toEqual(["cancel_agent", "show"]);
    expect(rig.report({ step: ok(stepOf({ return: "passed", fail: null })) })).toBeNull();
    expect(rig.state.task).toMatchObject({ currentStep: "build", status: "FAILED" });
  });

  test("starts the agent again, with its journal, after a pause during which it ended", () => {
    const rig = new MachineRig(coded, at);
    rig.stay();
    rig.messages.pause();
    const wait = rig.report({ step: ok(stepOf({ return: "passed", fail: null, journal: { done: 1 } })) });
    expect(wait).toMatchObject(WAIT);
    rig.messages.resume();
    expect(rig.report(false)).toBeNull();
    expect(rig.stay()).toMatchObject({ work: { attempt: 2, input: { journal: { done: 1 } } } });
  });
});

describe("a gate without an agent", () => {
  const asking = definition(
    { look: gate({ review: { assignees: ["ann"], remind_ms: 1_000, timeout_ms: 5_000, on_timeout: "failed" } }) },
    [
      ["start", "look"],
      ["look", "done", "passed"],
      ["look", "human", "failed"],
    ],
  );
  const at = { task: { currentStep: "look" } };

  test("opens a review, notifies the assignees, and waits until the first reminder", () => {
    const rig = new MachineRig(asking, at);
    expect(rig.stay()).toMatchObject({ kind: "wait", until: NOW + 1_000 });
    expect(rig.told()).toEqual(["show", "notify"]);
  });

  test("reminds people, and takes the default at the timeout", () => {
    const rig = new MachineRig(asking, at);
    rig.stay();
    rig.told();
    rig.now = NOW + 1_000;
    expect(rig.report(true)).toMatchObject({ kind: "wait", until: NOW + 2_000 });
    expect(rig.told()).toEqual(["notify"]);
    rig.now = NOW + 5_000;
    expect(rig.report(true)).toBeNull();
    expect(rig.state.task).toMatchObject({ currentStep: "human", status: "HITL" });
  });

  test("stops waiting as soon as somebody decides", () => {
    const rig = new MachineRig(asking, at);
    const wait = rig.stay();
    if (wait?.kind !== "wait") throw new Error("it should wait");
    expect(wait.over()).toBe(false);
    const decision = rig.messages.checkDecision({ review: "t/look/1", choice: "passed", by: "ann" });
    if (!decision.ok) throw new Error(decision.fail.message);
    rig.messages.decide(decision.value);
    expect(wait.over()).toBe(true);
    expect(rig.report(false)).toBeNull();
    expect(rig.state.task.status).toBe("COMPLETED");
  });
});

describe("a fork", () => {
  const split = (more: object = {}) =>
    definition(
      {
        split: { type: "fork", join: "meet", ...more },
        left: task(),
        right: task(),
        meet: { type: "join", fork: "split", strategy: "all-pass" },
      },
      [
        ["start", "split"],
        ["split", "left"],
        ["split", "right"],
        ["left", "meet"],
        ["right", "meet"],
        ["meet", "done", "passed"],
        ["meet", "human", "failed"],
      ],
    );
  const open = (branch: string): Child => ({ id: `t/${branch}`, branch, state: "open", verdict: null });
  const over = (branch: string, verdict: "passed" | "failed"): Child => ({ ...open(branch), state: "over", verdict });
  const at = { task: { currentStep: "split" } };
  const begun = (action: unknown): string[] =>
    (action as { children: { setup: { task: { id: string } } }[] }).children.map(({ setup }) => setup.task.id);

  test("starts its branches together, and moves where their results lead", () => {
    const rig = new MachineRig(split(), at);
    expect(begun(rig.stay())).toEqual(["t/left", "t/right"]);
    expect(rig.report([open("left"), open("right")])).toMatchObject(WAIT);
    expect(rig.state.task.waitingFor).toEqual(["t/left", "t/right"]);
    rig.machine.noteChild(over("left", "passed"));
    expect(rig.report(false)).toMatchObject(WAIT);
    rig.machine.noteChild(over("right", "passed"));
    expect(rig.report(false)).toBeNull();
    expect(rig.state.task.status).toBe("COMPLETED");
  });

  test("starts the next branch when one ends, if only one may run at a time", () => {
    const rig = new MachineRig(split({ maxConcurrency: 1 }), at);
    expect(begun(rig.stay())).toEqual(["t/left"]);
    rig.report([open("left")]);
    rig.machine.noteChild(over("left", "failed"));
    expect(begun(rig.report(false))).toEqual(["t/right"]);
  });

  test("notifies the open branches when the task leaves without them", () => {
    const rig = new MachineRig(split(), at);
    rig.stay();
    rig.report([open("left"), open("right")]);
    rig.machine.noteChild(over("left", "passed"));
    rig.told();
    rig.messages.advance({ result: "failed", force: true });
    expect(rig.told()).toEqual(["drop_child", "show"]);
    expect(rig.report(false)).toBeNull();
  });

  test("leaves existing branches alone when the task was loaded inside it", () => {
    const rig = new MachineRig(split(), { task: { currentStep: "split", status: "IN_PROGRESS" } });
    expect(rig.stay()).toMatchObject(WAIT);
  });

  test("is settled once its branches have started", () => {
    const rig = new MachineRig(split(), { ...at, drive: "external" });
    rig.stay();
    expect(rig.machine.hasSettled(0)).toBe(false);
    rig.report([open("left"), open("right")]);
    expect(rig.machine.hasSettled(0)).toBe(true);
  });
});

describe("a subflow", () => {
  const nested = definition({ other: { type: "subflow", workflow: "other-flow", inputs: { n: "context.n" } } }, [
    ["start", "other"],
    ["other", "done", "passed"],
    ["other", "human", "failed"],
  ]);
  const at = { task: { currentStep: "other", context: { n: 3 } } };
  const found = { definition: reviewed, version: 2 };

  test("looks up its workflow and starts a task on it", () => {
    const rig = new MachineRig(nested, at);
    expect(rig.stay()).toEqual({ kind: "find_definition", workflow: "other-flow" });
    expect(rig.report(found)).toMatchObject({
      kind: "begin_children",
      children: [{ branch: "other", setup: { version: 2, depth: 1, task: { id: "t/other", context: { n: 3 } } } }],
    });
  });

  test("waits in the queue if its workflow is not loaded", () => {
    const rig = new MachineRig(nested, at);
    rig.stay();
    expect(rig.report(null)).toMatchObject(WAIT);
    expect(rig.state.task).toMatchObject({ status: "PENDING", blockedBy: "subflow_not_loaded" });
  });

  test("asks a person if it is nested too deeply", () => {
    const rig = new MachineRig(nested, { ...at, depth: 8 });
    expect(rig.stay()).toMatchObject(WAIT);
    expect(rig.state.reviews.open()[0]?.body).toContain("Subflows may be 8 deep");
  });

  test("starts nothing if the task moved during the lookup", () => {
    const rig = new MachineRig(nested, at);
    rig.stay();
    rig.messages.cancel(undefined);
    expect(rig.report(found)).toBeNull();
  });
});

describe("an end with an escalation", () => {
  const alerting = definition({ build: task(), alarm: { type: "end", result: "failure", escalation: "alert" } }, [
    ["start", "build"],
    ["build", "done", "passed"],
    ["build", "alarm", "failed"],
  ]);

  test("escalates once for the move that led there", () => {
    const rig = new MachineRig(alerting, { task: { currentStep: "build" } });
    expect(rig.machine.alert()).toBeNull();
    rig.messages.advance({ result: "failed" });
    expect(rig.machine.alert()).toMatchObject({ event: "task_alert", idempotency_key: "task/t/task_alert/1" });
    expect(rig.machine.alert()).toBeNull();
  });

  test("does not escalate if the task was loaded there", () => {
    const rig = new MachineRig(alerting, { task: { currentStep: "alarm", status: "FAILED", escalation: "alert" } });
    expect(rig.machine.alert()).toBeNull();
  });
});

test("a task has ended when it is closed and its records are confirmed", () => {
  const rig = new MachineRig(reviewed, { order: 1, task: { currentStep: "review" } });
  rig.messages.advance({ result: "passed" });
  expect([rig.state.task.status, rig.machine.over]).toEqual(["COMPLETED", false]);
  expect(rig.messages.confirm(null)).toHaveLength(1);
  expect(rig.machine.over).toBe(true);
});
