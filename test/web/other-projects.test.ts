import { NavigatorClient } from "../../src/client/client";
import { defineTool } from "../../src/tools";
import { type Answer, connectInMemory } from "../support/mcp/client";
import { newNamespace } from "../support/namespace";
import { agent, fenced, openRig, type Rig } from "../support/rig";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";

/** Two projects in one namespace: a server of one shows and changes nothing of the other, whatever an id says. */

const service = newKey();
const people = peopleOf({
  people: { alice: {}, bob: {} },
  services: { [WEB_SERVICE]: { keys: [publicKey(service)], may: ["vouch"] } },
});
const SECRET = "the-plans-of-other";
const opened: unknown[] = [];
const vault = defineTool({
  name: "open_vault",
  signature: "(code :string) -> :string",
  effect: "irreversible",
  approval: true,
  run: (args) => {
    opened.push(args);
    return "open";
  },
});
const opener = agent({ name: "opener", tools: [vault.spec], max_turns: 1 });

/** With a step behind a gate that only alice decides. */
const SHIP = {
  id: "ship",
  nodes: {
    start: { type: "start" },
    gate: { type: "gate", name: "Ship it?", review: { assignees: ["alice"] } },
    ship: { type: "task", name: "Ship" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "gate" },
    { from: "gate", to: "ship", on: "passed" },
    { from: "gate", to: "gate", on: "failed" },
    { from: "ship", to: "done", on: "passed" },
    { from: "ship", to: "gate", on: "failed" },
  ],
};

let control: MissionControl;
let other: Rig;
let bob: string;
let review: { id: string; seal: string };
beforeAll(async () => {
  const namespace = await newNamespace();
  [control, other] = await Promise.all([
    openMissionControl({
      page: false,
      name: "vault",
      namespace,
      people: () => people,
      serviceKey: service,
      tools: [vault],
      project: { agents: { opener } },
    }),
    openRig({
      name: "other",
      namespace,
      tools: [vault],
      script: { opener: [fenced(`(return (tool/open_vault {:code "${SECRET}"}))`)] },
    }),
  ]);
  bob = control.person("bob");
  await control.post("/api/graphs", { definition: SHIP }, bob);
  const run = await other.client.startAgent({ id: "ox", agent: opener, model: "scripted" });
  const asked = await until(async () => (await run.reviews())[0], "the vault of the other project is asked for");
  review = { id: asked.id, seal: asked.seal as string };
});
afterAll(async () => {
  // Nothing of the other project was touched.
  expect(opened).toEqual([]);
  await Promise.all([control?.stop(), other?.stop()]);
});

test.each([
  "/api/runs/other:agent%2Fox",
  "/api/runs/other:agent%2Fox/turns",
  "/api/runs/other:agent%2Fox/events",
  "/api/runs/other:agent%2Fox/ledger/export",
  "/api/inbox?mission=other:agent/ox",
  "/api/inbox/other:agent%2Fox%2Fopen_vault%2F1",
])("GET %s is not there", async (path) => {
  const response = await control.fetch(path, { token: bob });
  const text = await response.text();
  expect([response.status, text.includes(SECRET)]).toEqual([404, false]);
});

test("a review of the other project is not decided, whoever names it", async () => {
  const together = await control
    .post("/api/inbox/decisions", { reviews: [{ review: review.id, seal: review.seal }], choice: "approve" }, bob)
    .catch((error: unknown) => error);
  expect(JSON.stringify(together)).not.toContain('"ok":true');
  const front = await control.fetch("/api/ag-ui/opener", {
    method: "POST",
    token: bob,
    body: JSON.stringify({
      threadId: "t",
      runId: "r",
      messages: [],
      tools: [],
      context: [],
      state: null,
      forwardedProps: {},
      resume: [{ interruptId: `${review.id}#${review.seal}`, status: "resolved", payload: { choice: "approve" } }],
    }),
  });
  const said = await front.text();
  expect([said.includes("RUN_FINISHED"), said.includes(SECRET)]).toEqual([false, false]);
  const { reviews } = { reviews: await other.client.agent("ox").reviews() };
  expect(reviews.map(({ status }) => status)).toEqual(["open"]);
});

test("the tools of MCP find nothing of the other project", async () => {
  const mcp = await connectInMemory({ ...control.context, files: false } as never);
  const { tools } = await mcp.client.listTools();
  const ids = { id: "other:agent/ox", runId: "other:agent/ox", taskId: "other:task/ox", reviewId: review.id };
  let asked = 0;
  for (const { name, inputSchema } of tools) {
    const known = Object.keys(inputSchema.properties ?? {}).filter((field) => field in ids);
    const needed = (inputSchema.required ?? []).filter((field) => !(field in ids));
    if (known.length === 0 || needed.length > 0) continue;
    asked += 1;
    const args = Object.fromEntries(known.map((field) => [field, ids[field as keyof typeof ids]]));
    const answer = (await mcp.client.callTool({ name, arguments: args })) as Answer;
    expect([name, JSON.stringify(answer).includes(SECRET)]).toEqual([name, false]);
  }
  expect(asked).toBeGreaterThan(5);
  await mcp.close();
});

test.each([
  ["a run", "/api/agents/opener/runs", { id: "other:agent/wx" }, "invalid_id"],
  [
    "a plan",
    "/api/plans",
    { plan: { tasks: [{ id: "a", agent: "direct", type: "direct", input: "1" }] }, id: "other:plan/p" },
    "invalid_id",
  ],
  ["a task", "/api/tasks", { graph: "ship", id: "other:task" }, "invalid_task"],
])("%s of this project does not take the id of other work", async (_what, path, body, code) => {
  const response = await control.fetch(path, { method: "POST", token: bob, body: JSON.stringify(body) });
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, code]);
});

test("a task that is loaded cannot be one of the other project", async () => {
  const tasks = [
    { id: "p", issueId: "i", workflowType: "ship" },
    { id: "other:task/ghost", parentTaskId: "other:task", issueId: "i", workflowType: "ship" },
  ];
  const response = await control.fetch("/api/tasks/load", {
    method: "POST",
    token: bob,
    body: JSON.stringify({ mode: "merge", tasks }),
  });
  expect(response.status).toBeGreaterThanOrEqual(400);
  const seen = new NavigatorClient(other.client.temporal, { project: "other" });
  expect(await seen.has("task/ghost")).toBe(false);
});

test("a task does not pass a gate by being loaded again behind it", async () => {
  await control.post("/api/tasks", { graph: "ship", id: "s1" }, bob);
  await until(async () => (await control.client.task("s1").reviews())[0], "the gate asks");
  const again = (step: string, status: string) =>
    control.post(
      "/api/tasks/load",
      {
        mode: "merge",
        confirm: true,
        tasks: [{ id: "s1", issueId: "s1", workflowType: "ship", currentStep: step, status }],
      },
      bob,
    );
  for (const [step, status] of [
    ["ship", "PENDING"],
    ["done", "COMPLETED"],
  ] as const)
    expect(JSON.stringify(await again(step, status).catch((error: Error) => error.message))).toContain(
      "unverified_decision",
    );
  expect((await control.client.task("s1").show()).currentStep).toBe("gate");
});

test("a body that nests too deep is refused", async () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const response = await control.fetch("/api/agents/opener/runs", {
    method: "POST",
    token: bob,
    body: `{"context":{"a":${deep}}}`,
  });
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, "invalid_input"]);
});
