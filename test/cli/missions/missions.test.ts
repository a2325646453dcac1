import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { renderStep } from "../../../src/cli/show/render-step";
import { createColors } from "../../../src/cli/terminal/render";
import { defineTool } from "../../../src/tools";
import { cliHere, program, setEnv } from "../../support/cli";
import { temporaryFolder } from "../../support/environment";
import { newNamespace } from "../../support/namespace";
import { openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** What a person on call does to missions, plans and tasks with the command line. */

const folder = temporaryFolder("on-call");
const at = (name: string) => path.join(folder.path, name);
const FILES = {
  "navigator.config.json": { agents: "./agents" },
  "agents/pays.json": { prompt: "Pay.", tools: ["pay", "book"] },
  "agents/ticks.json": {
    prompt: "Tick for {{shop}}.",
    signature: "(shop :string, scheduled_at :string?) -> {shop :string}",
  },
  "agents/fails.json": { prompt: "Fail." },
  "agents/ships.json": { prompt: "Ship.", signature: "() -> :string", max_turns: 2, tools: ["book", "ship"] },
};
const BOOK = defineTool({ name: "book", effect: "write", signature: "(n :int) -> :int", run: ({ n }) => n as number });
const PAY = defineTool({ name: "pay", approval: true, signature: "(n :int) -> :int", run: ({ n }) => n as number });
let isOpen = false;
const SHIP = defineTool({
  name: "ship",
  effect: "write",
  signature: "() -> :string",
  run: () => {
    if (!isOpen) throw new Error("the warehouse is closed");
    return "shipped";
  },
});
const BOOKS_AND_PAYS = '(do (task "booked" (tool/book {:n 7})) (return (tool/pay {:n 1})))';
const PLAN = {
  plan: { tasks: [{ id: "a", agent: "direct", input: BOOKS_AND_PAYS }] },
  options: { base_tools: [BOOK.spec, PAY.spec] },
};

let rig: Rig;
let restore = () => {};
beforeAll(async () => {
  mkdirSync(at("agents"));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(at(name), JSON.stringify(content));
  const namespace = await newNamespace();
  rig = await openRig({
    namespace,
    tools: [BOOK, PAY, SHIP],
    script: {
      pays: [program(BOOKS_AND_PAYS)],
      ships: [program('(task "booked" (tool/book {:n 9}))'), program("(return (tool/ship))")],
      ticks: [program("(return {:shop data/shop})")],
      fails: [program('(fail {:reason "no_luck" :message "It was not to be."})')],
    },
  });
  restore = setEnv({
    TEMPORAL_NAMESPACE: namespace,
    NAVIGATOR_TASK_QUEUE: rig.taskQueue,
    NAVIGATOR_PROJECT: "none",
    NAVIGATOR_HOME: at("home"),
    NAVIGATOR_IDENTITY: at("identity"),
    USER: "olga",
  });
});
afterAll(async () => {
  restore();
  await rig?.stop();
  folder.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape, and a test fails where one is not as it says
async function json(...args: string[]): Promise<any> {
  const end = await cliHere([...args, "--json"]);
  if (end.code !== 0) throw new Error(`${args.join(" ")}: ${end.stderr}`);
  return JSON.parse(end.stdout);
}
async function refused(...args: string[]): Promise<{ code: string; message: string; hint?: string }> {
  const { code, stdout, stderr } = await cliHere([...args, "--json"]);
  expect({ args, code, stdout }).toEqual({ args, code: expect.any(Number), stdout: "" });
  return JSON.parse(stderr).error;
}
const start = (agent: string, id: string) => json("run", agent, "--id", id, "--detach", "--config", folder.path);
const asks = (id: string) =>
  until(async () => (await rig.client.reviewed(id).reviews()).length === 1, `${id} asks a person`);
const listed = async (...args: string[]): Promise<string[]> =>
  (await json("list", ...args)).missions.map(({ workflow_id }: { workflow_id: string }) => workflow_id);

test("list tells what each waits for, since when and why it failed; every filter narrows it", async () => {
  await start("pays", "waits");
  await start("fails", "fails");
  await asks("agent/waits");
  await rig.client.agent("fails").result();
  await until(async () => (await listed("--status", "waiting")).length === 1, "the list has the state");
  await until(async () => (await listed("--status", "failed")).length === 1, "the list has the end");

  const { missions } = await json("list");
  expect(missions).toMatchObject([
    {
      workflow_id: "agent/waits",
      state: "waiting",
      waits_for: expect.stringContaining("pay"),
      since: expect.any(Number),
    },
    { workflow_id: "agent/fails", state: "failed", error: "no_luck: It was not to be." },
  ]);
  const { stdout } = await cliHere(["list"]);
  expect(stdout).toMatch(/^ID +KIND +STATE +STARTED \(UTC\) +SINCE +ABOUT +WAITS FOR +.*ERROR\n/);
  expect(stdout).toContain("no_luck: It was not to be.");

  expect(await listed("--agent", "fails")).toEqual(["agent/fails"]);
  expect(await listed("--text", "WAIT")).toEqual(["agent/waits"]);
  expect(await listed("--kind", "plan")).toEqual([]);
  expect(await listed("--since", "1h", "--query", 'ExecutionStatus = "Failed"')).toEqual(["agent/fails"]);
  expect(await listed("--since", "2990-01-01")).toEqual([]);
  const first = await json("list", "--limit", "1");
  expect(first.missions).toHaveLength(1);
  expect(await listed("--limit", "1", "--page", first.next)).toEqual(["agent/fails"]);
  expect((await cliHere(["list", "--limit", "1"])).stdout).toContain("There is more. Next page: add --page ");
  // The server has a place to go on from after each page that is full.
  expect((await cliHere(["list", "--limit", "2"])).stdout).not.toContain("--page");
  expect(await json("list", "--limit", "2")).not.toHaveProperty("next");
  expect(await listed("--project", "all")).toHaveLength(2);

  expect(await refused("list", "--status", "stuck")).toMatchObject({
    code: "bad_usage",
    details: { path: "--status" },
  });
  expect(await refused("list", "--since", "yesterday")).toMatchObject({
    code: "bad_usage",
    details: { path: "--since" },
  });
  expect(await refused("list", "--query", "Stuck ==")).toMatchObject({
    code: "invalid_input",
    details: { path: "request" },
  });
  // The server would answer after 20 seconds, and as if it were ill.
  expect(await refused("list", "--page", "garbage")).toMatchObject({
    code: "invalid_input",
    details: { path: "page" },
  });
  expect(await refused("list", "--page", `${first.next}0`)).toMatchObject({
    code: "invalid_input",
    details: { path: "page" },
  });
});

test("pause holds a mission under the name of who did it, also after an answer; resume lets it go on once", async () => {
  await start("pays", "held");
  await asks("agent/held");
  expect(await json("pause", "held", "--by", "anna", "--note", "the bank is closed")).toMatchObject({
    workflow_id: "agent/held",
    paused: { by: "anna", note: "the bank is closed", at: expect.any(Number) },
  });
  expect(await json("pause", "held")).toMatchObject({ paused: { by: "anna" } });
  const [review] = await rig.client.agent("held").reviews();
  await rig.client.agent("held").decide({ review: review?.id ?? "", choice: "approve", by: "ben" });
  await until(async () => (await listed("--status", "paused")).length === 1, "the list has the state");
  expect((await json("list", "--status", "paused")).missions).toMatchObject([
    { state: "paused", paused: { by: "anna", note: "the bank is closed" }, since: expect.any(Number) },
  ]);
  expect((await cliHere(["list", "--status", "paused"])).stdout).toContain("paused by anna: the bank is closed");

  const { stdout } = await cliHere(["resume", "held"]);
  expect(stdout).toContain("agent/held continues.");
  expect(await rig.client.agent("held").result()).toMatchObject({ return: 1 });
  expect(await refused("resume", "held")).toMatchObject({
    code: "already_over",
    details: { path: "agent/held", kind: "run" },
  });
  expect(await refused("pause", "nobody")).toMatchObject({ code: "not_found" });
});

test("cancel ends it with everything below it, and tells what it had done and how to take that back", async () => {
  await rig.client.startPlan({ id: "stops", ...PLAN });
  await until(async () => (await rig.client.inbox({ mission: "plan/stops" })).items.length === 1, "the plan asks");
  expect(await json("cancel", "stops", "--note", "ordered twice")).toMatchObject({
    workflow_id: "plan/stops",
    by: "olga",
    end: { state: "cancelled" },
    effects: [{ tool: "book", state: "done" }],
  });
  const { code, stdout } = await cliHere(["cancel", "waits", "--by", "anna"]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^agent\/waits cancelled[\s\S]*book/),
  });
  // Nothing of it can be taken back.
  expect(stdout).not.toContain("navigator undo");
  expect(JSON.stringify(await rig.client.history("agent/waits"))).toContain("anna");
  expect(await refused("cancel", "waits")).toMatchObject({
    code: "already_over",
    details: { path: "agent/waits", kind: "run" },
  });
  expect(await refused("cancel", "nobody")).toMatchObject({ code: "not_found" });
});

test("without a worker pause and resume end by themselves and send nothing; cancel says that it waits for one", async () => {
  await start("pays", "mute");
  await asks("agent/mute");
  await rig.stopWorker();
  const silent = { code: "no_worker", message: expect.stringContaining("nothing will act later") };
  expect(await Promise.all([refused("pause", "mute"), refused("resume", "mute")])).toMatchObject([silent, silent]);
  const { stdout } = await cliHere(["cancel", "mute", "--wait", "1s"]);
  expect(stdout).toContain(`No worker runs: this acts when a worker of task queue "${rig.taskQueue}" starts.`);
  expect(stdout).not.toContain("navigator undo");
  await rig.startWorker();
  await expect(rig.client.agent("mute").result()).rejects.toMatchObject({ code: "agent_lost" });
  expect(JSON.stringify(await rig.client.history("agent/mute"))).not.toMatch(/UpdateAccepted|UPDATE_ACCEPTED/);
});

test("the reason of a failure comes with the call behind it: in run, in the list and at the end of the log", async () => {
  isOpen = false;
  await start("ships", "closed");
  const step = await rig.client.agent("closed").result();
  const behind = "Last failed call: ship: the warehouse is closed";
  expect(renderStep(step, { mission_log: "", progress: "" }, createColors(false, {}))).toContain(behind);
  expect((await cliHere(["log", "closed"])).stdout).toMatch(
    /failed: max_turns_exceeded: .* Last failed call: ship: the warehouse is closed\n$/,
  );
  await until(
    async () => (await listed("--status", "failed", "--text", "closed")).length === 1,
    "the list has the end",
  );
  expect((await json("list", "--text", "closed")).missions).toMatchObject([
    {
      error: expect.stringMatching(/^max_turns_exceeded: /),
      failed_call: { tool: "ship", message: "the warehouse is closed" },
    },
  ]);
  expect((await cliHere(["list", "--text", "closed"])).stdout).toContain(behind);
});

test("terminate says what it means, asks first, and keeps the reason", async () => {
  await start("pays", "stuck");
  await asks("agent/stuck");
  expect(await refused("terminate", "stuck", "--reason", "stuck")).toMatchObject({
    code: "confirmation_required",
    hint: expect.stringContaining("navigator cancel agent/stuck"),
  });
  await json("terminate", "stuck", "--reason", "stuck since the deploy", "--yes");
  await until(async () => (await listed("--status", "terminated")).length === 1, "the list has the end");
  expect((await json("list", "--status", "terminated")).missions).toMatchObject([
    { workflow_id: "agent/stuck", error: "terminated: olga: stuck since the deploy" },
  ]);
});

test("retry goes on where a mission ended, and says what it takes over; afresh asks first what to do again", async () => {
  await start("ships", "order");
  await rig.client.agent("order").result();
  const { code, stdout } = await cliHere(["retry", "order", "--note", "noon", "--by", "anna"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("agent/order-again-2") });
  for (const line of [
    "agent/order-again-2 continues where agent/order ended.",
    "Finished tasks that it takes over: booked",
    "Effects that it does not make again: book",
    "navigator log agent/order-again-2",
  ])
    expect(stdout).toContain(line);
  await rig.client.agent("order-again-2").result();

  isOpen = true;
  const retried = await json("retry", "agent/order");
  expect(retried).toMatchObject({
    workflow_id: "agent/order-again-3",
    started: true,
    of: "agent/order-again-2",
    by: "olga",
    afresh: false,
    taken_over: { tasks: ["booked"], effects: [{ tool: "book", state: "done" }], left_out: [] },
  });
  expect(await rig.client.agent("order-again-3").result()).toMatchObject({ return: "shipped" });
  const { effects } = await json("effects", "order-again-3");
  expect(effects).toMatchObject([
    { tool: "book", taken_from: "agent/order" },
    { tool: "ship", state: "done" },
  ]);
  // All keys name the first mission, also that of an effect which only a retry has made.
  const reasons = [
    { effect: { key: effects[0].key }, run: "agent/order", program: expect.stringContaining("tool/book"), missing: [] },
    { effect: { key: effects[1].key }, run: "agent/order-again-3", program: expect.stringContaining("tool/ship") },
  ];
  expect(await json("why", "order-again-3")).toMatchObject(reasons);
  expect(await json("why", effects[0].key)).toMatchObject(reasons.slice(0, 1));
  expect(await json("why", effects[1].key)).toMatchObject(reasons.slice(1));
  const exported = await cliHere(["ledger", "export", "order-again-3"]);
  writeFileSync(at("ledger.jsonl"), exported.stdout);
  expect(await json("ledger", "verify", at("ledger.jsonl"))).toMatchObject({ ok: true });

  expect(await refused("retry", "order")).toMatchObject({
    code: "already_over",
    hint: expect.stringContaining("--afresh"),
  });
  const asked = await refused("retry", "order", "--afresh");
  expect(asked).toMatchObject({ code: "confirmation_required", message: expect.stringContaining("book, ship") });
  expect(await json("retry", "order", "--afresh", "--yes")).toMatchObject({
    workflow_id: "agent/order-again-4",
    taken_over: { tasks: [], effects: [] },
  });
  expect(await refused("retry", "waiting-for-nobody")).toMatchObject({ code: "not_found" });
});

const dayInBerlin = (iso: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Berlin", dateStyle: "short" }).format(new Date(iso));

test("a schedule is created, changed, shown, triggered, paused and deleted; what is wrong is refused first", async () => {
  const create = (...more: string[]) => [
    "schedule",
    "create",
    "ticks",
    "--id",
    "nightly",
    "--once-per",
    "day",
    "--config",
    folder.path,
    ...more,
  ];
  const args = create("--cron", "0 2 * * *", "--timezone", "Europe/Berlin", "--context", '{"shop": "north"}');
  expect(await json(...args, "--budget", "tokens=5000")).toMatchObject({
    ...{ id: "nightly", updated: false, agent: "ticks", timezone: "Europe/Berlin", once_per: "day", last: [] },
    next: expect.arrayContaining([expect.stringMatching(/T0[01]:00:00/)]),
  });
  expect(await json(...args, "--overlap", "wait_for_last")).toMatchObject({ updated: true, overlap: "wait_for_last" });

  const ran = async () => (await json("schedule", "show", "nightly")).last;
  expect(await json("schedule", "trigger", "nightly")).toMatchObject({ became: "started" });
  await until(async () => (await ran())[0]?.result === "completed", "the run of the schedule ends");
  const [{ mission, due }] = await ran();
  expect(mission).toBe(`agent/nightly-${dayInBerlin(due)}`);
  await until(async () => Date.now() - Date.parse(due) > 2_000, "another second: the server names starts by it");
  const again = await cliHere(["schedule", "trigger", "nightly"]);
  expect(again.stdout).toBe(`Schedule nightly started nothing: ${mission} is there already (completed).\n`);
  expect((await ran()).map(({ found }: { found: boolean }) => found)).toEqual([true, false]);
  expect(await listed("--agent", "ticks")).toEqual([mission]);
  expect(await rig.client.agent(mission).result()).toMatchObject({ return: { shop: "north" } });

  expect((await cliHere(["schedule", "pause", "nightly", "--note", "the bank is closed"])).stdout).toBe(
    "Schedule nightly is paused.\n",
  );
  expect((await cliHere(["schedule", "show", "nightly"])).stdout).toMatch(
    /paused \(by olga: the bank is closed\)[\s\S]*completed/,
  );
  await until(async () => (await json("schedule", "list")).schedules.length === 1, "the list has the schedule");
  expect(await json("schedule", "list")).toMatchObject({
    schedules: [{ id: "nightly", paused: true, next: [], last: [{ mission, result: "completed" }] }],
  });
  await json("schedule", "resume", "nightly");
  expect((await json("schedule", "show", "nightly")).paused).toBe(false);
  const backfill = ["schedule", "backfill", "nightly", "--from", "2026-01-01", "--to", "2026-01-02"];
  const two = [{ due: "2026-01-01T01:00:00.000Z" }, { due: "2026-01-02T01:00:00.000Z" }];
  expect(await refused(...backfill)).toMatchObject({ code: "confirmation_required", details: { runs: two } });
  expect(await refused(...backfill, "--never-ran")).toMatchObject({ code: "confirmation_required" });
  expect(await json(...backfill, "--never-ran", "--yes")).toMatchObject({ new: two, found: [] });
  await until(async () => (await listed("--agent", "ticks")).length === 3, "the runs of two days are made up for");
  expect((await cliHere(backfill)).stdout).toMatch(/starts nothing; 2 were there already/);

  const wrong: [code: string, said: string, ...args: string[]][] = [
    ["invalid_input", 'has "25" as the hour', ...create("--cron", "0 25 * * *")],
    ["invalid_input", "must have 5 fields", ...create("--cron", "at two")],
    ["invalid_input", 'no time zone "Mars"', ...create("--cron", "@daily", "--timezone", "Mars")],
    ["bad_usage", "--overlap must be one of skip", ...create("--cron", "@daily", "--overlap", "never")],
    [
      "bad_usage",
      "--to must be after",
      "schedule",
      "backfill",
      "nightly",
      "--from",
      "2026-01-02",
      "--to",
      "2026-01-01",
    ],
    ["not_found", 'no schedule "other"', "schedule", "trigger", "other"],
  ];
  for (const [code, said, ...args] of wrong)
    expect(await refused(...args)).toMatchObject({ code, message: expect.stringContaining(said) });
  expect(await refused("schedule", "create", "nobody", "--id", "x", "--cron", "@daily")).toMatchObject({
    message: expect.stringContaining("nobody"),
  });
  expect(await refused("schedule", "show", "nightly", "--project", "shop")).toMatchObject({ code: "not_found" });

  await json("schedule", "delete", "nightly");
  expect(await refused("schedule", "show", "nightly")).toMatchObject({ code: "not_found" });
});

test("one action on the missions of a list: a preview, a limit, and each refusal with its reason", async () => {
  const ids = ["many-1", "many-2", "many-3"];
  for (const id of ids) await start("pays", id);
  for (const id of ids) await asks(`agent/${id}`);
  const these = ["--text", "many-"];
  await until(async () => (await listed(...these, "--status", "waiting")).length === 3, "the list has all three");

  expect(await refused("batch", "pause")).toMatchObject({
    code: "bad_usage",
    message: expect.stringContaining("filter"),
  });
  expect(await refused("batch", "terminate", ...these)).toMatchObject({ details: { path: "--note" } });
  expect(await refused("batch", "pause", ...these, "--limit", "5000")).toMatchObject({ details: { path: "--limit" } });
  expect(await refused("batch", "pause", ...these, "--limit", "2")).toMatchObject({
    code: "confirmation_required",
    message: "This would pause 2 missions. Nothing was done.",
    details: { more: true },
  });
  const preview = await cliHere(["batch", "pause", ...these, "--dry-run"]);
  expect(preview.stdout).toMatch(/^navigator batch pause: 3 missions\nID +KIND +STATE +ABOUT\n/);
  expect(await listed("--status", "paused")).toEqual([]);

  const limited = await json("batch", "pause", ...these, "--limit", "2", "--yes", "--note", "the bank is closed");
  expect(limited).toMatchObject({ action: "pause", refused: [], more: true });
  expect(limited.done).toHaveLength(2);
  await until(async () => (await listed("--status", "paused")).length === 2, "the list has the pauses");
  const resumed = await json("batch", "resume", ...these, "--yes");
  expect(new Set(resumed.done)).toEqual(new Set(limited.done));

  const cancelled = await json("batch", "cancel", ...these, "--yes");
  expect(cancelled.done).toHaveLength(3);
  await until(async () => (await listed(...these, "--status", "cancelled")).length === 3, "the list has the ends");
  const again = await cliHere(["batch", "resume", ...these, "--status", "cancelled", "--yes", "--json"]);
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout)).toMatchObject({
    done: [],
    refused: ids.map(() => ({ error: { code: "already_over" } })),
  });
});
