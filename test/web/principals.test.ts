import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";

/** Who may change what through the API, and that nobody decides about their own work (web reference, sections 2 and 12). */

const serviceKey = newKey();
const people = peopleOf({
  people: { alice: {}, bob: {} },
  services: { [WEB_SERVICE]: { keys: [publicKey(serviceKey)], may: ["vouch"] } },
});
const GATED = {
  nodes: {
    start: { type: "start" },
    gate: { type: "gate", name: "Somebody else looks at it" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "gate" },
    { from: "gate", to: "done" },
  ],
};

let control: MissionControl;
let alice: string;
beforeAll(async () => {
  control = await openMissionControl({ page: false, people: () => people, serviceKey });
  alice = control.person("alice");
  await control.post("/api/graphs", { id: "gated", definition: GATED }, alice);
});
afterAll(() => control?.stop());

const load = (token: string) =>
  control.post(
    "/api/tasks/load",
    { tasks: [{ id: "q1", issueId: "q1", workflowType: "gated", currentStep: "gate" }], mode: "merge" },
    token,
  );
const decide = (review: { id: string; seal?: string }, token: string) =>
  control.fetch(`/api/inbox/${encodeURIComponent(review.id)}/decisions`, {
    method: "POST",
    body: JSON.stringify({ choice: "passed", seal: review.seal ?? null }),
    token,
  });

test("whoever loads a task decides none of its gates, also if others load it again", async () => {
  await load(alice);
  const { review } = await until(
    async () => (await control.get("/api/inbox?scope=all&text=q1", alice)).items[0],
    "the gate asks",
  );
  const { missions } = await control.get("/api/missions?state=waiting", alice);
  expect(missions).toMatchObject([{ workflow_id: "task/q1", state: "waiting", open_reviews: 1 }]);
  expect(await control.get("/api/missions/counts", alice)).toMatchObject({ running: 0, waiting: 1 });
  const own = await decide(review, alice);
  expect([own.status, ((await own.json()) as { code: string }).code]).toEqual([403, "self_approval"]);
  await load(control.person("bob"));
  const again = await until(
    async () => (await control.get("/api/inbox?scope=all&text=q1", alice)).items[0],
    "the gate asks",
  );
  expect((await decide(again.review, alice)).status).toBe(403);
  expect((await decide(again.review, control.person("bob"))).status).toBe(200);
});

test("a caller who is nobody of the project changes nothing", async () => {
  const nobody = control.person("mallory");
  const changes = [
    ["/api/graphs", { id: "gated", definition: GATED }],
    ["/api/tasks", { graph: "gated" }],
    ["/api/tasks/load", { tasks: [], mode: "merge" }],
    ["/api/syncs/confirm", { ids: ["x"] }],
    ["/api/missions/cancel", { ids: ["task/q1"] }],
    ["/api/runs/task%2Fq1/cancel", {}],
    ["/api/runs/task%2Fq1/terminate", {}],
  ] as const;
  for (const [path, body] of changes) {
    const response = await control.fetch(path, { method: "POST", body: JSON.stringify(body), token: nobody });
    const told = (await response.json()) as { code?: string; results?: { error?: { code: string } }[] };
    expect([path, told.code ?? told.results?.[0]?.error?.code]).toEqual([path, "forbidden"]);
  }
});

test("a server answers about its own project only", async () => {
  for (const path of [
    "/api/graphs/other:definition%2Fflow",
    "/api/runs/other:agent%2F1",
    "/api/runs/other:agent%2F1/events",
    "/api/inbox/other:agent%2F1%2Fpay%2F1",
  ])
    expect(await control.refused(path)).toMatchObject({ code: "not_found" });
});

test("HEAD of a stream leaves no reader behind", async () => {
  const response = await control.fetch("/api/runs/task%2Fq1/events", { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(await (await control.fetch("/metrics")).text()).toMatch(/^navigator_event_readers 0$/m);
});
