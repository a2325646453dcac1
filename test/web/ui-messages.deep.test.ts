import type { Page } from "playwright-core";
import { createModels } from "../../src/models";
import { gate } from "../support/gate";
import { openBrowser, type TestBrowser } from "../support/web/browser";
import { CHAT_AGENTS, payTool, slowModel } from "../support/web/chat-agents";
import { type ChatPage, openChatPage } from "../support/web/chat-page";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** The UI message stream of the AI SDK, read by `useChat` in a real browser. */

let control: MissionControl;
let front: ChatPage;
let browser: TestBrowser;
let paid: number[] = [];
let middle = gate();

const slow = slowModel(() => middle.opened);

const pay = payTool((cents) => paid.push(cents));

beforeAll(async () => {
  control = await openMissionControl({
    name: "shop",
    page: false,
    tools: [pay],
    project: { agents: CHAT_AGENTS },
    models: createModels({
      env: {},
      models: { "test/slow": slow },
      script: {
        payer: [
          { content: "I pay now.", tool_calls: [{ id: "c1", name: "pay", args: { cents: 700 } }] },
          { chunks: ["It is ", "done."] },
        ],
      },
    }),
  });
  [front, browser] = await Promise.all([openChatPage("material/chat-front.mjs", control), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await front?.close();
  await control?.stop();
});

/** A chat in the browser, in which a person has said something. */
async function chat(name: string, text: string): Promise<Page> {
  const page = await browser.open(`${front.url}/?agent=${name}`);
  await page.fill("input", text);
  await page.click("form button");
  return page;
}

const answers = (page: Page): Promise<string[]> => page.locator('[data-role="assistant"] p').allTextContents();

test("useChat shows the answer as it comes, and a page that is loaded anew goes on with it", async () => {
  middle = gate();
  const page = await chat("slow", "Speak.");
  await page.getByText("The first half, ").waitFor();
  await page.reload();
  await page.getByText("The first half, ").waitFor();
  middle.open();
  await page.getByText("The first half, and the second.").waitFor();
  await page.locator('[data-status="ready"]').waitFor();
  expect(await answers(page)).toEqual(["The first half, and the second."]);
  expect(await page.locator("article").count()).toBe(2);
});

test("a person approves a call in the front of useChat, and the answer goes on", async () => {
  paid = [];
  const page = await chat("payer", "Pay the bill.");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("It is done.").waitFor();
  await page.locator('[data-status="ready"]').waitFor();
  expect(paid).toEqual([700]);
  expect(await answers(page)).toEqual(["I pay now.", "It is done."]);
  expect(await page.locator("section").allTextContents()).toEqual(['pay {"cents":700} {"receipt":"r-700"}']);
  expect(await page.locator("article").count()).toBe(2);
});

test("a call that the person rejects is not made", async () => {
  paid = [];
  const page = await chat("payer", "Pay the bill.");
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByText("It is done.").waitFor();
  await page.locator('section[data-state="output-denied"]').waitFor();
  expect(paid).toEqual([]);
});
