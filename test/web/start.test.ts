import type { Page } from "playwright-core";
import { ORDER_EXAMPLE } from "../../src/demo/mission";
import { type OrderService, startOrderService } from "../../src/demo/order-service";
import { readDataFile } from "../../src/node/data-file";
import { loadProject, type Project } from "../../src/project/load";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Work is started by the page alone: the order of the demo, from the form to the parcel. */

let service: OrderService;
let project: Project;
let control: MissionControl;
let browser: TestBrowser;

beforeAll(async () => {
  service = await startOrderService();
  process.env.ORDER_SERVICE_URL = service.url;
  project = await loadProject(ORDER_EXAMPLE, { env: {} });
  [control, browser] = await Promise.all([
    openMissionControl({
      name: project.name as string,
      tools: project.tools.names().flatMap((name) => project.tools.get(name) ?? []),
      models: project.models,
      project,
    }),
    openBrowser(),
  ]);
  await control.post("/api/graphs", { definition: readDataFile(`${ORDER_EXAMPLE}/order-fulfilment.json`) });
});
afterAll(async () => {
  delete process.env.ORDER_SERVICE_URL;
  await Promise.all([browser?.close(), control?.stop(), service?.close(), project?.close()]);
});

const open = (place: string, options?: Parameters<TestBrowser["open"]>[1]): Promise<Page> =>
  browser.open(control.link(place), options);

test("an order is charged, approved by a person, and shipped, all by the page", async () => {
  const page = await open("/start");
  await page.getByRole("link", { name: "Order fulfilment" }).click();
  await page.getByLabel(/^order_id/).fill("42");
  await page.getByLabel("Id", { exact: true }).fill("order-42");
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Start the task" }).click();
  await page.waitForURL(/\/missions\/.*task%2Forder-42/);
  // Its page shows what it waits for.
  await page.getByText("Release for shipping?").first().waitFor();
  await page.getByRole("link", { name: /^Inbox/ }).click();
  await page.getByText("Release for shipping?").first().click();
  // The example has no people: a name is taken as it is given.
  await page.getByLabel("You decide as").fill("anna");
  await page.getByRole("button", { name: /^(Approve|Passed)/ }).click();
  const task = await control.client.task("order-42").result();
  expect(task.status).toBe("COMPLETED");
  await page.goto(`${control.url}/missions/task%2Forder-42`);
  await page.getByText("completed").first().waitFor();
  expect(service.counts).toEqual({ charges: 1, refunds: 0, shipments: 1, receipts: 1 });
});

test("a wrong field is refused beside the field, and nothing starts", async () => {
  const page = await open("/start?agent=charge");
  await page.getByLabel(/^order_id/).fill("forty-two");
  await page.getByLabel("Id", { exact: true }).fill("wrong");
  await page.getByRole("button", { name: "Start the mission" }).click();
  await page.getByText("a number is needed").waitFor();
  expect(await page.getByLabel(/^order_id/).getAttribute("aria-invalid")).toBe("true");
  expect(await control.client.has(`${project.name}:agent/wrong`)).toBe(false);
  expect(await seriousViolations(page)).toEqual([]);
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
  expect(await refused({ context: { order_id: 1 }, model: "no-such-model" })).toMatchObject({ code: "bad_model" });
  expect(await refused({ context: {} }, "nobody")).toMatchObject({ status: 404, code: "agent_not_found" });
  expect(await refused({ context: { order_id: 1 }, budget: {} })).toMatchObject({ code: "invalid_arguments" });
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

test("the price range follows the chosen model, and the page fits on a phone", async () => {
  const page = await open("/start?agent=charge", { width: 360, height: 720, scheme: "dark" });
  await page.getByText("The price of scripted is not known.").waitFor();
  await page.getByLabel(/^order_id/).fill("42");
  await page.getByLabel("Model").selectOption("anthropic/claude-opus-4-5");
  await page.getByText(/\$[\d.]+ to \$[\d.]+/).waitFor();
  // What was filled in stays.
  expect(await page.getByLabel(/^order_id/).inputValue()).toBe("42");
  expect(await scrollsSideways(page)).toBe(false);
  expect(await seriousViolations(page)).toEqual([]);
});

test("a plan is checked with its price before it starts", async () => {
  const page = await open("/start?plan=new");
  await page.getByRole("button", { name: "Start the plan" }).click();
  await page.getByText("a mission or a plan is needed").waitFor();
  const plan = { agents: {}, tasks: [{ id: "a", agent: "direct", input: "(+ 1 2)" }] };
  await page.getByLabel("Plan, as JSON: {agents, tasks}").fill(JSON.stringify(plan));
  await page.getByRole("button", { name: "Check it and its price" }).click();
  await page.getByText("At most $0.00").waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByLabel("Id", { exact: true }).fill("sum");
  await page.getByRole("button", { name: "Start the plan" }).click();
  await page.waitForURL(/\/missions\/.*plan%2Fsum/);
  expect((await control.client.plan("sum").result()).status).toBe("ok");
});
