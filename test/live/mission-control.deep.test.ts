import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { temporaryFolder, testAddress } from "../support/environment";
import { openBrowser, type TestBrowser } from "../support/web/browser";

/** Mission Control as its commands serve it: real processes of the built package. */

const root = path.join(__dirname, "../..");
const folder = temporaryFolder("mission-control");
const started: ChildProcess[] = [];
let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    const ended = once(child, "close");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  }
});
afterAll(async () => {
  await browser.close();
  folder.remove();
});

/** The event by which a command says that it is ready. */
async function ready(args: string[], event: string): Promise<{ [field: string]: string }> {
  const child = spawn(process.execPath, [path.join(root, "dist", "cli", "main.js"), ...args, "--json"], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      TEMPORAL_ADDRESS: testAddress(),
      NAVIGATOR_HOME: path.join(folder.path, "home"),
      NAVIGATOR_IDENTITY: path.join(folder.path, "keys"),
      NAVIGATOR_PROJECT: "mission-control-test",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const told = JSON.parse(line);
    if (told.event === event) return told;
  }
  throw new Error(`${args[0]} ended without ${event}.`);
}

test.each([
  ["navigator dev", ["dev", "--config", "examples/order", "--page-port", "0"], "dev_ready", "page"],
  ["navigator web", ["web", "--config", "examples/order", "--port", "0"], "web_ready", "link"],
  [
    "navigator mcp --http",
    ["mcp", "--no-embedded", "--http", "--config", "examples/order", "--port", "0", "--page-port", "0"],
    "mcp_ready",
    "page",
  ],
])("%s serves the page, and the link that it prints logs in", async (_, args, event, field) => {
  const { [field]: link } = await ready(args, event);
  const page = await browser.open(link as string);
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  await page.getByRole("link", { name: "Start" }).click();
  await page
    .getByRole("link", { name: /^charge/ })
    .first()
    .waitFor();
  const answer = await page.request.get(new URL("/api/missions", page.url()).href);
  expect(answer.status()).toBe(200);
});

test("the token of the link is in a file that only its user can read", () => {
  const { mode } = statSync(path.join(folder.path, "home", "mission-control.token"));
  expect(mode & 0o077).toBe(0);
});
