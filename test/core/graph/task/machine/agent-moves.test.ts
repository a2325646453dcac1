import { versionOf } from "../../../../../src/core/graph/task/repeat";
import type { Mover } from "../../../../../src/core/review/people/mover";
import { definition, gate, reviewed, task } from "../../definition/definitions";
import { MachineRig } from "./machine-rig";

/** What an agent may do where people are asked (approvals reference, section 1). */

const AGENT: Mover = { id: "agent:test", kind: "agent", via: "mcp" };

const graphWith = (review?: object) =>
  definition({ build: task(review && { review }), look: gate(review && { review }) }, [
    ["start", "build"],
    ["build", "look", "passed"],
    ["look", "done", "passed"],
    ["look", "build", "failed"],
  ]);
const NAMED = { assignees: ["anna"] };
const at = (graph: ReturnType<typeof graphWith>, currentStep: string) =>
  new MachineRig(graph, { task: { currentStep } });

test.each([
  ["a gate that names nobody", undefined, "look", AGENT, null],
  ["a gate that only sends reminders", { remind_ms: 60_000 }, "look", AGENT, null],
  ["a gate that names a person", NAMED, "look", AGENT, "agents_may_not_decide"],
  ["a gate that asks two people", { quorum: 2 }, "look", AGENT, "agents_may_not_decide"],
  ["a gate that any person decides, and no agent", { agents: false }, "look", AGENT, "agents_may_not_decide"],
  ["a step of work, whatever its reviews say", NAMED, "build", AGENT, null],
  [
    "a gate that names a person, by a person",
    NAMED,
    "look",
    { ...AGENT, kind: "person" as const },
    "unverified_decision",
  ],
  ["a gate that names a person, by somebody who says nothing", NAMED, "look", undefined, "unverified_decision"],
  ["a gate that names nobody, by somebody who says nothing", undefined, "look", undefined, null],
])("an agent's result at %s is answered as it should be", (_, review, step, by, reason) => {
  for (const asked of [false, true]) {
    const rig = at(graphWith(review), step);
    if (asked) rig.stay();
    const checked = rig.messages.checkAdvance({ result: "passed", by, version: versionOf(rig.state.task) });
    expect(checked.ok ? null : checked.fail.reason).toBe(reason);
  }
});

test("where nobody is named the history says that an agent moved the task; a step of work needs no word", () => {
  const rig = at(graphWith(), "build");
  rig.messages.advance({ result: "passed", by: AGENT });
  rig.stay();
  rig.messages.advance({ result: "passed", by: AGENT });
  expect(rig.state.task.history.map(({ step, by }) => ({ step, by }))).toEqual([
    { step: "build", by: undefined },
    { step: "look", by: AGENT },
  ]);
});

test("out of a place where the task waits for a person, an agent's move is told, too", () => {
  const rig = new MachineRig(reviewed, { task: { currentStep: "human", status: "HITL" } });
  rig.stay();
  rig.messages.advance({ result: "passed", by: AGENT });
  expect(rig.state.task).toMatchObject({ currentStep: "build", history: [{ step: "human", by: AGENT }] });
});

test("a repeated call of an agent is answered as the move that it made", () => {
  const rig = at(graphWith(), "look");
  rig.messages.advance({ result: "passed", version: 0, by: AGENT });
  expect(rig.messages.advance({ result: "passed", version: 0, by: AGENT })).toMatchObject({
    ok: true,
    value: { repeated: true },
  });
});

describe("an agent that loads a task again", () => {
  const asked = at(graphWith(NAMED), "look");
  asked.stay();
  const reload = (more: object, by: Mover | undefined = AGENT) => {
    const { setup, task: now } = asked.state;
    const checked = asked.messages.checkReload({ ...setup, task: now, ...more }, by);
    return checked.ok ? null : checked.fail.reason;
  };
  const task = asked.state.task;

  test.each([
    ["as it is", {}, null],
    [
      "past the people who are asked",
      { task: { ...task, currentStep: "done", status: "COMPLETED" } },
      "agents_may_not_decide",
    ],
    ["back to the work", { task: { ...task, currentStep: "build" } }, "agents_may_not_decide"],
    ["with a graph that names nobody", { definition: graphWith() }, "agents_may_not_decide"],
    [
      "with a graph that names somebody else",
      { definition: graphWith({ assignees: ["mallory"] }) },
      "agents_may_not_decide",
    ],
    ["with other words in the graph", { definition: { ...graphWith(NAMED), name: "Another" } }, null],
  ])("%s", (_, more, reason) => {
    expect(reload(more)).toBe(reason);
    const byNobody = asked.messages.checkReload({ ...asked.state.setup, task, ...more });
    expect(byNobody.ok ? null : byNobody.fail.reason).toBe(reason && "unverified_decision");
  });
});
