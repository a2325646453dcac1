import { parseDefinition } from "../../src/core/graph/definition/parse";
import type { Definition } from "../../src/core/graph/definition/schema";
import { executionPlan } from "../../src/core/graph/show/levels";
import { renderMermaid } from "../../src/core/graph/show/mermaid";
import { taskProgress } from "../../src/core/graph/show/progress";
import { evaluateEdge } from "../../src/core/graph/task/evaluate-edge";
import { advanceTask, newTask, type Task } from "../../src/core/graph/task/task";
import { parseTask } from "../../src/core/graph/task/task-input";
import { connectInMemory, type McpClient, WITHOUT_TEMPORAL } from "../support/mcp/client";

/** The graph reference (docs/reference/graph.md), rule by rule; what needs a server is in test/live/mcp-*.test.ts. */
const NOW = 1_700_000_000_000;
type Arrow = readonly [from: string, to: string, on?: string];
const edges = (arrows: readonly (readonly [string, string, (string | undefined)?])[]) =>
  arrows.map(([from, to, on]) => (on === undefined ? { from, to } : { from, to, on }));
const ENDS = {
  end: { type: "end", result: "success" },
  hitl: { type: "end", result: "blocked", escalation: "hitl" },
};

function read(raw: object): Definition {
  const parsed = parseDefinition(raw);
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value.definition;
}

/** The example of the original: a review that sends back three times, then asks a person. */
const EXAMPLE = {
  id: "bug-fix",
  nodes: {
    start: { type: "start" },
    analyze: { type: "task", name: "Analyze", agent: "investigator", stage: "planning" },
    review: { type: "gate", name: "Review", maxRetries: 3, stage: "verification" },
    ...ENDS,
  },
  edges: edges([
    ["start", "analyze"],
    ["analyze", "review"],
    ["review", "end", "passed"],
    ["review", "analyze", "failed"],
    ["review", "hitl", "max_retries_exceeded"],
  ]),
};
const bugFix = read(EXAMPLE);
const taskAt = (currentStep: string, more: Partial<Task> = {}, flow = bugFix): Task =>
  newTask({ id: "t", issueId: "I-1", workflowType: flow.id, currentStep, ...more }, flow, NOW);
function advance(task: Task, given: object, flow = bugFix) {
  const moved = advanceTask(flow, task, given, NOW + 1);
  if (!moved.ok) throw new Error(moved.fail.message);
  return moved.answer;
}
const refusal = (task: Task, given: object, flow = bugFix) => {
  const moved = advanceTask(flow, task, given, NOW + 1);
  return moved.ok ? null : moved.fail.reason;
};

describe("definitions (graph reference, section 1)", () => {
  const errors = (raw: object): string[] => {
    const parsed = parseDefinition(raw);
    return parsed.ok ? [] : ((parsed.fail.details?.issues ?? []) as { code: string }[]).map(({ code }) => code);
  };
  const flow = (nodes: object, arrows: readonly Arrow[]) => ({
    id: "a",
    nodes: { start: { type: "start" }, ...ENDS, ...nodes },
    edges: edges(arrows),
  });
  const whole: readonly Arrow[] = [
    ["start", "S"],
    ["S", "end", "passed"],
    ["S", "hitl", "failed"],
  ];
  const S = { type: "task", name: "S" };

  test("the original's example loads without an error", () => expect(errors(EXAMPLE)).toEqual([]));
  test("name is the id by default, description is empty", () =>
    expect(bugFix).toMatchObject({ name: "bug-fix", description: "" }));
  test.each(["Bug", "1a", "a_b", ""])("1: the id %p is no lower-case kebab and is refused", (id) =>
    expect(errors({ ...EXAMPLE, id })).toContain("invalid_id"),
  );
  test.each(["uiRebuild_build", "constructor", "__proto__", "x y"])("1: a node may be called %p", (node) => {
    const nodes = Object.fromEntries([["start", { type: "start" }], [node, S], ...Object.entries(ENDS)]);
    expect(
      errors({
        id: "a",
        nodes,
        edges: edges([
          ["start", node],
          [node, "end", "passed"],
          [node, "hitl", "failed"],
        ]),
      }),
    ).toEqual([]);
  });
  test("1.1: any text is a stage, agent and config are handed on", () => {
    const parsed = read(
      flow({ S: { ...S, stage: "semantic-ir-extraction", agent: "Any Text", config: { a: [1] } } }, whole),
    );
    expect(parsed.nodes.S).toMatchObject({
      stage: "semantic-ir-extraction",
      agent: "Any Text",
      config: { a: [1] },
    });
  });
  test.each<[string, object, readonly Arrow[]]>([
    ["start_count", { S, again: { type: "start" } }, [...whole, ["again", "S"]]],
    ["unknown_node_type", { S: { type: "loop", name: "S" } }, whole],
    ["name_required", { S: { type: "task" } }, whole],
    ["invalid_end_result", { S, end: { type: "end", result: "done" } }, whole],
    ["invalid_escalation", { S, end: { type: "end", result: "success", escalation: "mail" } }, whole],
    ["invalid_max_retries", { S: { ...S, maxRetries: -1 } }, whole],
    ["invalid_outputs", { S: { ...S, outputs: [] } }, whole],
    ["invalid_outputs", { S: { ...S, outputs: ["passed", "failed", "max_retries_exceeded"] } }, whole],
    ["workflow_required", { S: { type: "subflow" } }, whole],
    ["unknown_source", { S }, [...whole, ["gone", "S"]]],
    ["unknown_target", { S }, [...whole, ["S", "gone", "passed"]]],
    ["edge_into_start", { S }, [...whole, ["S", "start", "failed"]]],
    [
      "dead_end",
      { S, T: S },
      [
        ["start", "S"],
        ["S", "end", "passed"],
        ["S", "T", "failed"],
      ],
    ],
    ["unreachable_node", { S, T: S }, [...whole, ["T", "end"]]],
    [
      "no_path_to_end",
      { S, T: S, U: S },
      [
        ["start", "S"],
        ["S", "end", "passed"],
        ["S", "T", "failed"],
        ["T", "U"],
        ["U", "T"],
      ],
    ],
    ["output_not_declared", { S }, [...whole, ["S", "end", "odd"]]],
    ["duplicate_edge", { S }, [...whole, ["S", "end", "passed"]]],
    [
      "fork_join_mismatch",
      { S, split: { type: "fork", join: "gone" } },
      [...whole, ["S", "split", "passed"], ["split", "end"]],
    ],
  ])("2: %s refuses the definition", (code, nodes, arrows) => expect(errors(flow(nodes, arrows))).toContain(code));
  test("2: nodes and edges are required, and every finding is told at once", () =>
    expect(errors({ id: "a" }).sort()).toEqual(["missing_edges", "missing_nodes"]));
  test.each<[string, object, readonly Arrow[]]>([
    [
      "uncovered_output",
      { S },
      [
        ["start", "S"],
        ["S", "end", "passed"],
      ],
    ],
    [
      "ambiguous_edge",
      { S },
      [
        ["start", "S"],
        ["S", "end"],
        ["S", "hitl"],
      ],
    ],
    [
      "unbounded_loop",
      { S },
      [
        ["start", "S"],
        ["S", "end", "passed"],
        ["S", "S", "failed"],
      ],
    ],
    [
      "retry_without_escalation",
      { S: { ...S, maxRetries: 1 } },
      [
        ["start", "S"],
        ["S", "end", "passed"],
        ["S", "S", "failed"],
      ],
    ],
    [
      "unused_max_retries",
      { S: { ...S, maxRetries: 1 } },
      [
        ["start", "S"],
        ["S", "end"],
      ],
    ],
    ["unknown_property", { S: { ...S, colour: "red" } }, whole],
  ])("2: %s is a warning, and the definition loads", (code, nodes, arrows) => {
    const raw = flow(nodes, arrows) as { nodes: { hitl?: object } };
    if (!arrows.some(([, to]) => to === "hitl")) delete raw.nodes.hitl;
    const parsed = parseDefinition(raw);
    expect(parsed.ok && parsed.value.warnings.map((one) => one.code)).toContain(code);
  });
});

describe("edges (graph reference, section 3)", () => {
  /** A definition with the step S and only those ends to which it leads. */
  const step = (more: object, ...arrows: [string, string?][]) => {
    const ends = Object.entries(ENDS).filter(([end]) => arrows.some(([to]) => to === end));
    return read({
      id: "a",
      nodes: {
        start: { type: "start" },
        W: { type: "task", name: "W" },
        S: { type: "task", name: "S", ...more },
        ...Object.fromEntries(ends),
      },
      edges: [
        ...edges([
          ["start", "W"],
          ["W", "S"],
        ]),
        ...edges(arrows.map(([to, on]) => ["S", to, on] as Arrow)),
      ],
    });
  };
  const reading = (...arrows: [string, string?][]) => step({}, ...arrows);
  const pass: [string, string] = ["end", "passed"];
  const back: [string, string] = ["W", "failed"];
  const out: [string, string] = ["hitl", "max_retries_exceeded"];
  const end: [string, string] = ["hitl", "failed"];
  test.each<[string, Definition, string | undefined, number, object]>([
    [
      "2: without a result the unconditional edge is taken",
      step({}, ["end"]),
      undefined,
      0,
      { to: "end", action: "unconditional" },
    ],
    [
      "2: a step that needs a result refuses none",
      step({}, pass, end),
      undefined,
      0,
      { kind: "refused", fail: { reason: "result_required" } },
    ],
    [
      "3: the engine's own result is refused",
      step({}, pass, end),
      "max_retries_exceeded",
      0,
      { fail: { reason: "reserved_result" } },
    ],
    [
      "4: a result that is not declared is refused",
      step({ outputs: ["passed", "failed"] }, pass, end),
      "odd",
      0,
      { fail: { reason: "invalid_result" } },
    ],
    [
      "5: a named retry is taken while retries remain",
      step({ maxRetries: 3 }, pass, back, out),
      "failed",
      0,
      { to: "W", action: "retry", retriesUsed: 1, retriesRemaining: 2, maxRetries: 3 },
    ],
    [
      "5: then the way out",
      step({ maxRetries: 3 }, pass, back, out),
      "failed",
      3,
      { to: "hitl", action: "escalate", retriesUsed: 3, retriesRemaining: 0 },
    ],
    [
      "5: a pair of failed edges: the one to an end is the way out",
      step({ maxRetries: 1 }, pass, end, back),
      "failed",
      0,
      { to: "W", action: "retry" },
    ],
    [
      "5: and is taken when retries are used up",
      step({ maxRetries: 1 }, pass, end, back),
      "failed",
      1,
      { to: "hitl", action: "escalate" },
    ],
    [
      "5: without maxRetries the first failure escalates",
      step({}, pass, end, back),
      "failed",
      0,
      { to: "hitl", action: "escalate" },
    ],
    [
      "5: a lone failed edge back is never counted without maxRetries",
      reading(pass, back),
      "failed",
      0,
      { to: "W", action: "conditional" },
    ],
    [
      "5: a lone failed edge to an end is tried in place first",
      step({ maxRetries: 1 }, pass, end),
      "failed",
      0,
      { to: "S", action: "retry" },
    ],
    ["5: and then taken", step({ maxRetries: 1 }, pass, end), "failed", 1, { to: "hitl", action: "escalate" }],
    [
      "5: a lone failed edge to an end without retries",
      step({}, pass, end),
      "failed",
      0,
      { to: "hitl", action: "conditional" },
    ],
    [
      "5: only a way out: tried in place first",
      step({ maxRetries: 1 }, pass, out),
      "failed",
      0,
      { to: "S", action: "retry" },
    ],
    ["6: an edge on the result", step({}, pass, end), "passed", 0, { to: "end", action: "conditional" }],
    ["6: it wins over one without on", step({}, ["hitl"], pass), "passed", 0, { to: "end", action: "conditional" }],
    [
      "7: an edge without on takes every other result",
      step({}, ["end"], end),
      "odd",
      0,
      { to: "end", action: "conditional" },
    ],
    ["7: failed, too", reading(["end"]), "failed", 0, { to: "end", action: "conditional" }],
    [
      "8: no edge fits",
      step({}, pass, end),
      "odd",
      0,
      {
        kind: "no_way",
        action: "no_matching_edge",
        availableEdges: [
          { to: "end", on: "passed" },
          { to: "hitl", on: "failed" },
        ],
      },
    ],
  ])("point %s", (_, flow, result, used, expected) =>
    expect(evaluateEdge(flow, "S", result, used)).toMatchObject(expected),
  );
  test("point 1: an end has no outgoing edges", () =>
    expect(evaluateEdge(bugFix, "end", "passed", 0)).toMatchObject({ action: "no_outgoing_edges" }));
});

describe("advance_task (graph reference, section 4)", () => {
  test("the original's example: analyze to review is conditional, with both steps and the whole task", () =>
    expect(advance(taskAt("analyze"), { result: "passed" })).toMatchObject({
      success: true,
      previousStep: "analyze",
      nextStep: "review",
      action: "conditional",
      task: { id: "t", currentStep: "review", status: "PENDING" },
    }));
  test("the original's example: the first failed review is retry 1 of 3", () =>
    expect(advance(taskAt("review"), { result: "failed" })).toMatchObject({
      nextStep: "analyze",
      action: "retry",
      retriesUsed: 1,
      retriesRemaining: 2,
      maxRetries: 3,
    }));
  test("the fourth failure escalates to a person, with the reason", () =>
    expect(advance(taskAt("review", { stepRetries: { review: 3 } }), { result: "failed" })).toMatchObject({
      nextStep: "hitl",
      action: "escalate",
      reason: "max_retries_exceeded",
      retriesUsed: 3,
      retriesRemaining: 0,
      terminal: "hitl",
      endResult: "blocked",
      escalation: "hitl",
      task: { status: "HITL" },
    }));
  test("at a success end the task is COMPLETED", () =>
    expect(advance(taskAt("review"), { result: "passed" })).toMatchObject({
      terminal: "success",
      endResult: "success",
      task: { status: "COMPLETED", currentStep: "end" },
    }));
  test("without a way nothing moves, and that is no error", () =>
    expect(advance(taskAt("review"), { result: "odd" })).toMatchObject({
      success: false,
      previousStep: "review",
      nextStep: null,
      action: "no_matching_edge",
      result: "odd",
    }));
  test("3.1: retries count for the gate that failed, and in the task's sum", () => {
    const { task } = advance(taskAt("review"), { result: "failed" });
    expect(task).toMatchObject({ stepRetries: { review: 1 }, retryCount: 1 });
  });
  test("3.1: a gate that passes forgets its failures, the sum stays", () => {
    const { task } = advance(taskAt("review", { stepRetries: { review: 2 }, retryCount: 2 }), { result: "passed" });
    expect([Object.keys(task.stepRetries), task.retryCount]).toEqual([[], 2]);
  });
  test("3.1: passing other steps on the way back does not touch the count", () =>
    expect(
      advance(taskAt("analyze", { stepRetries: { review: 1 } }), { result: "passed" }).task.stepRetries,
    ).toMatchObject({ review: 1 }));
  test("the output is kept in the history and does not steer", () =>
    expect(advance(taskAt("analyze"), { result: "passed", output: { found: 1 } }).task.history).toMatchObject([
      { step: "analyze", to: "review", result: "passed", output: { found: 1 } },
    ]));
  test.each<[string, Task, object]>([
    ["task_closed", taskAt("end", { status: "COMPLETED" }), { result: "passed" }],
    ["task_paused", taskAt("analyze", { status: "PAUSED" }), {}],
    ["task_in_hitl", taskAt("hitl", { status: "HITL" }), { result: "passed" }],
    ["step_not_found", taskAt("gone"), { result: "passed" }],
    ["step_changed", taskAt("review"), { result: "passed", expectedStep: "analyze" }],
    ["reserved_result", taskAt("review"), { result: "max_retries_exceeded" }],
    ["result_required", taskAt("review"), {}],
  ])("%s is refused", (reason, task, given) => expect(refusal(task, given)).toBe(reason));
  test.each([
    ["failure", "FAILED"],
    ["cancelled", "FAILED"],
    ["blocked", "FAILED"],
    ["success", "COMPLETED"],
  ])("4.1: an end with the result %s makes the task %s", (result, status) => {
    const flow = read({
      id: "a",
      nodes: { start: { type: "start" }, stop: { type: "end", result } },
      edges: edges([["start", "stop"]]),
    });
    expect(advance(taskAt("start", {}, flow), {}, flow).task).toMatchObject({ status, endResult: result });
  });
  test("4.1: an alert does not change the status", () => {
    const flow = read({
      id: "a",
      nodes: { start: { type: "start" }, stop: { type: "end", result: "success", escalation: "alert" } },
      edges: edges([["start", "stop"]]),
    });
    expect(advance(taskAt("start", {}, flow), {}, flow)).toMatchObject({
      escalation: "alert",
      task: { status: "COMPLETED" },
    });
  });
});

describe("tasks (graph reference, section 5)", () => {
  test("the defaults of a task", () =>
    expect(newTask({ id: "t", issueId: "I", workflowType: "bug-fix" }, bugFix, NOW)).toMatchObject({
      currentStep: "start",
      priority: 0,
      status: "PENDING",
      retryCount: 0,
      context: {},
      stepRetries: {},
      createdAt: NOW,
      updatedAt: NOW,
    }));
  test.each([{}, { id: "t" }, { id: "t", issueId: "I" }])("id, issueId and workflowType are required: %j", (raw) =>
    expect(parseTask(raw, undefined, NOW)).toMatchObject({ ok: false, fail: { reason: "invalid_task" } }),
  );
  test.each([-5, 0.5, 1e9])("any finite priority is taken: %p", (priority) =>
    expect(parseTask({ id: "t", issueId: "I", workflowType: "w", priority }, undefined, NOW)).toMatchObject({
      ok: true,
      value: { priority },
    }),
  );
  test("a task file of the original is read as it is", () =>
    expect(
      parseTask(
        {
          id: "task-001",
          issueId: "ISSUE-1",
          workflowType: "bug-fix",
          currentStep: "review",
          priority: 10,
          status: "IN_PROGRESS",
          retryCount: 1,
          context: { repository: "shop" },
          stepRetries: { review: 1 },
          createdAt: 1,
          updatedAt: 2,
        },
        bugFix,
        NOW,
      ),
    ).toMatchObject({
      ok: true,
      value: { currentStep: "review", status: "IN_PROGRESS", stepRetries: { review: 1 }, createdAt: 1 },
    }));
});

describe("levels, progress and diagram (graph reference, sections 6, 8 and 9.6)", () => {
  test("6: the levels of the example, and its edge back", () =>
    expect(executionPlan(bugFix)).toMatchObject({
      levels: [["start"], ["analyze"], ["review"], ["end", "hitl"]],
      backEdges: [{ from: "review", to: "analyze", on: "failed", kind: "retry" }],
    }));
  test("6: every node stands in exactly one level", () =>
    expect(executionPlan(bugFix).levels.flat().sort()).toEqual(Object.keys(bugFix.nodes).sort()));
  test("8: the progress of a task", () =>
    expect(taskProgress(bugFix, taskAt("review", { stepRetries: { review: 1 }, retryCount: 1 }))).toMatchObject({
      currentStep: "review",
      stepName: "Review",
      stage: "verification",
      level: 2,
      levelCount: 4,
      percent: 66,
      retriesRemaining: 2,
      nextSteps: [
        { to: "end", on: "passed" },
        { to: "analyze", on: "failed" },
        { to: "hitl", on: "max_retries_exceeded" },
      ],
    }));
  test("9.6: the diagram has each shape, agents, retries and labels", () => {
    const text = renderMermaid(bugFix, "review");
    for (const part of ["flowchart TD", '(("', '[["', '{{"✋', "↻3", "investigator", "passed", "current"])
      expect(text).toContain(part);
  });
});

describe("beyond the twelve tools (graph reference, section 9)", () => {
  const recovering = read({ ...EXAMPLE, edges: [...EXAMPLE.edges, { from: "hitl", to: "analyze", on: "passed" }] });
  test("9.4: a task with a person is taken up again with passed, its counters emptied", () => {
    const stuck = taskAt("hitl", { status: "HITL", stepRetries: { review: 3 }, retryCount: 3 }, recovering);
    expect(advance(stuck, { result: "passed" }, recovering)).toMatchObject({
      nextStep: "analyze",
      action: "conditional",
      task: { status: "PENDING", stepRetries: {}, retryCount: 3 },
    });
  });
  test("9.4: any other result is refused", () =>
    expect(refusal(taskAt("hitl", { status: "HITL" }, recovering), { result: "failed" }, recovering)).toBe(
      "task_in_hitl",
    ));
  const staged = read({
    id: "a",
    nodes: {
      start: { type: "start" },
      one: { type: "task", name: "One" },
      half: { type: "end", result: "success" },
      two: { type: "task", name: "Two" },
      end: { type: "end", result: "success" },
    },
    edges: edges([
      ["start", "one"],
      ["one", "half"],
      ["half", "two", "passed"],
      ["two", "end"],
    ]),
  });
  test("9.5: an autonomous task goes on through a success end", () =>
    expect(advance(taskAt("one", { autonomy: true } as Partial<Task>, staged), {}, staged)).toMatchObject({
      autonomyContinued: true,
      nextStep: "two",
    }));
  test("9.5: another task stops there", () =>
    expect(advance(taskAt("one", {}, staged), {}, staged).task).toMatchObject({
      status: "COMPLETED",
      currentStep: "half",
    }));
});

describe("the twelve tools (graph reference, section 8)", () => {
  let mcp: McpClient;
  beforeAll(async () => {
    mcp = await connectInMemory(WITHOUT_TEMPORAL);
  });
  afterAll(() => mcp.close());
  test.each<[string, string[], string[]]>([
    ["list_workflows", [], []],
    ["load_workflow", ["id", "definition"], ["id", "definition"]],
    ["get_execution_plan", ["workflowId"], ["workflowId"]],
    ["load_task_tree", ["tasks", "mode"], ["tasks"]],
    ["get_next_tasks_from_tree", ["limit"], []],
    ["advance_task", ["taskId", "result", "output", "expectedStep"], ["taskId"]],
    ["get_task", ["taskId"], ["taskId"]],
    ["get_task_progress", ["taskId"], ["taskId"]],
    ["get_tasks_by_status", ["status"], []],
    ["get_pending_syncs", [], []],
    ["confirm_sync", ["syncIds"], ["syncIds"]],
    ["confirm_sync_for_task", ["taskId"], ["taskId"]],
  ])("%s takes the original's arguments", async (name, fields, required) => {
    const tool = (await mcp.client.listTools()).tools.find((one) => one.name === name);
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(expect.arrayContaining(fields));
    expect(tool?.inputSchema.required ?? []).toEqual(required);
    expect(tool?.outputSchema).toMatchObject({ required: ["data"] });
  });
});
