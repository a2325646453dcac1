import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** Chromium of the distribution's packages (`apt-get install chromium`), or the one of NAVIGATOR_CHROMIUM. */
function executable(): string {
  const places = [
    process.env.NAVIGATOR_CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  const found = places.find((one) => one !== undefined && existsSync(one));
  if (found === undefined)
    throw new Error("Chromium is not installed: apt-get install chromium (or NAVIGATOR_CHROMIUM=PATH)");
  return found;
}

/** A browser without a window, in which each test opens pages of its own. */
export interface TestBrowser {
  /** A page of somebody who is alone in their browser: cookies are shared with no other page. What goes wrong on it fails `close`. */
  open(url: string, options?: { width?: number; height?: number; scheme?: "light" | "dark" }): Promise<Page>;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: executable(),
    // The tests run as root in a container; what is loaded is our own page.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
  const mistakes: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    open: async (url, { width = 1280, height = 720, scheme = "light" } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: "reduce",
      });
      context.setDefaultTimeout(120_000);
      contexts.push(context);
      const page = await context.newPage();
      // A script that fails, or something that the policy of the page forbids.
      page.on("pageerror", (error) => mistakes.push(String(error.stack ?? error)));
      page.on("console", (message) => {
        if (message.type() === "error" && message.text().includes("Content Security Policy"))
          mistakes.push(message.text());
      });
      await page.goto(url);
      return page;
    },
    close: async () => {
      await browser.close();
      expect(mistakes).toEqual([]);
    },
  };
}

interface Violation {
  id: string;
  impact: string;
  targets: string[];
}

/** Scripts for a page are texts: the types of a browser are not among those of the tests. */
const RUN_AXE = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({ id, impact, targets: nodes.map(({ html }) => html) })))`;

/** What axe-core finds on a page that is serious or critical: the rule, and the elements. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<Violation[]>(RUN_AXE);
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, targets }) => `${id}: ${targets.slice(0, 3).join(" | ")}`);
}

/** Whether the page is wider than its window, so that a reader would have to scroll sideways. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
