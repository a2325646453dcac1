import type { Page } from "playwright-core";
import { ORDER_EXAMPLE } from "../../examples/order/demo/mission";
import { type OrderService, startOrderService } from "../../examples/order/demo/order-service";
import { createModels } from "../../src/models";
import { readDataFile } from "../../src/node/data-file";
import { loadProject, type Project } from "../../src/project/load";
import { defineTool } from "../../src/tools";
import { agent, fenced } from "../support/rig";
import { openBrowser, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** The page in a real browser: the login, a start, a decision, and a mission that failed. `*.deep.test.ts` have the rest of it. */

/** What a tool says is text on the page, whatever it looks like. */
const HOSTILE = `<img src=x onerror="document.title='hacked'">`;
const ship = defineTool({
  name: "ship_by_hand",
  signature: "(order :string) -> :map",
  effect: "write",
  run: () => {
    throw new Error(`The warehouse does not know A-17. ${HOSTILE}`);
  },
});
const shipper = agent({
  name: "shipper",
  prompt: "Ship order A-17.",
  tools: [ship.spec],
  max_turns: 1,
  model: "test/ship",
});
const SHIPS = fenced('(return (tool/ship_by_hand {:order "A-17"}))');

let service: OrderService;
let project: Project;
let control: MissionControl;
let browser: TestBrowser;
beforeAll(async () => {
  service = await startOrderService();
  process.env.ORDER_SERVICE_URL = service.url;
  project = await loadProject(ORDER_EXAMPLE, { env: {} });
  const own = createModels({ env: {}, models: { "test/ship": { complete: async () => ({ content: SHIPS }) } } });
  const { models } = project;
  [control, browser] = await Promise.all([
    openMissionControl({
      name: project.name as string,
      tools: [ship, ...project.tools.names().flatMap((name) => project.tools.get(name) ?? [])],
      models: {
        resolve: (name) => (name === "test/ship" ? own : models).resolve(name),
        price: (name) => models.price?.(name),
      },
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

test("the link that navigator dev prints logs in, and its token leaves the address", async () => {
  const page = await open("/missions");
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  expect(page.url()).toBe(`${control.url}/missions`);
  await page.reload();
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  const login = page.getByRole("heading", { name: "Log in to Mission Control" });
  await login.waitFor();
  await page.getByLabel("Token").fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").getByText("unauthenticated").waitFor();
  await page.reload();
  await login.waitFor();
});

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

test("a failed mission is understood in one screen, and what its tool said is text", async () => {
  const run = await control.client.startAgent({ agent: shipper, id: "s-1", model: "test/ship" });
  await run.result();
  const page = await open(`/missions/${encodeURIComponent(run.workflow.workflowId)}`);
  const why = page.getByRole("region", { name: "Why it failed" });
  await why.getByText("max_turns_exceeded", { exact: true }).waitFor();
  for (const [what, place] of [
    ["the message", why.getByText("No (return ...) within 1 turn(s).")],
    ["the call that failed", why.locator(".call-name", { hasText: "ship_by_hand" })],
    ["its arguments", why.getByText('{"order":"A-17"}')],
    ["its error", why.getByText("tool_error: The warehouse does not know A-17.")],
    ["the way to try it again", page.getByRole("button", { name: "Try again" })],
  ] as const) {
    const box = await place.first().boundingBox();
    expect([what, box !== null && box.y >= 0 && box.y + box.height <= 720]).toEqual([what, true]);
  }
  expect(await why.getByText("<img src=x").count()).toBeGreaterThan(0);
  expect(await page.locator("main img").count()).toBe(0);
  expect(await page.title()).not.toBe("hacked");
  expect(await seriousViolations(page)).toEqual([]);
});
