import type { Page } from "playwright-core";
import { defineTool } from "../../src/tools";
import { agent } from "../support/rig";
import { until } from "../support/until";
import { openBrowser, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";
import { SCRIPT_CORPUS } from "./material/script-corpus";

/** Texts that models and tools produce run no script and load nothing, wherever the page shows them (web reference, section 2). */

const lisp = (text: string) => JSON.stringify(text).replace(/\\u2028/g, "\u2028");
const ALL = `[${SCRIPT_CORPUS.map(lisp).join(" ")}]`;
/** The model says them, its program prints and records them, a tool answers them, and they are arguments of a call that is asked about. */
const REPLY = `${SCRIPT_CORPUS.join("\n\n")}

\`\`\`clojure
(def all ${ALL})
(doseq [text all] (println text))
(task "kept" all)
(task "answered" (tool/echo {:texts all}))
(return (task (first all) (tool/send {:text (nth all 6) :texts all})))
\`\`\``;

const HOSTILE = SCRIPT_CORPUS[0] as string;

let control: MissionControl;
let browser: TestBrowser;
let mission: string;
beforeAll(async () => {
  const echo = defineTool({
    name: "echo",
    description: SCRIPT_CORPUS[6] as string,
    signature: "(texts [:string]) -> [:string]",
    effect: "read",
    run: async ({ texts }) => texts,
  });
  const send = defineTool({
    name: "send",
    description: SCRIPT_CORPUS[10] as string,
    signature: "(text :string, texts [:string]) -> :string",
    effect: "irreversible",
    approval: true,
    run: async () => {
      throw new Error(SCRIPT_CORPUS[0]);
    },
  });
  const writer = agent({
    name: "writer",
    description: SCRIPT_CORPUS[0],
    tools: [echo.spec, send.spec],
    max_turns: 1,
  });
  [control, browser] = await Promise.all([
    openMissionControl({ tools: [echo, send], script: { writer: [REPLY] }, project: { agents: { writer } } }),
    openBrowser(),
  ]);
  const { id } = await control.client.startAgent({
    agent: writer,
    model: "scripted",
    context: { text: SCRIPT_CORPUS[6] as string },
  });
  mission = id;
  await until(async () => (await control.client.inbox({})).items.length > 0, "it is asked");
  const definition = {
    id: "one-step",
    nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, done: { type: "end", result: "success" } },
    edges: [
      { from: "start", to: "work" },
      { from: "work", to: "done" },
    ],
  };
  await control.post("/api/graphs", { definition });
  await control.post("/api/tasks/load", {
    mode: "merge",
    tasks: [{ id: "pending", issueId: HOSTILE, workflowType: "one-step", currentStep: "work" }],
  });
});
afterAll(async () => {
  await browser?.close();
  await control?.stop();
});

/** What a text would have made of the page if it had been more than text. */
const MADE = `({
  ran: window.__ran ?? null,
  elements: [...document.querySelectorAll("#app script, #app img, #app iframe, #app object, #app embed, #app link, #app meta, #app base, #app video, #app audio, #app style, #app form[action]")].map((one) => one.outerHTML),
  handlers: [...document.querySelectorAll("#app *")].filter((one) => [...one.attributes].some(({ name }) => name.startsWith("on"))).map((one) => one.outerHTML),
  links: [...document.querySelectorAll("#app a[href]")].map((one) => one.getAttribute("href")).filter((href) => !/^(\\/|#|https?:)/.test(href)),
  styles: [...document.querySelectorAll("#app [style]")].filter((one) => one.getAttribute("style").includes("url(")).map((one) => one.outerHTML),
})`;

async function unharmed(page: Page): Promise<void> {
  expect(await page.evaluate(MADE)).toEqual({ ran: null, elements: [], handlers: [], links: [], styles: [] });
}

test("the corpus has 200 texts, all different", () => {
  expect(new Set(SCRIPT_CORPUS).size).toBeGreaterThanOrEqual(200);
});

test("the inbox, a mission with all that was said, printed, answered and asked, and the lists show them as text", async () => {
  const id = `agent/${mission}`;
  // With what must be seen before the page is looked at.
  const places: [place: string, seen: string][] = [
    ["/inbox", id],
    [`/missions/${encodeURIComponent(id)}`, HOSTILE],
    ["/missions", id],
    ["/start?agent=writer", HOSTILE],
    ["/queue", HOSTILE],
    ["/costs?by=mission", id],
  ];
  for (const [place, seen] of places) {
    const page = await browser.open(control.link(place));
    await page.getByText(seen).first().waitFor();
    if (place === "/inbox") {
      // The request, whose arguments are in a form.
      await page.locator('main a[href^="/inbox/"]').first().click();
      await page.getByText("Why it is asked").first().waitFor();
    }
    await unharmed(page);
    await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
    await unharmed(page);
    const loaded = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
    expect(loaded.filter((url) => !url.startsWith(control.url))).toEqual([]);
    await page.context().close();
  }
});
