import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { startWorkerProcess } from "../../examples/order/demo/worker-process";
import { openOwnServer } from "../../prove/rig/own-server";
import { NavigatorClient } from "../../src/client/client";
import { openPlace, program } from "../support/cli";

/**
 * A plan of twelve tasks in four phases (a person, a task that fails and is tried again, one that makes the plan be repaired,
 * a quality gate) while worker and server are killed, without a word, at twenty random points.
 */
const KILLS = 20;
const charge = (id: string, depends_on: string[], more: object = {}) => ({
  id,
  agent: "payer",
  input: `Charge ${id}`,
  depends_on,
  ...more,
});
const A = ["a1", "a2", "a3"];
const B = ["b1", "b2", "b3"];
const C = ["c1", "c2", "c3"];
const PLAN = (c1: string) => ({
  agents: { payer: { prompt: "You charge.", tools: ["charge", "count"] } },
  tasks: [
    ...A.map((id) => charge(id, [])),
    charge("b1", A, { on_failure: "retry", max_retries: 3, input: "Flaky b1" }),
    charge("b2", A, { quality_gate: true }),
    charge("b3", A),
    charge("c1", B, { input: c1, verification: '(if (> (get data/result "n") 0) true "nothing was counted")' }),
    charge("c2", B),
    charge("c3", B),
    { id: "ok", type: "review", input: "Go on?", depends_on: C },
    charge("d1", C),
    charge("d2", C),
  ],
});
const paid = (id: string) => ({ paid: id });
const RESULTS = {
  ...Object.fromEntries([...A, "b2", "b3", "c2", "c3", "d1", "d2"].map((id) => [id, paid(id)])),
  b1: paid("b1"),
  c1: { n: 7 },
  ok: { approved: true, choice: "approve", by: "anna" },
};

/** What a service keeps: one effect for each key, whoever asks however often. */
const TOOLS = `
const { defineTool } = require("navigator-agents");
const { appendFileSync, existsSync, writeFileSync } = require("node:fs");
const note = (file, text) => appendFileSync(__dirname + "/" + file, text + "\\n");
const pause = () => new Promise((resolve) => setTimeout(resolve, 250));
module.exports = {
  script: "./script.json",
  tools: [
    defineTool({
      name: "charge",
      signature: "(id :string) -> {paid :string}",
      run: async ({ id }, { idempotencyKey }) => {
        note("calls.log", id + " " + idempotencyKey);
        await pause();
        return { paid: id };
      },
    }),
    defineTool({
      name: "count",
      effect: "read",
      signature: "(what :string) -> :int",
      run: async ({ what }, { idempotencyKey }) => {
        const mark = __dirname + "/tried-" + what + "-" + idempotencyKey.split("/")[1];
        if (what !== "b1") return 7;
        // The first time that it is asked for this plan there is nothing to count.
        if (existsSync(mark)) return 1;
        writeFileSync(mark, "");
        return 0;
      },
    }),
  ],
};`;

const pays = (id: string) => ({
  if_contains: `Task: Charge ${id}\n`,
  content: program(`(return (task "pay" (tool/charge {:id "${id}"})))`),
});
const SCRIPT = [
  ...[...A, "b2", "b3", "c2", "c3", "d1", "d2"].map(pays),
  {
    if_contains: "Task: Flaky b1",
    content: program(
      '(do (task "pay" (tool/charge {:id "b1"})) (if (= 0 (tool/count {:what "b1"})) (fail "not yet") (return {:paid "b1"})))',
    ),
  },
  { if_contains: "Task: Count nothing", content: program("(return {:n 0})") },
  { if_contains: "Task: Count again", content: program('(return {:n (tool/count {:what "c1"})})') },
  {
    if_contains: "sufficient",
    content: JSON.stringify({ sufficient: true, missing: [], evidence: [{ field: "a1", found: true, source: "a1" }] }),
  },
  { content: JSON.stringify(PLAN("Count again")) },
];

test("twenty kills: the same results, no successful task runs again, no effect happens twice", async () => {
  const place = await openPlace("plans-killed");
  const server = await openOwnServer(place.folder);
  place.write("navigator.config.cjs", TOOLS);
  place.write("script.json", SCRIPT);
  const launch = () =>
    startWorkerProcess({
      config: place.folder,
      taskQueue: "plans-killed",
      env: { TEMPORAL_ADDRESS: server.address, NODE_PATH: path.join(__dirname, "..", "..", "..") },
    });
  let worker = await launch();
  const connection = await Connection.connect({ address: server.address });
  const client = new NavigatorClient(new Client({ connection }), "plans-killed");
  const random = seeded(7);
  let kills = 0;
  let retries = 0;
  let calm = 0;

  const kill = async () => {
    kills += 1;
    if (random() < 0.8) {
      process.kill(worker.pid, "SIGKILL");
      worker = await launch();
    } else await server.kill();
  };
  try {
    // On a slow machine the kills may all fall into rounds where nothing is tried again. One without a kill does it.
    for (let round = 1; kills < KILLS || (retries === 0 && calm < 3); round++) {
      if (kills === KILLS) calm += 1;
      const id = `round-${round}`;
      const options = { llm: "scripted", base_tools: ["charge", "count"], journal: {}, replan_cooldown_ms: 100 };
      const plan = await client.startPlan({
        id,
        plan: PLAN("Count nothing"),
        executor: true,
        mission: "Charge all",
        options,
      });
      let over = false;
      const result = plan.result().finally(() => {
        over = true;
      });
      const decided = decideWhenAsked(plan, () => over);
      while (!over && kills < KILLS) {
        await new Promise((resolve) => setTimeout(resolve, 100 + random() * 1_400));
        if (!over) await kill();
      }
      const end = await result;
      await decided;
      expect(end).toMatchObject({
        status: "ok",
        metadata: { results: RESULTS, replan_count: 1, execution_attempts: 2 },
      });
      expectEffectsOnce(place.folder, id);
      const { events } = await plan.events();
      for (const task of [...A, ...B, "c2", "c3"])
        expect({
          task,
          n: events.filter((one) => one.type === "task_succeeded" && one.task_id === task).length,
        }).toEqual({ task, n: 1 });
      retries += events.filter(
        (one) => one.type === "task_started" && one.task_id === "b1" && one.attempt === 2,
      ).length;
      for (const type of ["execution_started", "execution_finished"])
        expect(events.filter((one) => one.type === type)).toHaveLength(1);
    }
    expect(kills).toBe(KILLS);
    // Not in each round: where a worker dies right behind the count, its next answer is another.
    expect(retries).toBeGreaterThan(0);
  } finally {
    await connection.close();
    await worker.stop();
    await server.stop();
    place.close();
  }
});

/** Whoever is asked says yes, however often the line is lost. */
async function decideWhenAsked(plan: ReturnType<NavigatorClient["plan"]>, over: () => boolean): Promise<void> {
  while (!over()) {
    try {
      const review = (await plan.reviews()).find(({ status }) => status === "open");
      if (review) await plan.decide({ review: review.id, choice: "approve", by: "anna" });
    } catch {
      // The worker or the server is away: it is asked again.
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Calls may come again with the same key: the effect is the key's. */
function expectEffectsOnce(folder: string, id: string): void {
  const file = path.join(folder, "calls.log");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const keys = new Map<string, Set<string>>();
  for (const line of lines) {
    const [what, key] = line.split(" ") as [string, string];
    if (!key.startsWith(`plan/${id}~`)) continue;
    keys.set(what, (keys.get(what) ?? new Set()).add(key));
  }
  for (const what of [...A, ...B, "c2", "c3", "d1", "d2"])
    expect({ what, keys: [...(keys.get(what) ?? [])] }).toEqual({ what, keys: [expect.any(String)] });
}

/** Numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
