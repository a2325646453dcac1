import { stepOf } from "../../../../../src/core/agent/run/run";
import { defined } from "../../../../../src/core/base/defined";
import { ok } from "../../../../../src/core/base/failure";
import type { Definition } from "../../../../../src/core/graph/definition/schema";
import { renderWay } from "../../../../../src/core/graph/show/text-diagram";
import { newTask } from "../../../../../src/core/graph/task/task";
import { scriptedModel } from "../../../../../src/models/scripted";
import { MemoryHost } from "../../../../../src/simulate/memory-host";
import { type MemoryTaskWorld, runTaskInMemory, type TaskInMemory } from "../../../../../src/simulate/memory-task";
import { undoService } from "../../../../support/undo-service";
import { agentOf, fenced } from "../../../agent/run/mission";
import { gate, parsed, task, written } from "../../definition/definitions";
import { MachineRig, stateOf } from "./machine-rig";

/** `on_failure: undo` of an edge (effects reference, section 9), in memory. */

/** What an agent does at a step, attempt by attempt: it books these numbers, and says this. */
type Attempt = [says: string, ...books: number[]];
type Work = { [step: string]: Attempt[] };
type UndoArrow = [from: string, to: string, on?: string, undo?: "undo"];

const { tools } = undoService();
const booker = agentOf({ name: "booker", prompt: "Book.", tools: tools.map(({ spec }) => spec), max_turns: 1 });
const agent = (more: object = {}) => task({ agent: "booker", ...more });

function graph(nodes: { [id: string]: object | null }, arrows: UndoArrow[]): Definition {
  const { edges, ...rest } = written(
    nodes,
    arrows.map(([from, to, on]) => (on === undefined ? [from, to] : [from, to, on])),
  );
  const undoing = edges.map((edge, i) => (arrows[i]?.[3] === "undo" ? { ...edge, on_failure: "undo" } : edge));
  return parsed({ ...rest, edges: undoing }).definition;
}

function program([says, ...books]: Attempt): string {
  const calls = books.map((n) => `(tool/${n < 0 ? "note" : "book"} {:n ${n}})`).join(" ");
  return fenced(`(do ${calls} ${says === "failed" ? '(fail "full")' : `(return {:outcome "${says}"})`})`);
}

async function run(flow: Definition, work: Work, more: Partial<MemoryTaskWorld> = {}) {
  const undone: number[] = [];
  const left = Object.fromEntries(Object.entries(work).map(([step, attempts]) => [step, [...attempts]]));
  const contexts: unknown[] = [];
  const begun = newTask({ id: "t", issueId: "I-1", workflowType: flow.id }, flow, Date.UTC(2030, 0, 1));
  const ended = await runTaskInMemory(
    "task/t",
    { task: begun, definition: flow, agents: { booker }, model: "scripted" },
    {
      decide: () => undefined,
      runAgent: async ({ step, workflowId, input }) => {
        const attempt = left[step]?.shift();
        if (attempt === undefined) throw new Error(`Nothing is scripted for another attempt at ${step}.`);
        contexts.push(input.context.steps);
        const host = new MemoryHost({
          model: scriptedModel([{ content: program(attempt) }], "the test"),
          tools: new Map(tools.map(({ spec }) => [spec.name, ({ n }) => ok({ tx: n as number })])),
          agent: "booker",
          scope: workflowId,
        });
        const agentRun = host.open(input);
        return { step: ok(await stepOf(agentRun)), ...defined({ effects: agentRun.handedBack() }) };
      },
      undo: async ({ args }) => {
        undone.push(Number(args.n));
        return ok(null);
      },
      ...more,
    },
  );
  const stays = ended.effects.filter(({ state }) => state === "done").map(({ args }) => Number(args?.n));
  const path = ended.task.history.map(({ step }) => step).concat(ended.task.currentStep);
  const notes = ended.task.history.flatMap(({ step, undo }) => (undo === undefined ? [] : [{ step, ...undo }]));
  return { ...ended, undone, stays, path, notes, contexts };
}

const ends = { gone: { type: "end", result: "failure" } };
const AB: UndoArrow[] = [
  ["start", "a"],
  ["a", "b", "passed", "undo"],
  ["a", "gone", "failed"],
  ["b", "done", "passed"],
  ["b", "gone", "failed"],
];
const twoSteps = (b: object = agent()) => graph({ ...ends, a: agent(), b }, AB);

test.each<{ name: string; flow: Definition; work: Work; decisions?: string[]; undone: number[]; stays: number[] }>([
  {
    name: "the step before one that failed is undone, its last effect first; what failed keeps what it did",
    flow: twoSteps(),
    work: { a: [["passed", 1, 2]], b: [["failed", 3]] },
    undone: [2, 1],
    stays: [3],
  },
  {
    name: "nothing is undone when the step behind the edge passes",
    flow: twoSteps(),
    work: { a: [["passed", 1]], b: [["passed", 3]] },
    undone: [],
    stays: [1, 3],
  },
  {
    name: "the step before the edge fails itself: the edge was not taken",
    flow: twoSteps(),
    work: { a: [["failed", 1]] },
    undone: [],
    stays: [1],
  },
  {
    name: "both say undo: first the step that failed, then the one before it",
    flow: twoSteps(agent({ on_failure: "undo" })),
    work: { a: [["passed", 1, 2]], b: [["failed", 3, 4]] },
    undone: [4, 3, 2, 1],
    stays: [],
  },
  {
    name: "retries in place undo nothing; the failure that leads on undoes once",
    flow: twoSteps(agent({ maxRetries: 2 })),
    work: { a: [["passed", 1]], b: [["failed"], ["failed"], ["failed"]] },
    undone: [1],
    stays: [],
  },
  {
    name: "a retry in place that passes keeps the step before it",
    flow: twoSteps(agent({ maxRetries: 2 })),
    work: { a: [["passed", 1]], b: [["failed"], ["passed"]] },
    undone: [],
    stays: [1],
  },
  {
    name: "a step before it that had failed and was tried again is undone with all its attempts",
    flow: graph({ ...ends, a: agent({ maxRetries: 1 }), b: agent() }, AB),
    work: {
      a: [
        ["failed", 1],
        ["passed", 2],
      ],
      b: [["failed"]],
    },
    undone: [2, 1],
    stays: [],
  },
  {
    name: "a failure that goes back undoes each visit: the next one books anew",
    flow: graph({ ...ends, a: agent(), b: agent({ maxRetries: 1 }) }, [
      ["start", "a"],
      ["a", "b", "passed", "undo"],
      ["b", "done", "passed"],
      ["b", "a", "failed"],
      ["b", "gone", "max_retries_exceeded"],
    ]),
    work: {
      a: [
        ["passed", 1],
        ["passed", 1],
      ],
      b: [["failed"], ["failed"]],
    },
    undone: [1, 1],
    stays: [],
  },
  {
    name: "a person at a gate rejects with failed",
    flow: twoSteps(gate()),
    work: { a: [["passed", 1]] },
    decisions: ["failed"],
    undone: [1],
    stays: [],
  },
  {
    name: "a gate that sends back with another result undoes nothing; all that was sent back is undone when it fails later",
    flow: graph({ ...ends, a: agent(), b: gate({ outputs: ["passed", "failed", "changes"] }) }, [
      ...AB,
      ["b", "a", "changes"],
    ]),
    work: {
      a: [
        ["passed", 1],
        ["passed", 2],
      ],
    },
    decisions: ["changes", "failed"],
    undone: [2, 1],
    stays: [],
  },
  {
    name: "a loop that was meant: only its last round is undone",
    flow: graph({ ...ends, a: agent({ outputs: ["passed", "more", "failed"] }), b: agent(), c: agent() }, [
      ...AB,
      ["a", "c", "more"],
      ["c", "a"],
    ]),
    work: {
      a: [
        ["more", 1],
        ["passed", 2],
      ],
      b: [["failed"]],
      c: [["passed"]],
    },
    undone: [2],
    stays: [1],
  },
  {
    name: "of several edges into a step only the one counts that was taken last",
    flow: graph({ ...ends, a: agent({ outputs: ["passed", "failed"] }), b: agent(), c: agent() }, [
      ...AB.slice(0, 3),
      ["b", "c", "passed"],
      ["c", "b", "passed"],
      ["b", "gone", "failed"],
      ["c", "done", "failed"],
    ]),
    work: { a: [["passed", 1]], b: [["passed", 2], ["failed"]], c: [["passed", 3]] },
    undone: [],
    stays: [1, 2, 3],
  },
  {
    name: "two edges between the same nodes: the one that was taken counts",
    flow: graph({ ...ends, a: agent({ outputs: ["passed", "maybe", "failed"] }), b: agent() }, [
      ...AB,
      ["a", "b", "maybe"],
    ]),
    work: { a: [["maybe", 1]], b: [["failed"]] },
    undone: [],
    stays: [1],
  },
  {
    name: "an edge on failed: both have failed",
    flow: graph({ ...ends, a: agent(), b: agent() }, [
      ["start", "a"],
      ["a", "done", "passed"],
      ["a", "b", "failed", "undo"],
      ["b", "done", "passed"],
      ["b", "gone", "failed"],
    ]),
    work: { a: [["failed", 1]], b: [["failed", 2]] },
    undone: [1],
    stays: [2],
  },
  {
    name: "an edge into an end that is no success undoes the step before it, whatever its result",
    flow: graph({ ...ends, a: agent(), b: gate({ outputs: ["passed", "rejected"] }) }, [
      ["start", "a"],
      ["a", "b", "passed"],
      ["a", "gone", "failed", "undo"],
      ["b", "done", "passed"],
      ["b", "gone", "rejected"],
    ]),
    work: { a: [["failed", 1]] },
    undone: [1],
    stays: [],
  },
  {
    name: "a failure into a failing end undoes the step that failed, then the one before it",
    flow: graph({ ...ends, a: agent(), b: agent() }, [
      ["start", "a"],
      ["a", "b", undefined, "undo"],
      ["b", "done", "passed"],
      ["b", "gone", "failed", "undo"],
    ]),
    work: { a: [["passed", 1]], b: [["failed", 2]] },
    undone: [2, 1],
    stays: [],
  },
  {
    name: "retries are used up and no edge leads on: the task ends there, undone",
    flow: graph({ a: agent(), b: agent({ maxRetries: 1 }) }, [
      ["start", "a"],
      ["a", "b", "passed", "undo"],
      ["b", "done", "passed"],
      ["b", "a", "failed"],
    ]),
    work: {
      a: [
        ["passed", 1],
        ["passed", 1],
      ],
      b: [["failed"], ["failed"]],
    },
    undone: [1, 1],
    stays: [],
  },
  {
    name: "no edge fits the failure, and a person closes the task: nothing is undone",
    flow: graph({ ...ends, a: agent(), b: agent() }, [
      ["start", "a"],
      ["a", "b", "passed", "undo"],
      ["a", "gone", "failed"],
      ["b", "done", "passed"],
    ]),
    work: { a: [["passed", 1]], b: [["failed"]] },
    decisions: ["close"],
    undone: [],
    stays: [1],
  },
  {
    name: "what no tool can take back remains",
    flow: twoSteps(),
    work: { a: [["passed", 1, -2]], b: [["failed"]] },
    undone: [1],
    stays: [-2],
  },
])("$name", async ({ flow, work, decisions = [], undone, stays }) => {
  const choices = [...decisions];
  const ran = await run(flow, work, { decide: () => choices.shift() });
  expect({ undone: ran.undone, stays: ran.stays }).toEqual({ undone, stays });
});

describe("branches:", () => {
  const nodes = {
    ...ends,
    a: agent(),
    split: { type: "fork", join: "merge" },
    flight: agent(),
    hotel: agent(),
    car: agent(),
    merge: { type: "join", fork: "split" },
    pay: agent(),
  };
  const forked = (undoes: (edge: string) => boolean) =>
    graph(
      nodes,
      (
        [
          ["start", "a"],
          ["a", "split", "passed"],
          ["a", "gone", "failed"],
          ["split", "flight"],
          ["split", "hotel"],
          ["flight", "car", "passed"],
          ["flight", "merge", "failed"],
          ["car", "merge"],
          ["hotel", "merge"],
          ["merge", "pay", "passed"],
          ["merge", "gone", "failed"],
          ["pay", "done", "passed"],
          ["pay", "gone", "failed"],
        ] as UndoArrow[]
      ).map(([from, to, on]) => [from, to, on, undoes(`${from} ${to} ${on ?? ""}`.trim()) ? "undo" : undefined]),
    );
  const allPass: Work = {
    a: [["passed", 1]],
    flight: [["passed", 2]],
    car: [["passed", 3]],
    hotel: [["passed", 4]],
    pay: [["failed", 5]],
  };
  const hotelFails: Work = { ...allPass, hotel: [["failed", 4]] };

  test.each<{ name: string; edges: string[]; work: Work; undone: number[] }>([
    { name: "an edge into the fork: its branches fail", edges: ["a split passed"], work: hotelFails, undone: [1] },
    { name: "an edge into the fork: its branches pass", edges: ["a split passed"], work: allPass, undone: [] },
    {
      name: "edges into the join: each undoes its own step when the join fails",
      edges: ["car merge", "hotel merge"],
      work: hotelFails,
      undone: [4, 3],
    },
    { name: "edges into the join that passes", edges: ["car merge", "hotel merge"], work: allPass, undone: [] },
    {
      name: "a branch that came over another edge keeps what it did",
      edges: ["car merge"],
      work: { ...hotelFails, flight: [["failed", 2]] },
      undone: [],
    },
    { name: "within a branch", edges: ["flight car passed"], work: { ...allPass, car: [["failed", 3]] }, undone: [2] },
    {
      name: "an edge out of the join: all that the branches did",
      edges: ["merge pay passed"],
      work: allPass,
      undone: [4, 3, 2],
    },
    {
      name: "an edge from the join into a failing end, beside edges into the join: everything once",
      edges: ["merge gone failed", "hotel merge", "a split passed"],
      work: hotelFails,
      undone: [4, 3, 2, 1],
    },
  ])("$name", async ({ edges, work, undone }) => {
    const ran = await run(
      forked((edge) => edges.includes(edge)),
      work,
    );
    // Branches run side by side: only what was done one after another has an order.
    expect([...ran.undone].sort()).toEqual([...undone].sort());
    if (ran.undone.includes(1)) expect(ran.undone.at(-1)).toBe(1);
    expect(ran.effects.filter(({ state }) => state === "undone")).toHaveLength(undone.length);
  });

  test("the history of the fork names the steps of the branches", async () => {
    const ran = await run(
      forked((edge) => edge === "hotel merge"),
      hotelFails,
    );
    expect(ran.notes).toEqual([{ step: "split", steps: ["hotel"], undone: 1, remaining: [] }]);
  });

  test("a report that names the work of others undoes none of it", async () => {
    const flow = forked(() => false);
    const undoes = { step: "hotel", lanes: ["a", "split/flight/flight"] };
    const ran = await run(flow, hotelFails, { reported: (report) => ({ ...report, undo_on_failure: undoes }) });
    expect(ran.undone.sort()).toEqual([2]);
  });
});

test("the history, the way and the next agent say what was undone and what remains", async () => {
  const flow = graph({ ...ends, a: agent(), b: agent(), c: agent() }, [
    ["start", "a"],
    ["a", "b", "passed", "undo"],
    ["a", "gone", "failed"],
    ["b", "done", "passed"],
    ["b", "c", "failed"],
    ["c", "gone"],
  ]);
  const ran = await run(flow, { a: [["passed", 1, -2]], b: [["failed"]], c: [["passed"]] });
  expect(ran.notes).toEqual([{ step: "b", steps: ["a"], undone: 1, remaining: ["note: tool/note has no undo"] }]);
  const said = 'What "a" had done was undone (1). Not undone: note: tool/note has no undo.';
  expect(ran.contexts.at(-1)).toMatchObject({ b: { undo: said } });
  const way = renderWay(flow, ran.task);
  expect(way).toContain(`b: failed ↩ ${said}`);
  expect(way).toContain("passed → b ↩");
});

test("the task waits until it is undone: it is not in the queue, and nobody advances or claims it", async () => {
  const flow = graph({ ...ends, a: agent(), b: agent(), c: task() }, [
    ["start", "a"],
    ["a", "b", "passed", "undo"],
    ["a", "gone", "failed"],
    ["b", "done", "passed"],
    ["b", "c", "failed"],
    ["c", "gone", "failed"],
    ["c", "done", "passed"],
  ]);
  const seen: unknown[] = [];
  const undo = async (_: unknown, { state, messages }: TaskInMemory) => {
    const { currentStep, status } = state.task;
    seen.push({ currentStep, status, undoing: state.view().undoing });
    expect(messages.checkAdvance({ result: "passed" })).toMatchObject({ fail: { reason: "child_active" } });
    expect(messages.checkClaim({ owner: "one", leaseMs: 60_000 })).toMatchObject({ fail: { reason: "child_active" } });
    messages.cancel("no longer needed");
    return ok(null);
  };
  const ran = await run(flow, { a: [["passed", 1]], b: [["failed"]] }, { undo });
  expect(seen).toEqual([{ currentStep: "c", status: "IN_PROGRESS", undoing: true }]);
  expect(ran.task).toMatchObject({ status: "FAILED", endResult: "cancelled" });
  expect(ran.notes).toMatchObject([{ step: "b", undone: 1 }]);
});

test("an undo that fails is told, and the task goes on", async () => {
  const undo: MemoryTaskWorld["undo"] = async () => ({ ok: false, fail: { reason: "tool_error", message: "closed" } });
  const ran = await run(twoSteps(), { a: [["passed", 1]], b: [["failed"]] }, { undo });
  expect(ran.task.currentStep).toBe("gone");
  expect(ran.notes).toEqual([{ step: "b", steps: ["a"], undone: 0, remaining: ["book: closed"] }]);
});

test("a task that continues as new before it is undone undoes it in the next run", () => {
  const flow = twoSteps(task());
  const begun = newTask({ id: "t", issueId: "I-1", workflowType: flow.id, currentStep: "b" }, flow, 0);
  const owed = [{ move: 1, steps: ["a"], lanes: ["a"], edges: ["a -> b"] }];
  const before = stateOf({ task: begun, definition: flow, agents: {}, model: "m" });
  const rig = new MachineRig(flow, { task: { currentStep: "b" } }, { ...before.continueState(), owed });
  expect(rig.machine.alert()).toBeNull();
  expect(rig.state.continueState().owed).toEqual(owed);
  expect(rig.stay()).toEqual({ kind: "undo", lanes: ["a"], because: "on_failure of edge a -> b" });
  expect(rig.report({ undone: 1, remaining: [], tasks: [] })).toBeNull();
  expect(rig.state.continueState().owed).toBeUndefined();
});
