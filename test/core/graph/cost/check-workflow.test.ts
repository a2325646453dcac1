import fc from "fast-check";
import type { AgentDefinition } from "../../../../src/core/agent/definition/definition";
import { parseAgent } from "../../../../src/core/agent/definition/parse-agent";
import { checkWorkflow } from "../../../../src/core/graph/cost/check-workflow";
import { worstRuns } from "../../../../src/core/graph/cost/worst-runs";
import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { type Definition, nodeOf } from "../../../../src/core/graph/definition/schema";
import { advanceTask } from "../../../../src/core/graph/task/task";
import { catalogWorkflows } from "../../../../src/project/catalog";
import { assertProperty } from "../../../support/run/property";
import { walked } from "../task/walked";

type Node = { type?: string; agent?: string; maxRetries?: number; [more: string]: unknown };

/** Nodes are tasks of the agent `a` unless they say otherwise; edges as `from on to` or `from to`. */
function graph(nodes: { [id: string]: Node }, ...edges: string[]): Definition {
  const all = {
    start: { type: "start" },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "blocked" },
    ...nodes,
  };
  const parsed = parseDefinition({
    id: "g",
    name: "G",
    nodes: Object.fromEntries(
      Object.entries(all).map(([id, node]) => [
        id,
        { name: id, ...("type" in node ? {} : { type: "task", agent: "a" }), ...node },
      ]),
    ),
    edges: edges.map((edge) => {
      const [from, a, b] = edge.split(" ");
      return b === undefined ? { from, to: a } : { from, on: a, to: b };
    }),
  });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value.definition;
}

function agentOf(source: object): AgentDefinition {
  const agent = parseAgent(source);
  if (!agent.ok) throw new Error(agent.fail.message);
  return agent.value;
}

const LINE = ["start work", "work passed check", "check passed done"];

describe("the worst number of agent runs", () => {
  test.each([
    [2, graph({ work: {}, check: { type: "gate", agent: "a" } }, ...LINE, "work failed stuck", "check failed stuck")],
    [1, graph({ work: {}, check: { type: "gate" } }, ...LINE, "work failed stuck", "check failed stuck")],
    [
      8,
      graph(
        { work: {}, check: { type: "gate", agent: "a", maxRetries: 3 } },
        ...LINE,
        "work failed stuck",
        "check failed work",
        "check failed stuck",
      ),
    ],
    [
      4,
      graph(
        { work: { maxRetries: 2 }, check: { type: "gate", agent: "a" } },
        ...LINE,
        "work failed stuck",
        "check failed stuck",
      ),
    ],
    // Each of 4 rounds of the check may use up 3 attempts of the work.
    [
      12 + 12,
      graph(
        { work: { maxRetries: 2 }, check: { type: "gate", agent: "a", maxRetries: 3 } },
        ...LINE,
        "work failed work",
        "work failed stuck",
        "check failed work",
        "check failed stuck",
      ),
    ],
    // A retry that is never allowed is no loop.
    [
      2,
      graph(
        { work: {}, check: { type: "gate", agent: "a" } },
        ...LINE,
        "work failed stuck",
        "check failed work",
        "check failed stuck",
      ),
    ],
  ])("%i", (runs, definition) => expect(worstRuns(definition)).toMatchObject({ agent_runs: runs, endless: [] }));

  test("an unlimited loop has no maximum number of runs", () => {
    const definition = graph(
      { work: {}, check: { type: "gate", agent: "a", outputs: ["passed", "again", "failed"] } },
      ...LINE,
      "work failed stuck",
      "check again work",
      "check failed stuck",
    );
    expect(worstRuns(definition)).toMatchObject({ agent_runs: null, endless: ["work", "check"] });
    expect(checkWorkflow(definition, { agents: {}, tools: null }).findings).toContainEqual(
      expect.objectContaining({ code: "endless_loop" }),
    );
  });

  test("a step that goes back on failed, without a limit and without another way, has none either", () => {
    const definition = graph(
      { work: {}, check: { type: "gate", agent: "a" } },
      ...LINE,
      "work failed stuck",
      "check failed work",
    );
    expect(worstRuns(definition)).toMatchObject({ agent_runs: null, endless: ["work", "check"] });
    // So the engine moves: it comes back each time.
    let task = walked([undefined, "passed"], definition);
    for (let round = 0; round < 3; round++) {
      expect(task.currentStep).toBe("check");
      for (const result of ["failed", "passed"]) {
        const moved = advanceTask(definition, task, { result }, round);
        if (!moved.ok) throw new Error(moved.fail.message);
        task = moved.task;
      }
    }
  });
});

describe("the worst cost", () => {
  const agents = {
    a: agentOf({ prompt: "Do it.", max_turns: 3, retry_turns: 1, model: ["acme/one", "acme/two"] }),
    b: agentOf({ prompt: "Say {{x}}.", output: "text", max_turns: 2, retry_turns: 1 }),
  };
  const definition = graph(
    { work: {}, check: { agent: "b", maxRetries: 2 } },
    ...LINE,
    "check failed work",
    "check failed stuck",
  );
  const price = (input: number) => ({ input, output: 0 });
  const prices = { "acme/one": price(1), "acme/two": price(2), "acme/usual": price(4) };
  const tokens_per_call = { input: 1_000, output: 0 };
  const worst = (more: object) =>
    checkWorkflow(definition, { agents, tools: null, prices, tokens_per_call, ...more }).worst;

  test("the cost counts a call per turn, at the dearest of several models, or the usual one if an agent names none", () =>
    expect(worst({ model: "acme/usual" })).toMatchObject({
      runs: { work: 3, check: 3 },
      agent_runs: 6,
      model_calls: 3 * 4 + 3 * 2,
      cost: 12 * 0.002 + 6 * 0.004,
      uncounted: [],
    }));

  test.each([
    ["no model", {}],
    ["no price", { model: "acme/unheard" }],
  ])("%s: the number of calls is known, the cost is not", (_, more) =>
    expect(worst(more)).toMatchObject({ model_calls: 18, cost: null }),
  );

  test("for an unknown agent neither is known", () =>
    expect(worst({ agents: { a: agents.a } })).toMatchObject({ agent_runs: 6, model_calls: null, cost: null }));

  test("tools that call models themselves are listed once", () => {
    const finder = { name: "finder", agent: { prompt: "Find.", description: "Finds." } };
    const asking = agentOf({ prompt: "Do it.", tools: [finder, "look"], llm_query: true });
    expect(worst({ agents: { a: asking, b: asking } }).uncounted).toEqual([
      "a: finder",
      "a: llm-query",
      "b: finder",
      "b: llm-query",
    ]);
  });

  test("the cost of an unlimited loop is unknown", () => {
    const round = graph(
      { work: { outputs: ["passed", "again", "failed"] } },
      "start work",
      "work passed done",
      "work again work",
      "work failed stuck",
    );
    expect(checkWorkflow(round, { agents, tools: null, prices, model: "acme/usual" }).worst).toMatchObject({
      agent_runs: null,
      model_calls: null,
      cost: null,
    });
  });
});

const agentWith = (tools: unknown): AgentDefinition => agentOf({ prompt: "Do it.", tools });
const codes = (definition: Definition, tools: unknown, known: string[] | null = null) =>
  checkWorkflow(definition, { agents: { a: agentWith(tools) }, tools: known }).findings.map(
    ({ code, nodeId }) => `${code} ${nodeId}`,
  );

const PAY = { effect: "irreversible", identity: false };
const pay = { pay: PAY };
const STRAIGHT = ["start work", "work passed done", "work failed stuck"];
const ASKED = ["start ask", "ask passed work", "ask failed stuck", "work passed done", "work failed stuck"];

describe("allowed effects of agents", () => {
  test.each([
    ["nobody is asked", graph({ work: {} }, ...STRAIGHT), pay, ["unreviewed_irreversible work"]],
    ["a person's gate comes before", graph({ ask: { type: "gate" }, work: {} }, ...ASKED), pay, []],
    [
      "the gate is an agent's",
      graph({ ask: { type: "gate", agent: "a" }, work: {} }, ...ASKED),
      pay,
      ["unreviewed_irreversible ask", "unreviewed_irreversible work"],
    ],
    ["the tool asks itself", graph({ work: {} }, ...STRAIGHT), { pay: { ...PAY, approval: true } }, []],
    [
      "another agent does it",
      graph({ work: {} }, ...STRAIGHT),
      { payer: { agent: { prompt: "Pay.", description: "pays", tools: pay } } },
      ["unreviewed_irreversible work"],
    ],
    [
      "nothing but texts distinguishes its calls",
      graph({ ask: { type: "gate" }, work: {} }, ...ASKED),
      { pay: { effect: "irreversible" } },
      ["no_identity work"],
    ],
    ["it can be taken back", graph({ work: {} }, ...STRAIGHT), { pay: { effect: "write" } }, []],
  ])("%s", (_, definition, tools, expected) => expect(codes(definition, tools)).toEqual(expected));

  test("an edge that undoes, behind tools that cannot take anything back, is a warning for each node whose work it undoes", () => {
    const nodes = {
      work: {},
      split: { type: "fork", join: "merge" },
      left: {},
      right: { type: "gate" },
      merge: { type: "join", fork: "split" },
    };
    const plain = graph(
      nodes,
      "start work",
      "work split",
      "split left",
      "split right",
      "left merge",
      "right merge",
      "merge passed done",
      "merge failed stuck",
    );
    const undoing = (...edges: string[]): Definition => ({
      ...plain,
      edges: plain.edges.map((edge) =>
        edges.includes(`${edge.from} ${edge.to}`) ? { ...edge, on_failure: "undo" as const } : edge,
      ),
    });
    const tools = { book: { effect: "write" } };
    expect(codes(undoing(), tools)).toEqual([]);
    expect(codes(undoing("work split"), tools)).toEqual(["no_undo work"]);
    expect(codes(undoing("merge done"), tools)).toEqual(["no_undo left"]);
    expect(codes(undoing("work split", "left merge"), { look: { effect: "read" } })).toEqual([]);
  });

  test("one path past the gate is enough for a warning", () => {
    const definition = graph(
      { sort: { type: "gate", agent: "b", outputs: ["small", "large"] }, ask: { type: "gate" }, work: {} },
      "start sort",
      "sort small work",
      "sort large ask",
      "ask passed work",
      "ask failed stuck",
      "work passed done",
      "work failed stuck",
    );
    const agents = { a: agentWith(pay), b: agentWith([]) };
    expect(checkWorkflow(definition, { agents, tools: null }).findings).toMatchObject([
      { code: "unreviewed_irreversible", nodeId: "work" },
    ]);
  });

  test("unknown agents and tools are named", () => {
    const definition = graph(
      { work: {}, other: { agent: "ghost" } },
      "start work",
      "work other",
      "other done",
      "other failed stuck",
    );
    expect(codes(definition, ["look", "ghost_tool"], ["look"])).toEqual(["missing_tool work", "missing_agent other"]);
  });
});

test("every catalog workflow has a maximum, or names the steps that prevent one", () => {
  for (const { definition } of catalogWorkflows()) {
    const { agent_runs, endless } = worstRuns(definition);
    expect(agent_runs === null).toBe(endless.length > 0);
  }
});

/** Six steps that lead anywhere, with and without retries. */
const definitions = fc
  .array(fc.record({ passed: fc.nat(7), back: fc.option(fc.nat(5)), up: fc.boolean(), maxRetries: fc.nat(2) }), {
    minLength: 6,
    maxLength: 6,
  })
  .map((steps) => {
    const name = (i: number) => (i < 6 ? `s${i}` : "done");
    const nodes = Object.fromEntries(steps.map(({ maxRetries }, i) => [name(i), { maxRetries }]));
    const edges = steps.flatMap(({ passed, back, up }, i) => [
      `${name(i)} passed ${name(passed)}`,
      ...(back === null ? [] : [`${name(i)} failed ${name(back)}`]),
      ...(up || back === null ? [`${name(i)} failed stuck`] : []),
    ]);
    try {
      return graph(nodes, "start s0", ...edges);
    } catch {
      return null;
    }
  })
  .filter((definition): definition is Definition => definition !== null);

test("no walk has more agent runs than the maximum", () =>
  assertProperty(
    fc.property(definitions, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (definition, results) => {
      const { agent_runs } = worstRuns(definition);
      if (agent_runs === null) return;
      let runs = 0;
      let task = walked([undefined], definition);
      for (const passed of results) {
        if (nodeOf(definition, task.currentStep)?.type === "end") break;
        runs += 1;
        const moved = advanceTask(definition, task, { result: passed ? "passed" : "failed" }, runs);
        if (!moved.ok) break;
        task = moved.task;
      }
      expect(runs).toBeLessThanOrEqual(agent_runs);
    }),
    { numRuns: 300 },
  ));
