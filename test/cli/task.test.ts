import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { ownName } from "../../src/node/shell-word";
import { type Commands, openPlace, type Place, writeProject } from "../support/cli";
import { testAddress } from "../support/environment";
import { until } from "../support/until";

/** Tasks and reviews from the command line, with a worker up; each test has a task of its own. */

let place: Place;
/** Most commands, in this process. */
let here: Commands;
let worker: Awaited<ReturnType<Place["worker"]>>;
beforeAll(async () => {
  place = await openPlace("task");
  here = place.here();
  writeProject(place);
  worker = await place.worker();
});
afterAll(async () => {
  await worker.stop();
  place.close();
});

const start = (id: string, ...more: string[]) =>
  here.json(["task", "start", "graph.json", "--id", id, "--context", '{"order_id": 42}', ...more]);
const show = async (id: string) => {
  const end = await here.run(["task", "show", id, "--json"]);
  return { code: end.code, ...JSON.parse(end.stdout) };
};
const atStep = (id: string, step: string) =>
  until(async () => (await show(id)).task.currentStep === step, `${id} gets to ${step}`);
const reviewOf = (id: string) =>
  until(async () => (await here.json(["review", "list", "--task", id])).open[0]?.review, `a review of ${id} opens`);

test("a task runs to its end: its agent works, a person releases it, an orchestrator reports a result", async () => {
  expect(await start("order-1", "--issue", "ORD-1", "--priority", "5")).toEqual({
    task: "order-1",
    workflow_id: "task/order-1",
    started_before: false,
    driven_from_outside: ["pack"],
  });
  const review = await reviewOf("order-1");
  expect(review).toMatchObject({ title: "Release it?", choices: ["passed", "failed"], kind: "gate" });

  const waiting = await here.run(["task", "show", "order-1"]);
  expect(waiting.code).toBe(4);
  expect(waiting.stdout).toMatch(/^order-1 {2}An order\n {2}status +PENDING {2}it waits for a person\n/);
  expect(waiting.stdout).toMatch(/\n {2}step +approval {2}Release it\?\n {2}about +ORD-1\n {2}priority +5\n/);
  expect(waiting.stdout).toContain("\nContext\n  order_id  42\n");
  expect(waiting.stdout).toContain(`\nWaiting for a person\n  Release it?  ${review.id}  passed | failed\n`);

  const shown = await here.run(["review", "show", review.id]);
  expect(shown.stdout).toMatch(/^Release it\?\n {2}review +order-1\/approval\/1\n {2}from +gate of task\/order-1\n/);
  expect(shown.stdout).toContain("\n  > Look at the order.\n");
  expect(shown.stdout).toContain(`Decide:  navigator review decide ${review.id} passed --by ${ownName()}`);

  const decided = await here.run(["review", "decide", review.id, "passed", "--by", "anna", "--note", "looks right"]);
  expect(decided).toMatchObject({ code: 0, stdout: `Decided ${review.id}: passed (by anna)\n` });
  await atStep("order-1", "pack");
  const advanced = await place.run(["task", "advance", "order-1", "--result", "passed", "--step", "pack"]);
  expect(advanced).toMatchObject({ code: 0, stdout: "pack -> done (conditional); the task is COMPLETED\n" });

  const done = await here.run(["task", "show", "order-1"]);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/status +COMPLETED {2}success\n/) });
  expect(done.stdout).toMatch(
    /\nDecided by people\n {2}Release it\? {2}passed {2}anna {2}[\d-]+ [\d:]+ UTC {2}looks right\n/,
  );
});

test("showing a task with an unsuccessful end exits with code 1 and names the end", async () => {
  await start("order-2");
  const { id } = await reviewOf("order-2");
  expect(
    await here.json(["review", "decide", id, "failed", "--by", "anna", "--value", '{"why": "stolen card"}']),
  ).toMatchObject({
    status: "decided",
    decision: { choice: "failed", by: "anna", value: { why: "stolen card" } },
  });
  await until(async () => (await show("order-2")).task.status === "FAILED", "the task ends");
  const end = await here.run(["task", "show", "order-2"]);
  expect(end).toMatchObject({ code: 1, stdout: expect.stringMatching(/status +FAILED {2}cancelled\n/) });
  const shown = await here.run(["review", "show", id]);
  expect(shown.stdout).toMatch(/\nDecided: failed, by anna \(unverified\) at .* UTC\n {2}why {2}stolen card\n$/);
});

test("starting an existing id again leaves the task unchanged, and says so; a start that asks for something else is refused", async () => {
  await start("order-3");
  const same = ["task", "start", "graph.json", "--id", "task/order-3"];
  const again = await here.run([...same, "--context", '{"order_id": 42}']);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("was started before and is unchanged") });
  const other = await here.run([...same, "--context", '{"order_id": 43}']);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/context[\s\S]*--join/) });
  expect((await show("order-3")).task.context).toEqual({ order_id: 42 });
});

test("without its project a task waits for an orchestrator, and the command says how to get its agents", async () => {
  const outside = await here.run(["task", "start", "graph.json", "--id", "order-4", "--no-agents"]);
  expect(outside).toMatchObject({ code: 0, stdout: expect.stringContaining('charge (no agent "charge" here)') });
  await atStep("order-4", "charge");
  const moved = await here.json(["task", "advance", "order-4", "--result", "passed", "--output", '{"tx": "tx_9"}']);
  expect(moved).toMatchObject({ success: true, previousStep: "charge", nextStep: "approval" });
  const { body, data } = await reviewOf("order-4");
  expect({ body, data }).toMatchObject({
    body: expect.stringContaining("tx_9"),
    data: { last_output: { tx: "tx_9" } },
  });
});

describe("a refused command on a task or review exits with code 2 and says what would be valid", () => {
  beforeAll(async () => {
    await start("order-5");
    await reviewOf("order-5");
    await start("order-6");
    await here.run(["review", "decide", (await reviewOf("order-6")).id, "failed", "--by", "anna"]);
    await until(async () => (await show("order-6")).task.status === "FAILED", "the task ends");
  });

  test.each([
    { args: ["task", "show", "nobody"], code: "task_not_found", says: 'There is no task "nobody"' },
    { args: ["task", "advance", "nobody"], code: "task_not_found", says: 'There is no task "nobody"' },
    {
      args: ["task", "advance", "order-5", "--result", "great"],
      code: "no_matching_edge",
      says: "passed -> pack, failed -> rejected",
    },
    {
      args: ["task", "advance", "order-5", "--result", "passed", "--step", "pack"],
      code: "step_changed",
      says: '"approval"',
    },
    { args: ["task", "advance", "order-6", "--result", "passed"], code: "task_closed", says: 'FAILED at "rejected"' },
    { args: ["task", "advance", "order-5", "--output", "{nope"], code: "invalid_input", says: "--output" },
    { args: ["review", "show", "order-5/approval/9"], code: "review_not_found", says: "order-5/approval/1" },
    { args: ["review", "show", "x", "--task", "nobody"], code: "not_found", says: "task/nobody" },
    { args: ["review", "decide", "x", "passed", "--by", "anna"], code: "review_not_found", says: "order-5/approval/1" },
    {
      args: ["review", "decide", "order-5/approval/1", "maybe", "--by", "anna"],
      code: "invalid_decision",
      says: "passed, failed",
    },
    {
      args: ["review", "decide", "order-5/approval/1", "passed", "--by", " "],
      code: "bad_usage",
      says: "--by",
    },
    {
      args: ["review", "decide", "order-6/approval/1", "passed", "--by", "bob"],
      code: "task_closed",
      says: 'FAILED at "rejected"',
    },
    {
      args: ["review", "decide", "nowhere", "passed", "--by", "bob", "--signal"],
      code: "bad_usage",
      says: "--task",
    },
    {
      args: ["journal", "set", "task/order-5", "a", "1", "--by", "anna"],
      code: "wrong_kind",
      says: "navigator review",
    },
  ])("$args is refused as $code", async ({ args, code, says }) => {
    const error = await here.refused(args);
    expect(error.code).toBe(code);
    expect(`${error.message} ${error.hint ?? ""}`).toContain(says);
  });

  test("the refused commands moved nothing", async () => {
    const { code, task } = await show("order-5");
    expect({ code, step: task.currentStep }).toEqual({ code: 4, step: "approval" });
  });
});

test("a task's journal is that of its agent runs, and the command names them", async () => {
  await start("order-7");
  await reviewOf("order-7");
  const end = await here.run(["journal", "show", "task/order-7"]);
  expect(end).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("navigator journal show task/order-7/charge/1"),
  });
  expect(await here.json(["journal", "show", "task/order-7/charge/1"])).toMatchObject([{ id: "charge_order_42" }]);
});

test("without a worker a task is shown as the server knows it, and a move fails with exit code 3 and a hint", async () => {
  const env = { NAVIGATOR_TASK_QUEUE: "nobody-serves-this" };
  await here.json(["task", "start", "graph.json", "--id", "order-10"], { env });
  expect(await here.json(["task", "show", "order-10"])).toMatchObject({
    task: { id: "order-10", status: "PENDING", currentStep: "start" },
    no_worker: true,
  });
  const error = await here.refused(["task", "advance", "order-10"], { code: 3 });
  expect(error).toMatchObject({ code: "no_worker", hint: expect.stringContaining("navigator worker") });
  const end = await here.run(["log", "order-10"]);
  expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining("started navigatorTask") });
  // A list has it as it was last known, marked, and all others.
  const list = await here.json(["task", "list"]);
  expect(list.unconfirmed).toContain("order-10");
  expect(list.counts.PENDING).toBeGreaterThan(0);
  const shown = await here.run(["task", "list"]);
  expect(shown.stdout).toMatch(/order-10 +PENDING\? /);
  expect(shown.stdout).toMatch(/\? \d+ not confirmed: no worker of their task queue answers/);
});

test("a decision can be sent as a plain signal", async () => {
  await start("order-8");
  const { id } = await reviewOf("order-8");
  expect(await here.json(["review", "decide", id, "passed", "--by", "anna", "--signal"])).toEqual({ sent: true });
  await atStep("order-8", "pack");
});

describe("navigator log", () => {
  beforeAll(async () => {
    await start("order-9");
    await reviewOf("order-9");
  });

  test("shows a task and its runs, also by its bare id", async () => {
    const end = await here.run(["log", "order-9"]);
    expect(end.code).toBe(0);
    expect(end.stdout).toMatch(/^task\/order-9 {2}navigatorTask, started [\d-]+ [\d:]+ UTC\n/);
    expect(end.stdout).toMatch(/\n +\+[\d.]+ s {2}child +agentRun task\/order-9\/charge\/1 +[\d.]+ m?s\n/);
    expect(end.stdout).toContain("\n\ntask/order-9/charge/1  agentRun, started ");
    expect(end.stdout).toContain('- [done] charge_order_42: {"tx" "tx_42"}');
    const tree = await here.json(["log", "task/order-9"]);
    expect(tree).toMatchObject({ workflow_id: "task/order-9", children: [{ workflow_id: "task/order-9/charge/1" }] });
  });

  test("reads an exported history without a server, with the same output", async () => {
    const connection = await Connection.connect({ address: testAddress() });
    const client = new NavigatorClient(new Client({ connection, namespace: place.namespace }), "none");
    const file = place.write("history.json", await client.history("task/order-9/charge/1"));
    await connection.close();
    const env = { TEMPORAL_ADDRESS: "127.0.0.1:1" };
    const { projection } = await here.json(["log", "--from-history", file], { env });
    expect(projection.rows).toMatchObject([{ id: "charge_order_42", value: { tx: "tx_42" } }]);
    const end = await here.run(["log", "--from-history", file], { env });
    expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining("recorded charge_order_42") });
  });

  test("with --follow prints each event once as it happens, and ends with the task", async () => {
    const following = place.run(["log", "order-9", "--follow", "--json"]);
    await here.run(["review", "decide", "order-9/approval/1", "failed", "--by", "anna"]);
    const { code, stdout } = await following;
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ kind }) => kind === "start")).toHaveLength(2);
    expect(lines.at(-1)).toMatchObject({ workflow_id: "task/order-9", kind: "end", text: "completed" });
    expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(lines.length);

    const again = await here.run(["log", "order-9", "--follow"]);
    expect(again.stdout.match(/recorded charge_order_42/g)).toHaveLength(1);
    expect(again.stdout).toContain("Mission Log (Completed Tasks)");
  });
});
