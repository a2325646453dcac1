import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Graphs, tasks, plans and the queue: the API. */

const flow = {
  id: "ship-it",
  name: "Ship it",
  description: "Builds, checks and asks.",
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build <it>" },
    check: { type: "task", name: "Check & test", maxRetries: 2 },
    approval: { type: "gate", name: "Approval" },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "failure" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "check", on: "passed" },
    { from: "build", to: "stuck", on: "failed" },
    { from: "check", to: "approval", on: "passed" },
    { from: "check", to: "build", on: "failed" },
    { from: "check", to: "stuck", on: "max_retries_exceeded" },
    { from: "approval", to: "done", on: "passed" },
    { from: "approval", to: "build", on: "failed" },
  ],
};

const plan = {
  tasks: [
    { id: "one", agent: "direct", type: "direct", input: "(+ 1 2)" },
    { id: "two", agent: "direct", type: "direct", input: "(+ 3 4)", critical: false },
    { id: "ask", type: "human_review", input: "Is {{results.one}} right?", depends_on: ["one", "two"] },
    { id: "last", agent: "direct", type: "direct", input: "data/results", depends_on: ["ask"] },
  ],
};

const direct = (id: string, input: string, more: object = {}) => ({
  id,
  agent: "direct",
  type: "direct",
  input,
  ...more,
});

/** What the planner makes of a plan whose step "late" fails: another way, and somebody is asked before the end. */
const repair = {
  tasks: [
    direct("early", "1"),
    direct("instead", '(+ 1 (get data/results "early"))', { depends_on: ["early"] }),
    { id: "sure", type: "human_review", input: "Is {{results.instead}} enough?", depends_on: ["instead"] },
  ],
};

let control: MissionControl;

beforeAll(async () => {
  control = await openMissionControl({ name: "shop", script: { planner: [JSON.stringify(repair)] } });
  for (const definition of [flow]) await control.post("/api/graphs", { definition });
});
afterAll(async () => {
  await control?.stop();
});

const start = (id: string, graph = flow.id, more = {}) => control.post("/api/tasks", { graph, id, ...more });

const advance = (id: string, result?: string) =>
  control.post(`/api/tasks/${encodeURIComponent(id)}/advance`, result === undefined ? {} : { result });

const drawing = (id: string) => control.get(`/api/tasks/${encodeURIComponent(id)}/drawing`);

/** Asks until the answer is as wanted. */
async function until<T>(read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const at = (step: string) => (id: string) =>
  until(
    () => drawing(id),
    ({ way }) => way.currentStep === step,
  );

const post = (body: unknown) => ({ method: "POST", body: JSON.stringify(body) });

describe("the API", () => {
  test("a graph has its drawing and its check; a wrong one is answered with its mistakes, and not loaded", async () => {
    const { graphs } = await control.get("/api/graphs");
    expect(graphs.map(({ id }: { id: string }) => id)).toEqual(["ship-it"]);
    const shown = await control.get("/api/graphs/ship-it");
    expect(shown.drawing.nodes.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(Object.keys(flow.nodes)),
    );
    expect(shown.drawing.edges[4]).toMatchObject({ from: "check", to: "build", on: "failed", back: "retry" });
    expect(shown.check).toMatchObject({ ok: true, errors: [] });
    const { start: _, ...nodes } = flow.nodes;
    const wrong = await control.post("/api/graphs/check", { definition: { ...flow, nodes } });
    expect(wrong.ok).toBe(false);
    expect(wrong.errors.map(({ code }: { code: string }) => code)).toContain("start_count");
    expect(await control.refused("/api/graphs", post({ definition: { ...flow, nodes } }))).toMatchObject({
      status: 400,
      code: "invalid_workflow",
    });
    expect(await control.refused("/api/graphs/nowhere")).toMatchObject({ status: 404, code: "workflow_not_found" });
  });

  test("the same start again finds the same task, and another one is refused", async () => {
    expect(await start("again")).toMatchObject({ started_before: false });
    expect(await start("again")).toMatchObject({ started_before: true });
    expect(await control.refused("/api/tasks", post({ graph: flow.id, id: "again", priority: 5 }))).toMatchObject({
      status: 409,
      code: "id_in_use",
    });
  });

  test("a task is claimed, moved with the token, and a call that is sent twice moves once", async () => {
    await start("held");
    await at("build")("held");
    const { token } = await control.post("/api/tasks/held/claim", { owner: "builder-1", lease_ms: 60_000 });
    expect(await control.refused("/api/tasks/held/advance", post({ result: "passed" }))).toMatchObject({
      code: "task_claimed",
    });
    const move = { result: "passed", claim: token, request: "call-1" };
    const first = await control.post("/api/tasks/held/advance", move);
    expect(first).toMatchObject({ success: true, previousStep: "build", nextStep: "check" });
    expect(await control.post("/api/tasks/held/advance", move)).toMatchObject({
      previousStep: "build",
      nextStep: "check",
    });
    expect(await control.refused("/api/tasks/held/advance", post({ result: "blue" }))).toMatchObject({
      code: "no_matching_edge",
    });
    const { task, version } = await control.get("/api/tasks/held");
    expect(task.currentStep).toBe("check");
    expect(version).toBe(2);
    expect(await control.refused("/api/tasks/nobody")).toMatchObject({ status: 404, code: "task_not_found" });
  });

  test("tasks are listed by graph, state and text, page by page", async () => {
    for (const n of [1, 2, 3]) await start(`listed-${n}`, flow.id, { issue: "LIST-1" });
    const list = (query: string) => control.get(`/api/tasks?graph=ship-it&${query}`);
    const all = await until(
      () => list("text=list-1"),
      ({ tasks }) => tasks.length === 3,
    );
    expect(all.tasks[0]).toMatchObject({ graph: "ship-it", issue: "LIST-1", execution: "running", is_child: false });
    const page = await list("size=2");
    expect(page.tasks).toHaveLength(2);
    expect((await list(`size=2&page=${page.next}`)).tasks.length).toBeGreaterThan(0);
    expect((await list("state=FAILED")).tasks).toEqual([]);
  });
});

describe("tasks, plans and the queue", () => {
  test("a gate that was decided is still shown with its task", async () => {
    const { workflow_id } = await start("decided");
    for (const step of ["build", "check"]) {
      await at(step)("decided");
      await advance("decided", "passed");
    }
    const [asked] = await until(
      () => control.client.task("decided").reviews(),
      (reviews) => reviews.length > 0,
    );
    const path = `/api/inbox/${encodeURIComponent(asked?.id ?? "")}`;
    await control.post(`${path}/decisions`, { choice: "passed", seal: asked?.seal ?? null, by: "ann" });
    await until(
      () => control.get(path),
      ({ review }) => review.status !== "open",
    );
    expect(await control.get(path)).toMatchObject({ workflow_id });
    expect(await control.get("/api/runs/task%2Fdecided")).toMatchObject({ workflow_id: "shop:task/decided" });
    expect(await control.refused("/api/runs/nothing")).toMatchObject({
      code: "not_found",
      detail: expect.stringContaining('"shop:nothing"'),
    });
    expect(await control.get(`${path}/reasons`)).toMatchObject({ task: { graph: flow.id } });
  });

  test("the queue has its pollers, and a move is confirmed", async () => {
    await control.post("/api/tasks/load", {
      tasks: [
        { id: "q-1", issueId: "Q-1", workflowType: flow.id, currentStep: "build", priority: 77 },
        { id: "q-2", issueId: "Q-2", workflowType: flow.id, currentStep: "build", priority: 78 },
      ],
    });
    await control.post("/api/tasks/q-2/claim", { owner: "builder-7", lease_ms: 600_000 });
    await advance("q-1", "passed");
    await control.post("/api/tasks/load", {
      tasks: [{ id: "q-3", issueId: "Q-3", workflowType: flow.id, currentStep: "build", priority: 77 }],
    });
    const { load } = await control.get("/api/queue");
    expect(load.task_queue).toBe(control.taskQueue);
    expect(load.workflow.pollers.length).toBeGreaterThan(0);
    const pendingOf = async (id: string) =>
      (await control.get("/api/syncs")).pending.filter(({ taskId }: { taskId: string }) => taskId === id);
    const [sync] = await pendingOf("q-1");
    expect(sync).toMatchObject({ taskId: "q-1" });
    await control.post("/api/syncs/confirm", { ids: [sync.id] });
    expect(await pendingOf("q-1")).toEqual([]);
  });

  test("a plan by phases: its steps, what they depend on, and the review that it waits for", async () => {
    const { workflow_id } = await control.post("/api/plans", { plan, id: "phases" });
    expect(await control.post("/api/plans", { plan, id: "phases" })).toMatchObject({ started_before: true });
    const read = () => control.get(`/api/plans/${encodeURIComponent(workflow_id)}`);
    const waiting = await until(read, ({ state }) => state === "waiting");
    expect(waiting.phases.map((phase: { id: string }[]) => phase.map(({ id }) => id))).toEqual([
      ["one", "two"],
      ["ask"],
      ["last"],
    ]);
    expect(waiting.phases[1][0]).toMatchObject({ state: "waiting", depends_on: ["one", "two"], critical: true });
    expect(waiting.phases[0][1]).toMatchObject({ state: "ok", critical: false });
    await control.client.plan("phases").decide({ review: waiting.phases[1][0].review, choice: "approve", by: "ann" });
    const ended = await until(read, (now) => now.ended === "completed");
    expect(ended.phases[2][0]).toMatchObject({ id: "last", state: "ok" });
  });

  test("a plan that was repaired shows the steps of its new plan", async () => {
    const { workflow_id } = await control.post("/api/plans", {
      id: "repaired",
      mission: "Count",
      executor: true,
      plan: { tasks: [direct("early", "1"), direct("late", "(fail :empty)", { depends_on: ["early"] })] },
      options: { replan_cooldown_ms: 1 },
    });
    const read = () => control.get(`/api/plans/${encodeURIComponent(workflow_id)}`);
    const waiting = await until(read, ({ state }) => state === "waiting");
    const ids = (phases: { id: string }[][]) => phases.map((phase) => phase.map(({ id }) => id));
    expect(ids(waiting.phases)).toEqual([["early"], ["instead"], ["sure"]]);
    expect(waiting).toMatchObject({ replans: 1, executions: 2, mission: "Count" });
    await control.client.plan("repaired").decide({ review: waiting.phases[2][0].review, choice: "approve", by: "ann" });
    const ended = await until(read, (now) => now.ended !== null);
    expect(ids(ended.phases)).toEqual([["early"], ["instead"], ["sure"]]);
  });
});
