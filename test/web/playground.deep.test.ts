import type { Page } from "playwright-core";
import { z } from "zod";
import { createModels, type Model } from "../../src/models";
import { defineTool, ToolRegistry } from "../../src/tools";
import { gate } from "../support/gate";
import { agent } from "../support/rig";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** The playground: programs whose effects wait for a word, prompts counted by part, and chats that outlive the server. */

let control: MissionControl;
let browser: TestBrowser;

const answer = gate();

const charged: { amount: number; key: string }[] = [];

const TOOLS = [
  defineTool({
    name: "get_order",
    description: "The order",
    signature: "(order_id :int) -> {total :int}",
    effect: "read",
    run: async () => ({ total: 4990 }),
  }),
  defineTool({
    name: "charge_card",
    description: "Moves the money",
    input: z.object({ amount: z.int() }),
    output: z.object({ tx: z.string() }),
    run: async ({ amount }, call) => {
      charged.push({ amount, key: call.idempotencyKey });
      return { tx: `tx_${charged.length}` };
    },
  }),
  defineTool({
    name: "refund_card",
    signature: "(amount :int) -> {refund :string}",
    approval: { assignees: ["anna"] },
    run: async () => {
      throw new Error("It was called without approval.");
    },
  }),
];

const PROGRAM = `(def order (tool/get_order {:order_id 42}))
(println "total" (:total order))
(tool/charge_card {:amount (:total order)})`;

beforeAll(async () => {
  const script = {
    clerk: [{ content: "Hello, I am the clerk." }, { content: "You said it before." }],
  };
  const agents = {
    charge: agent({
      name: "charge",
      description: "Charges an order",
      prompt: "Charge order {{order_id}}.",
      signature: "(order_id :int) -> {tx :string}",
      tools: TOOLS.slice(0, 2).map(({ spec }) => spec),
    }),
    slow: agent({ name: "slow", prompt: "Help.", output: "text", model: "house/slow" }),
    clerk: agent({ name: "clerk", description: "Answers questions", prompt: "Help.", output: "text" }),
  };
  const slow: Model = {
    complete: async ({ model }, { onText }) => {
      onText?.("One moment");
      await answer.opened;
      onText?.(", here it is.");
      return { content: "One moment, here it is.", model };
    },
  };
  const models = createModels({ env: {}, script, models: { "house/slow": slow } });
  [control, browser] = await Promise.all([
    openMissionControl({
      name: "shop",
      tools: TOOLS,
      models,
      project: { agents, models, tools: new ToolRegistry(TOOLS), sources: [] },
    }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), control?.stop()]);
});

beforeEach(() => {
  charged.length = 0;
});

const open = (place: string, options?: Parameters<TestBrowser["open"]>[1]): Promise<Page> =>
  browser.open(control.link(place), options);

test("on the page, a real effect runs only after its confirmation", async () => {
  const page = await open("/playground");
  await page.getByLabel("Program", { exact: true }).fill(PROGRAM);
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("a made-up answer").first().waitFor();
  expect(await page.getByText("total 1").count()).toBeGreaterThan(0);
  // An own answer counts when it runs again.
  await page.getByText("Answer it yourself").first().click();
  await page.getByLabel("Answer of get_order, as JSON").fill('{"total": 12}');
  await page.getByRole("button", { name: "Use it for this call" }).first().click();
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("total 12").waitFor();
  expect(charged).toEqual([]);
  await page.getByRole("button", { name: /Forget the answer/ }).click();
  await page.getByLabel("Call the tools for real").check();
  await page.getByRole("button", { name: "Run" }).click();
  const dialog = page.getByRole("dialog", { name: "Do this for real?" });
  await dialog.getByText("charge_card").waitFor();
  expect(await dialog.getByText("4990").count()).toBe(1);
  await dialog.getByRole("button", { name: "Leave it as it is" }).click();
  await page.getByText("None of them was made").waitFor();
  expect(charged).toEqual([]);
  await page.getByRole("button", { name: "Run" }).click();
  await dialog.getByRole("button", { name: "Make this call" }).click();
  await page.getByText("tx_1").first().waitFor();
  expect(charged).toHaveLength(1);
  expect(await seriousViolations(page)).toEqual([]);
  // The program stands in the address.
  expect(new URL(page.url()).searchParams.get("code")).toBe(PROGRAM);
});

test("on the page, the prompt of an agent is shown with its parts", async () => {
  const page = await open("/playground?tab=prompt&agent=charge", { width: 360, height: 720, scheme: "dark" });
  await page.getByRole("list", { name: "Tokens by part" }).getByText("language reference").waitFor();
  await page.getByLabel(/^order_id/).fill("42");
  await page.getByText("Charge order 42.").waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
});

test("on the page, an agent is talked to, and the chat has an address", async () => {
  const page = await open("/playground?tab=chat&agent=clerk");
  await page.getByLabel("Message to clerk").fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  const talk = page.getByRole("list", { name: "Conversation" });
  await talk.getByText("Hello, I am the clerk.").waitFor();
  await page.reload();
  await talk.getByText("Hello, I am the clerk.").waitFor();
  expect(await seriousViolations(page)).toEqual([]);
});

test("on the page, an answer is read while it is said, also after the page was loaded anew", async () => {
  const page = await open("/playground?tab=chat&agent=slow");
  await page.getByLabel("Message to slow").fill("Go on");
  await page.getByLabel("Message to slow").press("Control+Enter");
  const talk = page.getByRole("list", { name: "Conversation" });
  await talk.getByText("One moment", { exact: true }).waitFor();
  await page.reload();
  await talk.getByText("One moment", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  answer.open();
  await talk.getByText("One moment, here it is.", { exact: true }).waitFor();
});

test("programs are read as text: a script in them does nothing", async () => {
  const evil = `(println "<img src=x onerror=\\"document.title='hacked'\\">") "<script>document.title='hacked'</script>"`;
  const page = await open(`/playground?code=${encodeURIComponent(evil)}`);
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("<script>").last().waitFor();
  expect(await page.title()).not.toContain("hacked");
});
