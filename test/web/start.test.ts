import { ORDER_EXAMPLE } from "../../examples/order/demo/mission";
import { type OrderService, startOrderService } from "../../examples/order/demo/order-service";
import { readDataFile } from "../../src/node/data-file";
import { loadProject, type Project } from "../../src/project/load";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Work is started over the API: the agents of the demo. */

let service: OrderService;
let project: Project;
let control: MissionControl;

beforeAll(async () => {
  service = await startOrderService();
  process.env.ORDER_SERVICE_URL = service.url;
  project = await loadProject(ORDER_EXAMPLE, { env: {} });
  control = await openMissionControl({
    name: project.name as string,
    tools: project.tools.names().flatMap((name) => project.tools.get(name) ?? []),
    models: project.models,
    project,
  });
  await control.post("/api/graphs", { definition: readDataFile(`${ORDER_EXAMPLE}/order-fulfilment.json`) });
});
afterAll(async () => {
  delete process.env.ORDER_SERVICE_URL;
  await Promise.all([control?.stop(), service?.close(), project?.close()]);
});

test("a mission is started with an id; the same again is found, something else is refused", async () => {
  const start = { context: { order_id: 7 }, id: "order-7", budget: { tokens: 100_000 } };
  const started = await control.post("/api/agents/charge/runs", start);
  expect(started).toEqual({ id: "order-7", workflow_id: `${project.name}:agent/order-7`, started_before: false });
  expect(await control.post("/api/agents/charge/runs", start)).toMatchObject({ started_before: true });
  const refused = (body: object, agent = "charge") =>
    control.refused(`/api/agents/${agent}/runs`, { method: "POST", body: JSON.stringify(body) });
  expect(await refused({ ...start, context: { order_id: 8 } })).toMatchObject({ status: 409, code: "id_in_use" });
  expect(await refused({ context: { order_id: "x" } })).toMatchObject({
    status: 422,
    code: "validation_error",
    details: { errors: [{ path: "order_id" }] },
  });
  expect(await refused({ context: { order_id: 1 }, model: "no-such-model" })).toMatchObject({
    code: "invalid_input",
    details: { path: "model" },
  });
  expect(await refused({ context: {} }, "nobody")).toMatchObject({ status: 404, code: "agent_not_found" });
  expect(await refused({ context: { order_id: 1 }, budget: {} })).toMatchObject({
    code: "invalid_input",
    details: { path: "budget" },
  });
  // Nothing that has half of a character can be sent to the server.
  expect(await refused({ ...start, id: "a\ud800" })).toMatchObject({ status: 400, code: "invalid_id" });
});

test("an agent is shown with its tools, and what a mission costs by the chosen model", async () => {
  const { agents } = await control.get("/api/agents");
  expect(agents.map(({ name }: { name: string }) => name)).toEqual(["charge", "refund", "ship"]);
  const { price, tools } = await control.get("/api/agents/charge?model=anthropic/claude-opus-4-5");
  expect(tools).toContainEqual(expect.objectContaining({ name: "charge_card", effect: "write" }));
  expect(price).toMatchObject({ models: ["anthropic/claude-opus-4-5"], model_calls: { least: 1 }, uncounted: [] });
  expect(price.cost.least).toBeGreaterThan(0);
  expect(price.cost.most).toBeGreaterThan(price.cost.least);
  const { models } = await control.get("/api/models");
  expect(models[0]).toMatchObject({ name: "scripted", price: null, named_by: ["default"] });
});
