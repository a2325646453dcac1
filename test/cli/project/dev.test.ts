import type { ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { type Answer, openPlace, type Place } from "../../support/cli";
import { isAlive } from "../../support/is-alive";

const root = path.join(__dirname, "../../..");

/** `navigator init`, then `navigator dev` in the project that it made. */
let place: Place;

let child: ChildProcess;
let events: AsyncIterator<string>;

/** All that was told. */
const seen: Answer[] = [];

/** The next event that is so; those before it were others. */
async function next(event: string): Promise<Answer> {
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) throw new Error(`navigator dev ended without ${event}.`);
    const progress = JSON.parse(value);
    seen.push(progress);
    if (progress.event === event) return progress;
  }
}

const edit = (file: string, from: string, to: string) => {
  const text = readFileSync(path.join(place.folder, file), "utf8");
  expect(text).toContain(from);
  place.write(file, text.replace(from, to));
};

beforeAll(async () => {
  place = await openPlace("dev");
  const here = place.here();
  await here.json(["init", "."]);
  mkdirSync(path.join(place.folder, "node_modules"));
  symlinkSync(path.join(root, "node_modules/zod"), path.join(place.folder, "node_modules/zod"));
  edit("navigator.config.ts", "export default", 'console.log("no line of the log");\nexport default');
  child = place.start(["dev", "--json", "--page-port", "0", "--start", "refund", "--context", "@first-mission.json"]);
  child.stderr?.pipe(process.stderr);
  events = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
});

afterAll(() => {
  if (child.exitCode === null) child.kill("SIGKILL");
  place.close();
});

test("a mission is seen as it happens; mistakes keep the old code; new code is used by its next calls and by the page", async () => {
  const { page, agents } = await next("dev_ready");
  expect(agents).toEqual(["refund"]);
  expect(await next("mission_started")).toMatchObject({ workflow_id: "agent/first-refund", agent: "refund" });
  expect(await next("model_answered")).toMatchObject({ call: 1, content: expect.stringContaining("tool/refund_card") });
  const waits = await next("review_waits");
  expect(waits).toMatchObject({ workflow_id: "agent/first-refund", choices: ["approve", "reject"] });
  expect(waits.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/inbox\//);

  edit("tools/refund-card.ts", "return { receipt: `receipt-", "return { receipt: ; `receipt-");
  expect(await next("reload_failed")).toMatchObject({
    files: ["tools/refund-card.ts"],
    error: { code: "bad_project", message: expect.stringMatching(/tools\/refund-card\.ts:\d+ cannot be loaded/) },
  });

  edit("tools/refund-card.ts", "return { receipt: ; `receipt-", "return { receipt: `new-");
  const first = await next("reloaded");
  expect(first).toMatchObject({ files: ["tools/refund-card.ts"], running: ["agent/first-refund"] });

  await place.here().run(["review", "decide", waits.review, "approve", "--by", "anna"]);
  expect(await next("tool_answered")).toMatchObject({ value: { receipt: "new-42" } });
  expect(await next("completed")).toMatchObject({ value: { refunded: true, receipt: "new-42" } });

  edit("navigator.config.ts", "agents: [refund]", 'agents: [refund, { name: "greeter", prompt: "Greet." }]');
  const second = await next("reloaded");
  expect(second).toMatchObject({ files: ["navigator.config.ts"], running: [] });
  // Two processes told it, and nothing twice.
  expect(seen.filter(({ workflow_id }) => workflow_id === "agent/first-refund").map(({ event }) => event)).toEqual([
    ...["mission_started", "model_asked", "model_answered", "review_waits"],
    ...["tool_called", "tool_answered", "completed"],
  ]);
  // The page is where it was, and knows the new agent.
  expect([first.page, second.page]).toEqual([page, page]);
  const { origin, hash } = new URL(page);
  const known = await fetch(`${origin}/api/agents`, { headers: { authorization: `Bearer ${hash.split("=")[1]}` } });
  expect(JSON.stringify(await known.json())).toContain("greeter");

  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  expect([first.pid, second.pid].filter(isAlive)).toEqual([]);
});

test("a project that cannot be loaded is refused with its mistake, and nothing stays behind", async () => {
  place.write("tools/refund-card.ts", "export const = 1;");
  // On a busy machine it says first that the code takes long to load.
  const { code, stderr } = await place.run(["dev", "--page-port", "0", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error).toMatchObject({
    code: "bad_project",
    message: expect.stringContaining("refund-card.ts:1"),
  });
});
