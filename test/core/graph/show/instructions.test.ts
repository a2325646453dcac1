import { stepInstructions } from "../../../../src/core/graph/show/instructions";
import { newTask, type Task } from "../../../../src/core/graph/task/task";
import { definition, gate, reviewed, task } from "../definition/definitions";
import { branches, fork, forked } from "../definition/findings";

/** What is to be done at a step (graph reference, section 9.2). */
const at = (currentStep: string, more: Partial<Task> = {}): Task =>
  newTask({ id: "t-1", issueId: "I-1", workflowType: "test-flow", currentStep, ...more }, undefined, 0);

const lastLine = (text: string): string => text.split("\n").at(-1) as string;

const work = definition(
  {
    S: task({
      name: "Write the patch",
      stage: "development",
      description: "Work in {repository}; see ./guide.md.",
      instructions: "Small steps.",
      agent: "developer",
      maxRetries: 2,
      outputs: ["passed", "failed", "unclear"],
      context_files: ["docs/style.md", "./guide.md", "../secret"],
    }),
  },
  [
    ["start", "S"],
    ["S", "done"],
  ],
);

test("a work step has heading, files to read, prose, agent, retries, and the call to make, in this order", () => {
  const told = stepInstructions(
    work,
    at("S", { stepRetries: { S: 1 }, retryCount: 4, context: { userDescription: "Fix it" } }),
  );
  expect(told).toEqual({
    currentStep: "S",
    terminal: null,
    version: 0,
    request: { id: "t-1", issueId: "I-1", userDescription: "Fix it" },
    outputs: {},
    done: [],
    metadata: {
      workflowType: "test-flow",
      currentStep: "S",
      retryCount: 4,
      userDescription: "Fix it",
      stepName: "Write the patch",
    },
    instructions: `# development · Write the patch

Read first:
- docs/style.md
- ./guide.md (in the workflow's own folder)
- cannot be read: "../secret" leaves its root: name a file below the definition's folder (./...) or the project.

Work in {repository}; see ./guide.md.

Small steps.

Agent: developer
Retries: 2 at most, 1 used.

When it is done, call advance_task with taskId "t-1", version 0 and result "passed", "failed" or "unclear".`,
  });
});

test("with the definition's folder, its files are named relative to it", () => {
  const { instructions } = stepInstructions(work, at("S"), "/flows/bug");
  expect(instructions).toContain("- docs/style.md\n- /flows/bug/guide.md\n- cannot be read");
  expect(instructions).toContain("Work in {repository}; see /flows/bug/guide.md.");
});

test("a step with few properties has two lines", () => {
  const flow = definition({ S: gate({ name: "Look" }) }, [
    ["start", "S"],
    ["S", "done"],
  ]);
  const told = stepInstructions(flow, at("S", { context: { userDescription: 7 } }));
  expect(told.instructions).toBe(
    '# Look\n\nWhen it is done, call advance_task with taskId "t-1", version 0 and result "passed" or "failed".',
  );
  expect(told.metadata.userDescription).toBeNull();
});

test("a fork lists its branches, its limit, its join, and the tasks to work on", () => {
  const described = { one: { entryStep: "a", description: "the first" }, two: { entryStep: "b" } };
  const flow = definition(
    {
      ...branches,
      a: task({ name: "Read" }),
      split: fork({ name: "Look around", maxConcurrency: 2, branches: described }),
    },
    forked,
  );
  expect(stepInstructions(flow, at("split"))).toMatchObject({
    terminal: null,
    instructions: `# Look around

Branches, side by side, at most 2 at a time:
- a (Read): the first
- b (Work)

They meet at merge: every one must pass.

Do the work of the tasks "t-1/a", "t-1/b"; this one continues automatically when all is done. By hand: call advance_task with taskId "t-1", version 0 and result "passed" or "failed".`,
  });
  expect(lastLine(stepInstructions(flow, { ...at("split"), waitingFor: ["t-1/b"] }).instructions)).toContain(
    'Do the work of the task "t-1/b"; this one',
  );
  const any = definition({ ...branches, merge: { type: "join", fork: "split", strategy: "any-pass" } }, forked);
  expect(stepInstructions(any, at("split")).instructions).toContain("They meet at merge: at least one must pass.");
});

test("a subflow names the other workflow, its inputs, and the tasks to work on", () => {
  const flow = definition({ S: { type: "subflow", workflow: "check", inputs: { who: "context.customer" } } }, [
    ["start", "S"],
    ["S", "done"],
  ]);
  expect(stepInstructions(flow, at("S")).instructions).toBe(`# S

Runs the workflow check with
- who: context.customer

Do the work of the task "t-1/S"; this one continues automatically when all is done.`);
  const blocked = stepInstructions(flow, { ...at("S"), blockedBy: "subflow_not_loaded" });
  expect(lastLine(blocked.instructions)).toBe(
    'The workflow check is not loaded. Without it, call advance_task with taskId "t-1", version 0 and result "passed" or "failed".',
  );
});

describe("without any work", () => {
  const ends = definition(
    {
      S: task({ outputs: ["a", "b", "c", "d"] }),
      won: { type: "end", result: "success", escalation: "alert" },
      lost: { type: "end", result: "cancelled", escalation: "ticket" },
      stuck: { type: "end", result: "blocked", escalation: "hitl", name: "People" },
    },
    [
      ["start", "S"],
      ["S", "done", "a"],
      ["S", "won", "b"],
      ["S", "lost", "c"],
      ["S", "stuck", "d"],
    ],
  );

  test.each([
    { step: "start", terminal: "start", says: 'To begin, call start with taskId "t-1".' },
    { step: "done", terminal: "success", says: "The workflow is complete. No call is needed." },
    { step: "won", terminal: "success", says: "The workflow is complete. Raise an alert. No call is needed." },
    {
      step: "lost",
      terminal: "failure",
      says: "The workflow failed (cancelled). File a ticket. No call is needed.",
    },
    {
      step: "stuck",
      terminal: "hitl",
      says: "Human needed. No step leads on from here: a person must send the task to a step or close it.",
    },
  ])("$step: $terminal", ({ step, terminal, says }) => {
    const told = stepInstructions(ends, at(step));
    expect(told.terminal).toBe(terminal);
    expect(lastLine(told.instructions)).toBe(says);
  });

  test("an end that asks a person and leads back says how to continue", () => {
    expect(lastLine(stepInstructions(reviewed, at("human", { status: "HITL" })).instructions)).toBe(
      'Human needed. When a person has helped, call advance_task with taskId "t-1", version 0 and result "passed": it continues at build.',
    );
  });

  test.each([
    { step: "S", status: "FAILED" as const, says: "The task ended here (FAILED). No call is needed." },
    { step: "stuck", status: "FAILED" as const, says: "The task ended here (FAILED). No call is needed." },
    { step: "S", status: "PAUSED" as const, says: "The task is paused. No call is needed until it is resumed." },
  ])("$step when $status", ({ step, status, says }) => {
    expect(lastLine(stepInstructions(ends, at(step, { status })).instructions)).toBe(says);
  });

  test("a branch at its join has ended", () => {
    const told = stepInstructions(definition(branches, forked), at("merge", { status: "COMPLETED" }));
    expect(told.terminal).toBe("join");
    expect(lastLine(told.instructions)).toContain("This branch is complete.");
  });

  test("a step that no longer exists is reported, not thrown", () => {
    const told = stepInstructions(reviewed, at("constructor"));
    expect(told).toMatchObject({ currentStep: "constructor", terminal: null, metadata: { stepName: "constructor" } });
    expect(told.instructions).toContain('no step "constructor"');
  });
});

test("the request and the outputs of earlier steps are told, long ones cut", () => {
  const move = { to: "S", result: "passed", action: "conditional" as const, at: 1 };
  const told = stepInstructions(
    work,
    at("S", {
      context: { title: "Fix it", log: "x".repeat(5_000) },
      history: [
        { ...move, step: "plan", output: { files: ["a.ts"] } },
        { ...move, step: "S", output: "first" },
        { ...move, step: "look" },
        { ...move, step: "S", output: "second" },
      ],
    }),
  );
  expect(told).toMatchObject({
    version: 4,
    request: { title: "Fix it" },
    outputs: { plan: { files: ["a.ts"] }, S: "second" },
    done: [
      "1970-01-01T00:00:00Z plan -> S: passed",
      "1970-01-01T00:00:00Z S -> S: passed",
      "1970-01-01T00:00:00Z look -> S: passed",
      "1970-01-01T00:00:00Z S -> S: passed",
    ],
  });
  expect(String(told.request.log)).toMatch(/^x{2000}\.\.\. \(get_task has all of it\)$/);
});

test("a long course fits into a small context: the newest outputs and moves, the first of the request", () => {
  const history = Array.from({ length: 100 }, (_, i) => ({
    ...{ step: `s${i}`, to: `s${i + 1}`, result: null, at: i, output: `${i} ${"y".repeat(5_000)}` },
    ...(i === 99
      ? { action: "escalate" as const, by: { id: "agent:x", kind: "agent" as const, via: "mcp" as const } }
      : { action: "retry" as const }),
  }));
  const context = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`c${i}`, "z".repeat(3_000)]));
  const told = stepInstructions(work, at("S", { context, history, earlierMoves: 7 }));
  expect(JSON.stringify(told).length).toBeLessThan(45_000);
  expect(Object.keys(told.outputs)).toHaveLength(61);
  expect(told.outputs["..."]).toBe("40 more (get_task has all of it)");
  expect(String(told.outputs.s99)).toMatch(/^99 y{1997}\.\.\. \(/);
  expect(String(told.outputs.s50)).toMatch(/^50 y{197}\.\.\. \(/);
  expect(Object.keys(told.request).slice(0, 3)).toEqual(["id", "issueId", "c0"]);
  expect(String(told.request.c0)).toHaveLength(2_000 + "... (get_task has all of it)".length);
  expect(told.done).toHaveLength(26);
  expect(told.done[0]).toBe("82 earlier moves");
  expect(told.done.at(-1)).toBe("1970-01-01T00:00:00Z s99 -> s100 (escalate), by agent:x");
});

test("an output of an earlier visit does not stand for a later visit without one", () => {
  const move = { action: "conditional" as const, at: 0 };
  const objected = { step: "S", to: "plan", result: "failed", output: "no refund path", ...move };
  const planned = { step: "plan", to: "S", result: "passed", output: "plan.md", ...move };
  const outputsOf = (...history: Task["history"]) => stepInstructions(work, at("S", { history })).outputs;
  // While nobody has judged it again, the objection is what counts.
  expect(outputsOf(objected, planned)).toEqual({ S: "no refund path", plan: "plan.md" });
  const passed = { step: "S", to: "done", result: "passed", ...move };
  expect(outputsOf(objected, planned, passed)).toEqual({
    S: { from_earlier_visit: true, result: "failed", last_result: "passed", output: "no refund path" },
    plan: "plan.md",
  });
  expect(outputsOf(objected, passed, { ...passed, output: "sound" })).toEqual({ S: "sound" });
});

test.each([
  [{ agents: false }, "A person decides here, and no agent"],
  [{ assignees: ["anna", "ben"] }, "anna, ben decide here, and no agent"],
  [{ remind_ms: 60_000 }, 'When it is done, call advance_task with taskId "t-1", version 0'],
])("at a gate with the terms %j the last line says who moves the task", (review, says) => {
  const graph = definition({ look: gate({ review }) }, [
    ["start", "look"],
    ["look", "done"],
  ]);
  expect(lastLine(stepInstructions(graph, at("look")).instructions)).toContain(says);
});
