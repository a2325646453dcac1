import { randomUUID } from "node:crypto";
import path from "node:path";
import { type ApplicationFailure, WorkflowFailedError, type WorkflowHandle } from "@temporalio/client";
import { defaultPayloadConverter } from "@temporalio/common";
import { NativeConnection, Worker } from "@temporalio/worker";
import type { Step } from "../../src/core/agent/result/step";
import type { Task } from "../../src/core/graph/task/task";
import { testAddress } from "../support/environment";
import { fenced, openRig, type Rig } from "../support/rig";
import { until } from "../support/until";

/**
 * Workflows that somebody starts without Navigator's client (a Temporal client of any language, `temporal workflow start`), and
 * messages that are anything. None of it may fail a workflow task: the server would retry it for ever.
 */

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({
    script: {
      waits: [{ if_missing: "never said", content: fenced('(return {:status "waiting"})') }],
      plain: [fenced("(return 42)")],
    },
  });
});
afterAll(() => rig.stop());

const start = (type: string, args: unknown[], workflowId = `plain-${randomUUID()}`): Promise<WorkflowHandle> =>
  rig.client.temporal.workflow.start(type, { workflowId, taskQueue: rig.taskQueue, args });

const refusal = async (type: string, args: unknown[], workflowId?: string) =>
  refusalOf(await start(type, args, workflowId));

async function refusalOf(handle: WorkflowHandle) {
  const error = await handle.result().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WorkflowFailedError);
  const cause = (error as WorkflowFailedError).cause as ApplicationFailure;
  expect(cause.type).toBe("invalid_input");
  const [{ issues }] = cause.details as [{ issues: { path: string; message: string }[] }];
  for (const { message } of issues) expect(cause.message).toContain(message);
  expect(await failedTasks(handle)).toEqual([]);
  return issues.map(({ path, message }) => `${path}: ${message}`);
}

/** The workflow tasks that failed, with their reasons. */
async function failedTasks(handle: WorkflowHandle) {
  const { events = [] } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed ? [failed.failure?.message ?? "failed"] : [],
  );
}

const AGENT = { name: "plain", prompt: "Answer." };
const GRAPH = {
  id: "plain-graph",
  nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, end: { type: "end", result: "success" } },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "end", on: "passed" },
  ],
};
const TYPES = ["agentRun", "navigatorTask", "planRun", "scheduledAgent", "workflowDefinition", "taskTree"];

describe("a workflow that a plain client starts with a wrong input ends at once and names every mistake", () => {
  const deep = JSON.parse("[".repeat(3_000) + "]".repeat(3_000));

  test.each(TYPES)("%s with what is no object", async (type) => {
    for (const wrong of ["text", 42, [[]], deep]) expect(await refusal(type, [wrong])).toHaveLength(1);
  });

  test.each(["agentRun", "planRun", "scheduledAgent"])("%s with null, with nothing, or empty", async (type) => {
    for (const args of [[], [null], [{}]]) expect((await refusal(type, args)).length).toBeGreaterThan(0);
  });

  test("agentRun", async () => {
    expect(
      await refusal("agentRun", [
        {
          agent: { prompt: "", max_turns: "5", tools: [{ name: 1 }] },
          context: [],
          journal: "x",
          model: 5,
          on_waiting: "sleep",
          contxt: {},
          token_limit: -1,
          format: undefined,
        },
      ]),
    ).toEqual([
      "agent.prompt: is wrong: a prompt is required: a text that describes the task",
      "agent.tools[0].name: is wrong: must be a non-empty text",
      "agent.max_turns: is wrong: must be a positive integer",
      "token_limit: must be a positive integer",
      "context: must be an object, got a list",
      "journal: must be an object, got a string",
      "model: must be a model's name, or a list of them",
      "on_waiting: must be park or return",
      expect.stringMatching(/^contxt: is not a field.*context/),
    ]);
    expect(await refusal("agentRun", [{ agent: "order" }])).toEqual([
      "agent: is wrong: it must be an object, the agent itself with its prompt, got a string",
    ]);
    // The field of Navigator's own client is not trusted.
    expect(await refusal("agentRun", [{ format: 1, agent: {}, newer: 1 }])).toEqual([
      "agent.prompt: is wrong: a prompt is required: a text that describes the task",
    ]);
    expect(
      await refusal("agentRun", [{ format: 1, agent: AGENT, carried: {}, effects: 5, owner: { run_id: "x" } }]),
    ).toEqual([
      "effects: must be an object, got a number",
      "owner.workflow_id: must be a string, got nothing",
      "carried: comes only from the run before",
    ]);
    // A newer version sends agents that are complete.
    expect(await refusal("agentRun", [{ format: 1, agent: { ...AGENT, newer: 1 } }])).toEqual([
      'agent.newer: is wrong: unknown option "newer"',
    ]);
  });

  test("navigatorTask", async () => {
    expect(
      await refusal("navigatorTask", [
        {
          task: { id: "a/b", priority: "high" },
          definition: { nodes: {} },
          agents: { one: { prompt: 1 } },
          drive: "me",
        },
      ]),
    ).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^definition: is wrong: /),
        expect.stringMatching(/^task\.id: is wrong: .*try "a-b"/),
        "task.priority: is wrong: must be a finite number",
        "agents.one.prompt: is wrong: a prompt is required: a text that describes the task",
        "drive: must be agent or external",
      ]),
    );
  });

  test("planRun", async () => {
    expect(
      await refusal("planRun", [{ plan: { tasks: [{ id: "a", agent: "nobody" }] }, options: { llm: 5, x: 1 } }]),
    ).toEqual([
      expect.stringMatching(/^plan\.tasks\.a: is wrong: Task "a" is for the agent "nobody"/),
      "options.llm: must be a model's name, or a list of them",
      expect.stringMatching(/^options\.x: unknown option/),
    ]);
    expect(await refusal("planRun", [{}])).toEqual(["mission: is missing: give a plan, or a mission to plan for"]);
  });

  test("scheduledAgent, workflowDefinition and taskTree", async () => {
    expect(await refusal("scheduledAgent", [{ id: "a/b", once_per: "year", run: { agent: {} } }])).toEqual([
      "run.agent.prompt: is wrong: a prompt is required: a text that describes the task",
      expect.stringMatching(/^id: is wrong: .*try "a-b"/),
      'once_per: must be day, hour or minute, or {"day_in": TIME_ZONE}',
    ]);
    expect(await refusal("workflowDefinition", [{ id: "Bad Id" }])).toEqual([
      expect.stringMatching(/^id: must be lower-case kebab/),
    ]);
    expect(await refusal("workflowDefinition", [{ id: "good", versions: [] }])).toHaveLength(1);
    expect(await refusal("taskTree", [{ base: "x", next: -1 }])).toHaveLength(2);
  });
});

describe("a workflow that a plain client starts with the least input has the defaults of Navigator's client", () => {
  test("agentRun needs an agent with a prompt", async () => {
    const run = await start("agentRun", [{ agent: AGENT, model: "scripted" }]);
    expect(await run.result()).toMatchObject({ return: 42, fail: null });
    expect(await run.query("wholeJournal")).toEqual({});
  });

  test("navigatorTask needs a definition: its task has the id of the workflow", async () => {
    const id = `least-${randomUUID()}`;
    const run = await start("navigatorTask", [{ definition: GRAPH }], `task/${id}`);
    // A message that comes with the workflow's first task finds the task at its start.
    await until(async () => (await run.query<Task>("task")).currentStep === "work", "it is at work");
    expect(await run.executeUpdate("advance", { args: [{ result: "passed", expectedStep: "work" }] })).toMatchObject({
      success: true,
    });
    expect(await run.result()).toMatchObject({ id, issueId: id, workflowType: "plain-graph", status: "COMPLETED" });
  });

  test("planRun needs a plan", async () => {
    const run = await start("planRun", [{ plan: { tasks: [{ id: "sum", agent: "direct", input: "(+ 1 2)" }] } }]);
    expect(await run.result()).toMatchObject({ status: "ok", results: { sum: 3 } });
  });

  test("scheduledAgent needs an id and a run", async () => {
    const id = `nightly-${randomUUID()}`;
    const run = await start("scheduledAgent", [{ id, run: { agent: AGENT, model: "scripted" } }]);
    expect(await run.result()).toMatchObject({ new: true, run: expect.stringContaining(id) });
  });
});

describe("a run that continues another one is checked, too", () => {
  const foreignQueue = `foreign-${randomUUID()}`;
  let connection: NativeConnection;
  let worker: Worker;
  let running: Promise<void>;
  beforeAll(async () => {
    connection = await NativeConnection.connect({ address: testAddress() });
    const workflowsPath = path.join(__dirname, "foreign-workflow.cjs");
    worker = await Worker.create({ connection, taskQueue: foreignQueue, workflowsPath });
    running = worker.run();
  });
  afterAll(async () => {
    worker.shutdown();
    await running;
    await connection.close();
  });

  /** A workflow of another application continues as new into one of ours. */
  const continued = (type: string, input: unknown, workflowId = `foreign-${randomUUID()}`) =>
    rig.client.temporal.workflow.start("becomes", {
      workflowId,
      taskQueue: foreignQueue,
      args: [type, rig.taskQueue, input],
    });

  test("a workflow of another application that continues as a mission has the defaults of a first run", async () => {
    const run = await continued("agentRun", { agent: AGENT, model: "scripted" });
    expect(await run.result()).toMatchObject({ return: 42, fail: null });
  });

  const mission = "agent/x";
  test.each<{ type: string; input: object; wrong: string[]; id?: string }>([
    { type: "agentRun", input: { agent: { prompt: "" } }, wrong: ["agent.prompt"] },
    { type: "agentRun", input: { format: 1, agent: AGENT, carried: "x" }, wrong: ["carried"] },
    {
      type: "agentRun",
      input: { format: 1, agent: AGENT, carried: { state: { turn: "2" }, reviews: [], records: 1, parked: null } },
      wrong: [
        "carried.state.turn",
        "carried.state.messages",
        "carried.model_calls",
        "carried.reviews",
        "carried.records",
      ],
    },
    { type: "navigatorTask", input: { definition: { nodes: 5 } }, wrong: ["definition"] },
    { type: "navigatorTask", input: { definition: GRAPH, carried: { book: {} } }, wrong: ["carried.book.syncs"] },
    { type: "planRun", input: {}, wrong: ["mission"] },
    {
      type: "planRun",
      input: { mission: "Pay.", carried: { execution: 1, events: {} } },
      wrong: ["carried.execution"],
    },
    { type: "scheduledAgent", input: { id: "x", run: { agent: AGENT, carried: {} } }, wrong: ["run.carried"] },
    { type: "undoRun", input: { mission }, wrong: ["digest"] },
    { type: "undoRun", input: { mission, digest: "d", carried: { next: [] } }, wrong: ["carried.undone"] },
    { type: "workflowDefinition", input: { id: "good", versions: {} }, wrong: ["versions"] },
    {
      type: "effectGuard",
      input: { state: { next: "1" }, x: 1 },
      wrong: ["state.next", "x"],
      id: `effect/${"x".repeat(43)}`,
    },
  ])(
    "a workflow of another application that continues as $type with $input is refused",
    async ({ type, input, wrong, id }) => {
      const said = await refusalOf(await continued(type, input, id));
      expect(said.map((one) => one.split(":")[0])).toEqual(expect.arrayContaining(wrong));
    },
  );

  /** How the first two runs of a cron schedule ended. */
  async function cronRuns(input: unknown) {
    const { workflow } = rig.client.temporal;
    const workflowId = `cron-${randomUUID()}`;
    const options = { workflowId, taskQueue: rig.taskQueue, cronSchedule: "@every 1s", args: [input] };
    const { firstExecutionRunId: first } = await workflow.start("agentRun", options);
    const latest = () => workflow.getHandle(workflowId).describe();
    const second = await until(async () => {
      const { runId } = await latest();
      return runId !== first && runId;
    }, "the schedule has begun its second run");
    await until(async () => (await latest()).runId !== second, "its second run has ended");
    await workflow.getHandle(workflowId).terminate();
    return Promise.all([first, second].map((runId) => endOf(workflow.getHandle(workflowId, runId))));
  }

  async function endOf(run: WorkflowHandle) {
    const { events } = await run.fetchHistory();
    const last = events?.at(-1);
    const done = last?.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
    const failure = last?.workflowExecutionFailedEventAttributes?.failure;
    return {
      returned: done && (defaultPayloadConverter.fromPayload(done) as Step).return,
      ...{ type: failure?.applicationFailureInfo?.type, message: failure?.message },
      failedTasks: await failedTasks(run),
    };
  }

  test("each run of a cron schedule has the defaults of the first", async () => {
    const ends = await cronRuns({ agent: AGENT, model: "scripted" });
    expect(ends).toEqual(ends.map(() => expect.objectContaining({ returned: 42, failedTasks: [] })));
  });

  test("each run of a cron schedule with a wrong input is refused", async () => {
    const ends = await cronRuns({ agent: { prompt: "" } });
    const refused = { type: "invalid_input", message: expect.stringContaining("agent.prompt"), failedTasks: [] };
    expect(ends).toEqual(ends.map(() => expect.objectContaining(refused)));
  });
});

describe("messages that are anything fail no workflow task", () => {
  const GARBAGE: unknown[][] = [
    [],
    [null],
    [true],
    [-1],
    [1e300],
    ["x"],
    ["x".repeat(100_000)],
    [[]],
    [[null, {}]],
    [{}],
    [{ __proto__: null, constructor: { prototype: 1 }, toString: 1 }],
    [JSON.parse('{"__proto__": {"polluted": true}, "id": "__proto__", "value": 1, "by": "__proto__"}')],
    [JSON.parse("[".repeat(3_000) + "]".repeat(3_000))],
    [{ id: {}, value: [], by: 5, review: 1, choice: null, note: {}, from: "", held: 1, bound: null, used: 1 }],
    [{ id: "x", branch: "b", state: "over", verdict: "maybe", output: 1 }],
    [{ from: "x".repeat(2_000), held: "h", bound: { tokens: 1, cost: 1 } }],
    [{ held: "h", used: { tokens: -5, cost: "1" }, fail: "no" }],
    [{ task: { id: 5 }, definition: {}, version: "1", agents: [] }],
    [{ task: null, definition: { id: "plain-graph", nodes: { a: null }, edges: [1] } }, { source: 1 }],
    [{ id: "plain-graph", nodes: { a: { type: "nothing" } }, edges: null }, "external"],
  ];

  async function attack(handle: WorkflowHandle, names: { signals: string[]; updates: string[]; queries: string[] }) {
    for (const args of GARBAGE) {
      await Promise.allSettled(names.signals.map((name) => handle.signal<unknown[]>(name, ...args)));
      await Promise.allSettled(
        names.updates.map((updateId) =>
          handle.executeUpdate<unknown, [unknown]>(updateId, { args: args as [unknown] }),
        ),
      );
    }
    const query = handle.query as (name: string, ...args: unknown[]) => Promise<unknown>;
    for (const name of names.queries)
      await Promise.allSettled(GARBAGE.slice(0, 6).map((args) => query.call(handle, name, ...args)));
    expect(await failedTasks(handle)).toEqual([]);
  }

  test("agentRun", async () => {
    const agent = { ...AGENT, name: "waits", journaling: true };
    const run = await start("agentRun", [{ agent, model: "scripted", budget: { tokens: 1_000_000 } }]);
    await attack(run, {
      signals: ["recordDecision", "decide", "reserveBudget", "settleBudget", "budgetAnswer", "nobodyHears"],
      updates: ["recordDecision", "decide"],
      queries: ["journal", "wholeJournal", "missionLog", "progress", "status", "step", "reviews", "conversation"],
    });
    expect(await run.query("status")).toMatchObject({ state: expect.stringMatching(/waiting|running/) });
    const shares = await start("agentRun", [
      { agent, model: "scripted", budget_root: run.workflowId, shares_budget: { cost: false } },
    ]);
    await attack(shares, { signals: ["budgetAnswer"], updates: [], queries: ["status"] });
    await Promise.all([run.terminate(), shares.terminate()]);
  });

  test("navigatorTask", async () => {
    const id = `attacked-${randomUUID()}`;
    const run = await start("navigatorTask", [{ definition: GRAPH }], `task/${id}`);
    await attack(run, {
      signals: ["decide", "childReport", "nobodyHears"],
      updates: ["advance", "decide", "claim", "release", "confirmSyncs", "reload", "adoptDefinition"],
      queries: ["task", "taskView", "definition", "progress", "reviews", "syncs"],
    });
    expect(await run.query("task")).toMatchObject({ id, currentStep: "work" });
    await attack(run, { signals: [], updates: ["pause", "resume", "remove"], queries: [] });
    const other = await start("navigatorTask", [{ definition: GRAPH }]);
    await attack(other, { signals: ["cancelTask"], updates: ["cancelTask"], queries: [] });
    expect((await other.describe()).status.name).not.toBe("FAILED");
    await run.terminate().catch(() => {});
  });

  test("planRun", async () => {
    const run = await start("planRun", [{ plan: { tasks: [{ id: "ask", type: "review", input: "Go on?" }] } }]);
    await attack(run, {
      signals: ["decide"],
      updates: ["decide"],
      queries: ["events", "status", "results", "reviews"],
    });
    expect(await run.query("status")).toMatchObject({ open_reviews: 1 });
    await run.terminate();
  });

  test("workflowDefinition and taskTree", async () => {
    const definition = await start("workflowDefinition", [{ id: "plain-graph" }]);
    await attack(definition, { signals: [], updates: ["load"], queries: ["newest", "version", "versions"] });
    expect(await definition.query("newest")).toBeNull();
    const tree = await start("taskTree", [{}]);
    await attack(tree, { signals: [], updates: ["allocateOrders", "replaceTree"], queries: [] });
    expect(await tree.executeUpdate("allocateOrders", { args: [2] })).toEqual(expect.any(Number));
    await Promise.all([definition.terminate(), tree.terminate()]);
  });
});
