import type { Page } from "playwright-core";
import type { ModelCall } from "../../src/models";
import { createModels, ModelError } from "../../src/models";
import { gate } from "../support/gate";
import { agent } from "../support/rig";
import { until } from "../support/until";
import { openBrowser, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** What happens in a mission, as it happens (web reference, section 5): the page that shows it. */

/** What the model of one mission says in each call, and when: a text is said, a gate is waited for, an error ends the call. */
type Part = string | { wait: Promise<void> } | Error;

const scripts = new Map<string, Part[][]>();

/** How often the model of each mission was called. */
const called = new Map<string, number>();

/** What failed is not said again. What was said to its end is: an attempt may be lost with its worker. */
const house = {
  complete: async ({ agent }: ModelCall, { onText }: { onText?: (piece: string) => void }) => {
    const name = agent ?? "";
    called.set(name, (called.get(name) ?? 0) + 1);
    const left = scripts.get(name) ?? [];
    const [script = []] = left;
    let content = "";
    for (const part of script) {
      if (part instanceof Error) {
        if (left[0] === script) left.shift();
        throw part;
      }
      if (typeof part === "string") {
        content += part;
        onText?.(part);
      } else await part.wait;
    }
    return { content, tokens: { input: 10, output: 5 } };
  },
};

let control: MissionControl;
let browser: TestBrowser;

beforeAll(async () => {
  [control, browser] = await Promise.all([
    openMissionControl({ models: createModels({ env: {}, models: { "house/slow": house } }) }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await control?.stop();
});

const speaks = async (id: string, ...attempts: Part[][]) => {
  scripts.set(id, attempts);
  const llm_retry = { max_attempts: 3, backoff: "constant", base_delay: 1 };
  const definition = agent({ name: id, prompt: "Tell it.", output: "text", llm_retry });
  return control.client.startAgent({ agent: definition, id, model: "house/slow" });
};

const at = (id: string) => `/missions/${encodeURIComponent(`agent/${id}`)}`;

describe("in the browser", () => {
  const writes = (page: Page) => page.getByRole("region", { name: "What the model writes" });

  test("text appears as it is said, an attempt that was cut off is marked, and the end is the final text", async () => {
    const [second, fails, last] = [gate(), gate(), gate()];
    const run = await speaks(
      "live",
      ["Once upon ", { wait: fails.opened }, new ModelError("server_error", "The provider went away.")],
      ["There was ", { wait: second.opened }, "a ship", { wait: last.opened }, "."],
    );
    const page = await browser.open(control.link(at("live")));
    await writes(page).getByText("Once upon").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    fails.open();
    await page.getByText("Attempt 1 was cut off and made again.").waitFor();
    await writes(page).getByText("There was").waitFor();
    // All attempts but the last. Those of a machine without time are more than two.
    const dropped = () => page.locator(".dropped del").allTextContents();
    await until(async () => {
      const attempt = called.get("live");
      const isShown = await page.getByText(`The model writes, attempt ${attempt}`).isVisible();
      return isShown && (await dropped()).length + 1 === attempt;
    }, "the attempt that counts is shown");
    expect((await dropped())[0]).toBe("Once upon ");
    expect(await seriousViolations(page)).toEqual([]);
    second.open();
    await until(async () => (await writes(page).textContent()) === "There was a ship", "the second piece is shown");
    last.open();
    await run.result();
    const answer = page.getByRole("region", { name: "The answer of the model" });
    await answer.waitFor();
    expect(await answer.textContent()).toBe("There was a ship.");
    await page.getByText("It is over").waitFor();
    await page.locator(".state-completed").first().waitFor();
  });

  test("a connection that drops is told, and comes back without loss or repetition", async () => {
    const [second, third] = [gate(), gate()];
    const run = await speaks("drops", ["one ", { wait: second.opened }, "two ", { wait: third.opened }, "three"]);
    const page = await browser.open(control.link(at("drops")));
    await writes(page).getByText("one").waitFor();
    await control.stopWeb();
    await page.getByText("The connection was lost.").waitFor();
    second.open();
    await control.startWeb();
    await page.getByText("Live", { exact: true }).waitFor();
    await until(async () => (await writes(page).textContent()) === "one two ", "it goes on where it was");
    third.open();
    await run.result();
    const answer = page.getByRole("region", { name: "The answer of the model" });
    await answer.waitFor();
    expect(await answer.textContent()).toBe("one two three");
  });
});
