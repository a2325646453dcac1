// Makes the pictures of docs/images anew: `npm run docs:screens`. A real server, worker and browser; the model is scripted. What is in
// the pictures is made through the API, as any client would.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const images = path.join(root, "docs", "images");
const { startShop } = createRequire(import.meta.url)("../examples/refund/shop.cjs");
const encode = encodeURIComponent;
const COMPLAINT = [42, "The lamp flickers and its foot came off in the parcel."];

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Waits until `probe` gives something. */
async function until(probe, what) {
  for (const end = Date.now() + 120_000; Date.now() < end; await delay(200)) {
    const found = await probe();
    if (found) return found;
  }
  throw new Error(`waited in vain: ${what}`);
}

/** A plan that counts first, asks somebody, and then goes on. */
const PLAN = {
  tasks: [
    { id: "paid", agent: "direct", type: "direct", input: "(+ 4990 2500 1250)" },
    { id: "refunded", agent: "direct", type: "direct", input: "(+ 2500 1250)" },
    {
      id: "compare",
      agent: "direct",
      type: "direct",
      input: "(- (:paid data/results) (:refunded data/results))",
      depends_on: ["paid", "refunded"],
    },
    { id: "release", type: "human_review", input: "Is {{results.compare}} right?", depends_on: ["compare"] },
    { id: "close", agent: "direct", type: "direct", input: "data/results", depends_on: ["release"] },
  ],
};

/** Mission Control of the refund example, in a folder of its own. */
async function openControl(shopUrl) {
  const home = mkdtempSync(path.join(tmpdir(), "navigator-screens-"));
  const port = await freePort();
  const env = {
    ...process.env,
    NAVIGATOR_HOME: home,
    NAVIGATOR_IDENTITY: path.join(home, "keys"),
    NAVIGATOR_PORT: String(Math.min(port, 60_000)),
    NAVIGATOR_MODEL: "scripted",
    NAVIGATOR_LOG_LEVEL: "error",
    // What the script of the model does not answer fails at once.
    NAVIGATOR_BLOCKED_TIMEOUT: "0",
    SHOP_URL: shopUrl,
  };
  // Under this name the pictures have no folder of whoever makes them.
  symlinkSync(path.join(root, "examples", "refund"), path.join(home, "shop"));
  const args = [
    path.join(root, "dist", "cli", "main.js"),
    "dev",
    "--config",
    path.join(home, "shop"),
    "--page-port",
    "0",
    "--json",
  ];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const ready = await until(() => out.split("\n").find((line) => line.includes("dev_ready")), "navigator dev is ready");
  const { page: link } = JSON.parse(ready);
  const [url, token] = link.split("/login#token=");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asked = async (address, init) => {
    const response = await fetch(`${url}${address}`, { headers, ...init });
    if (!response.ok) throw new Error(`${address}: ${await response.text()}`);
    return response.json();
  };
  return {
    link: (place) => `${url}/login?to=${encodeURIComponent(place)}#token=${token}`,
    get: (address) => asked(address),
    post: (address, body = {}) => asked(address, { method: "POST", body: JSON.stringify(body) }),
    close: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** What the pictures show: a refund that waits, one that was made, one that failed, a plan that waits, and a task on its way. @returns places by name */
async function play(control) {
  const start = (id, [order_id, complaint]) =>
    control.post("/api/agents/refund/runs", { id, context: { order_id, complaint } });
  const reviewOf = (id) =>
    until(async () => {
      const { items } = await control.get(`/api/inbox?scope=all&text=${id}`);
      return items.find(({ review }) => review !== undefined);
    }, `a question of ${id}`);
  const decide = async (id, decision) => {
    const { review } = await reviewOf(id);
    const seal = review.seal ?? null;
    await control.post(`/api/inbox/${encodeURIComponent(review.id)}/decisions`, { seal, by: "anna", ...decision });
  };
  await start("refund-42", COMPLAINT);
  await decide("refund-42", { choice: "approve", value: { cents: 2500 }, note: "half: the foot can be glued" });
  const ends = (id, state) =>
    until(async () => (await control.get(`/api/runs/agent%2F${id}`)).state === state, `${id} is ${state}`);
  await ends("refund-42", "completed");
  await start("refund-43", COMPLAINT);
  const { review } = await reviewOf("refund-43");
  await start("refund-12", [12, "No order has this number."]);
  await ends("refund-12", "failed");
  const definition = JSON.parse(readFileSync(path.join(root, "catalog", "feature.json"), "utf8"));
  const graph = await control.post("/api/graphs", { definition, id: "feature" });
  const task = await control.post("/api/tasks", {
    graph: graph.id ?? "feature",
    id: "FEAT-7",
    context: {},
    agents: false,
  });
  const plan = await control.post("/api/plans", { id: "month-end", plan: PLAN });
  const planned = () => control.get(`/api/plans/${encode(plan.workflow_id)}`);
  await until(async () => (await planned()).state === "waiting", "the plan asks somebody");
  return { review: review.id, plan: plan.workflow_id, task: task.workflow_id ?? "task/FEAT-7" };
}

async function main() {
  const shop = await startShop();
  const control = await openControl(shop.url);
  const browser = await chromium.launch({
    executablePath: process.env.NAVIGATOR_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const { review, task, plan } = await play(control);
    const views = [
      ["inbox-light", `/inbox/${encode(review)}`],
      ["inbox-dark", `/inbox/${encode(review)}`, { scheme: "dark" }],
      ["inbox-phone", `/inbox/${encode(review)}`, { width: 360, height: 740 }],
      ["missions", "/missions"],
      ["mission", `/missions/${encode("agent/refund-42")}`],
      ["mission-failed", `/missions/${encode("agent/refund-12")}`],
      ["graph", `/graphs/feature?task=${encode(task)}`],
      ["plan", `/missions/${encode(plan)}?tab=plan`],
      ["start", "/start?agent=refund"],
      ["playground", "/playground"],
      ["costs", "/costs"],
      ["queue", "/queue"],
    ];
    mkdirSync(images, { recursive: true });
    for (const [name, place, { width = 1280, height = 800, scheme = "light" } = {}] of views) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      await page.goto(control.link(place));
      await page.locator("main h1").first().waitFor();
      // Everything that is read for the view has come.
      await page.waitForLoadState("networkidle", { timeout: 5_000 }).catch(() => {});
      // The project of the pictures has no people, so a name is typed.
      if (name.startsWith("inbox")) {
        await page.getByLabel("You decide as").fill("anna");
        await page
          .getByRole("button", { name: /^Approve/ })
          .first()
          .waitFor();
        await page.getByText("Why it is asked").first().waitFor();
        await page.locator("main h1").first().click();
      }
      await page.screenshot({ path: path.join(images, `${name}.png`) });
      await context.close();
      process.stderr.write(`docs/images/${name}.png\n`);
    }
  } finally {
    await browser.close();
    await control.close();
    await shop.close();
  }
}

await main();
