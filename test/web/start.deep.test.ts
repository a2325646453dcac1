import type { Page } from "playwright-core";
import { ORDER_EXAMPLE } from "../../examples/order/demo/mission";
import { type OrderService, startOrderService } from "../../examples/order/demo/order-service";
import { readDataFile } from "../../src/node/data-file";
import { loadProject, type Project } from "../../src/project/load";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Work is started by the page alone: the agents of the demo, and a plan. */

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
