import { z } from "zod";
import { defineTool } from "../../src/tools";
import { newNamespace } from "../support/namespace";
import { agent, fenced, openRig, type Rig } from "../support/rig";
import { until } from "../support/until";
import { openBrowser, type TestBrowser } from "../support/web/browser";

/** What a reader of the Temporal Web UI sees of a mission, in a real browser: its Mission Log, its state, its cost, and how it failed. */

const lookUp = defineTool({
  name: "look_up",
  input: z.object({ order: z.string() }),
  effect: "read",
  run: async ({ order }) => {
    if (order === "o-2") throw new Error("The order service has no order o-2.");
    return { total: 1200 };
  },
});

const clerk = agent({
  name: "clerk",
  tools: [lookUp.spec],
  signature: "(order :string) -> {total :int}",
  max_turns: 1,
});
const program = '(return (task "look-up" (tool/look_up {:order data/order})))';

let namespace: string;
let rig: Rig;
let browser: TestBrowser;
beforeAll(async () => {
  namespace = await newNamespace();
  [rig, browser] = await Promise.all([
    openRig({
      namespace,
      tools: [lookUp],
      script: { clerk: [{ content: fenced(program), tokens: { input: 1000, output: 100, total_cost: 0.125 } }] },
    }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await rig?.stop();
});

/** The pages of a mission that is over. */
async function openMission(order: string) {
  const { id } = await rig.client.startAgent({ agent: clerk, model: "scripted", context: { order } });
  await rig.client.agent(id).result();
  const { workflowId, runId } = await rig.client.temporal.workflow.getHandle(`agent/${id}`).describe();
  const address = `${process.env.NAVIGATOR_TEST_UI}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}/${runId}`;
  const page = await browser.open(`${address}/history`);
  const shows = (text: string | RegExp) => page.locator("main").getByText(text).first().waitFor();
  /** What a workflow says of itself is Markdown, which the Web UI shows in frames. */
  const says = (text: string | RegExp) =>
    until(async () => {
      const found = await Promise.all(
        page.frames().map((frame) =>
          frame
            .getByText(text)
            .count()
            .catch(() => 0),
        ),
      );
      return found.some((n) => n > 0);
    }, `the Web UI shows ${text}`);
  const tab = (name: string) => page.goto(`${address}/${name}`);
  return { shows, says, tab };
}

test("a finished mission shows its state, its Mission Log, its calls and what it cost", async () => {
  const { shows, says, tab } = await openMission("o-1");
  await shows("Completed");
  await tab("user-metadata");
  await says("agent clerk");
  await shows("turn 1: model");
  await shows("task look-up: look_up");
  await says(/\[done\] look-up/);
  await tab("memo");
  await shows(/"cost": 0.125/);
});

test("a failed mission shows that it failed, and why", async () => {
  const { shows, says, tab } = await openMission("o-2");
  await shows("Failed");
  await tab("user-metadata");
  await says(/max_turns_exceeded/);
  await tab("memo");
  await shows(/"cost": 0.125/);
});
