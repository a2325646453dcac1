import type { Result } from "../../../../../src/core/base/failure";
import { TaskMessages } from "../../../../../src/core/graph/task/machine/task-messages";
import { newTask } from "../../../../../src/core/graph/task/task";
import { definition, gate, reviewed, task } from "../../definition/definitions";
import { agent, MachineRig } from "./machine-rig";

const coded = definition({ build: task({ agent: "coder" }), review: gate() }, [
  ["start", "build"],
  ["build", "review"],
  ["review", "done"],
]);
const driven = { agents: { coder: agent("coder") }, task: { currentStep: "build" } };

/** Tasks in each situation in which something is refused. */
const SITUATIONS = {
  free: () => new MachineRig(reviewed, { task: { currentStep: "build" } }),
  closed: () => new MachineRig(reviewed, { task: { currentStep: "done", status: "COMPLETED" } }),
  paused: () => new MachineRig(reviewed, { task: { currentStep: "build", status: "PAUSED" } }),
  removed: () => {
    const rig = new MachineRig(reviewed, { order: 1, task: { currentStep: "build" } });
    rig.messages.remove();
    return rig;
  },
  claimed: () => {
    const rig = SITUATIONS.free();
    rig.messages.claim({ owner: "one", leaseMs: 60_000 });
    return rig;
  },
  "at work": () => {
    const rig = new MachineRig(coded, driven);
    rig.stay();
    return rig;
  },
};

const CHECKS: { [name: string]: (messages: TaskMessages) => Result<unknown> } = {
  advance: (messages) => messages.checkAdvance({}),
  claim: (messages) => messages.checkClaim({ owner: "two", leaseMs: 60_000 }),
  release: (messages) => messages.checkRelease("token-1"),
  "pause or cancel": (messages) => messages.checkOpen(),
  resume: (messages) => messages.checkResume(),
};

test.each<[situation: keyof typeof SITUATIONS, check: string, reason: string | null]>([
  ["free", "advance", null],
  ["free", "claim", null],
  ["free", "release", "claim_lost"],
  ["free", "pause or cancel", null],
  ["free", "resume", "not_paused"],
  ["closed", "advance", "task_closed"],
  ["closed", "claim", "task_closed"],
  ["closed", "pause or cancel", "task_closed"],
  ["paused", "advance", "task_paused"],
  ["paused", "claim", "task_paused"],
  ["paused", "resume", null],
  ["removed", "advance", "task_not_found"],
  ["removed", "claim", "task_not_found"],
  ["removed", "pause or cancel", "task_not_found"],
  ["claimed", "advance", "task_claimed"],
  ["claimed", "claim", "task_claimed"],
  ["claimed", "release", null],
  ["at work", "advance", "child_active"],
  ["at work", "claim", "child_active"],
  ["at work", "pause or cancel", null],
])("of a task that is %s, %s is checked as %s", (situation, check, reason) => {
  const { messages, state } = SITUATIONS[situation]();
  const before = state.task;
  const checked = (CHECKS[check] as (messages: TaskMessages) => Result<unknown>)(messages);
  expect(checked.ok ? null : checked.fail.reason).toBe(reason);
  expect(state.task).toBe(before);
});

test("a task can only be replaced by loading the same task", () => {
  const { messages, state } = SITUATIONS.free();
  const other = newTask({ id: "other", issueId: "I-1", workflowType: "test-flow" }, reviewed, 0);
  expect(messages.checkReload({ ...state.setup, task: other })).toMatchObject({ fail: { reason: "invalid_task" } });
});

test("reloading a task withdraws its children, its agent and its reviews, and updates lists", () => {
  const rig = SITUATIONS["at work"]();
  rig.told();
  rig.messages.reload({ ...rig.state.setup, task: rig.state.task, order: 4 });
  expect(rig.told()).toEqual(["cancel_agent", "reloaded", "show"]);
  expect(rig.state.setup.order).toBe(4);
});

test("a message ends the stay at the node", () => {
  const rig = SITUATIONS.free();
  const wait = rig.stay();
  if (wait?.kind !== "wait") throw new Error("it should wait");
  rig.messages.pause();
  expect(wait.over()).toBe(true);
});

describe("the token of a claim", () => {
  const request = { owner: "one", leaseMs: 60_000 };
  const tokenOf = (claimed: Result<{ token: unknown }>) => (claimed.ok ? claimed.value.token : claimed.fail.reason);

  test("is a random text, taken when the claim is made and not when it is checked", () => {
    let taken = 0;
    const { state } = SITUATIONS.free();
    const messages = new TaskMessages(
      state,
      () => 0,
      () => `random-${++taken}`,
    );
    messages.checkClaim(request);
    expect(taken).toBe(0);
    expect(tokenOf(messages.claim(request))).toBe("random-1");
    expect(messages.checkAdvance({ claim: "random-0" })).toMatchObject({ fail: { reason: "claim_lost" } });
    expect(messages.checkAdvance({ claim: "random-1" }).ok).toBe(true);
    // A renewal keeps the token.
    expect(tokenOf(messages.claim({ ...request, token: "random-1" }))).toBe("random-1");
    expect(taken).toBe(1);
    messages.release();
    expect(tokenOf(messages.claim(request))).toBe("random-2");
  });

  test("releases the claim that has it, and no other", () => {
    const { messages } = SITUATIONS.claimed();
    expect(messages.checkRelease("token-1").ok).toBe(true);
    expect(messages.checkRelease("token-2")).toMatchObject({ fail: { reason: "claim_lost" } });
  });

  test.each([[null], [{}], [""], [1], ["x".repeat(101)]])("%j is refused as a token", (token) => {
    expect(SITUATIONS.claimed().messages.checkRelease(token)).toMatchObject({
      fail: { reason: "invalid_input", details: { path: "claim" } },
    });
  });
});
