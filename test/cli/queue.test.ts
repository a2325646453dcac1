import { type Commands, openPlace, type Place, writeProject } from "../support/cli";
import { until } from "../support/until";

/** Definitions, the tree of tasks, claims and syncs from the command line, with a worker up, in a namespace of its own. */

let place: Place;
/** Most commands, in this process. */
let here: Commands;
let worker: Awaited<ReturnType<Place["worker"]>>;
beforeAll(async () => {
  place = await openPlace("queue-of-tasks");
  here = place.here();
  writeProject(place);
  worker = await place.worker();
});
afterAll(async () => {
  await worker.stop();
  place.close();
});

const run = (...args: string[]) => here.json(args);
const text = async (...args: string[]) => (await here.run(args)).stdout;
const tasks = (...ids: string[]) =>
  ids.map((id, i) => ({ id, issueId: `ISSUE-${id}`, workflowType: "quick-task", priority: 10 * (i + 1) }));
/** Lists follow a moment later when another process made the change. */
const pending = (count: number) =>
  until(async () => (await run("task", "next", "--limit", "9")).count === count, `${count} tasks are pending`);

describe("definitions", () => {
  test("a folder is loaded with subflows first, and nothing is loaded if one definition has a mistake", async () => {
    await run("workflow", "init", "incident", "bug-hunt", "--to", "graphs");
    place.write("bad/a-broken.json", { nodes: { start: { type: "start" } }, edges: [] });
    const error = await here.refused(["workflow", "load", "graphs", "bad/a-broken.json"]);
    expect(error).toMatchObject({ code: "invalid_workflow", message: expect.stringContaining("a-broken.json") });
    expect(error.details.files[0].errors).toMatchObject([{ code: "no_end" }, { code: "dead_end", line: 3 }]);
    expect(await run("workflow", "list")).toEqual({ workflows: [] });

    const { workflows } = await run("workflow", "load", "graphs");
    expect(
      workflows.map(({ id, version, warnings }: { id: string; version: number; warnings: unknown[] }) => [
        id,
        version,
        warnings,
      ]),
    ).toEqual([
      ["bug-fix", 1, []],
      ["bug-hunt", 1, []],
      ["quick-task", 1, []],
      ["incident", 1, []],
    ]);
    await until(async () => (await run("workflow", "list")).workflows.length === 4, "the list shows them");
    expect(await text("workflow", "list", "--source", "project")).toMatch(/\nbug-hunt +1 +13 +project +Bug hunt\n/);
    expect(await run("workflow", "list", "--source", "catalog")).toEqual({ workflows: [] });
  });

  test("loading the same again makes no new version, a change does, and older versions stay", async () => {
    const graph = (name: string) => ({
      nodes: { start: { type: "start" }, work: { type: "task", name }, done: { type: "end", result: "success" } },
      edges: [
        { from: "start", to: "work" },
        { from: "work", to: "done" },
      ],
    });
    place.write("small.json", graph("First"));
    expect(await text("workflow", "load", "small.json")).toBe("Loaded small, version 1: 3 nodes, 2 edges\n");
    expect(await text("workflow", "load", "small.json")).toBe("Loaded small, version 1: 3 nodes, 2 edges\n");
    const other = JSON.stringify(graph("Second"));
    const end = await here.run(["workflow", "load", "-", "--id", "small"], { input: other });
    expect(end.stdout).toBe("Loaded small, version 2: 3 nodes, 2 edges\n");
    expect(await run("workflow", "show", "small")).toMatchObject({ version: 2, source: "project" });
    const first = await run("workflow", "show", "small", "--workflow-version", "1");
    expect(first.definition.nodes.work.name).toBe("First");
  });

  test("a loaded definition is shown, levelled and drawn by its id", async () => {
    expect(await text("workflow", "show", "quick-task")).toMatch(
      /^quick-task {2}Quick task, version 1, from project\n.*\n\nNODE .*\n.*\nclarify +task +planner +clear -> change, unclear -> question\n/,
    );
    expect((await run("workflow", "levels", "quick-task")).levels[1]).toEqual(["clarify"]);
    expect(await text("workflow", "diagram", "quick-task")).toMatch(/^```mermaid\nflowchart TD\n/);
  });
});

describe("the task tree", () => {
  test("a list is added to the tree; it replaces the tree only when that is asked for and confirmed", async () => {
    place.write("tasks.json", { tasks: tasks("a", "b", "c") });
    expect(await run("task", "load", "tasks.json")).toMatchObject({ loaded: 3, total: 3, warnings: [] });
    const input = JSON.stringify([{ id: "d", issueId: "D", workflowType: "unheard-of" }]);
    const merged = await here.run(["task", "load", "-", "--merge"], { input });
    expect(merged.stdout).toMatch(/^Loaded 1, replaced 0\. Now 4: 4 PENDING\n {2}warning workflow_not_loaded: /);
    await until(async () => (await run("task", "list")).counts.PENDING === 4, "all four are listed");
    const again = await here.json(["task", "load", "tasks.json"]);
    expect(again).toMatchObject({ loaded: 3, replaced: 3, total: 4 });
    expect(await here.refused(["task", "load", "tasks.json", "--replace"])).toMatchObject({
      code: "confirmation_required",
      message: expect.stringMatching(/^This removes 1 task\(s\) that the list does not have: d\. Nothing was loaded/),
      hint: expect.stringContaining("--yes"),
      details: { removes: 1, tasks: ["d"] },
    });
    const replaced = await run("task", "load", "tasks.json", "--replace", "--yes");
    expect(replaced).toMatchObject({ loaded: 3, replaced: 4, total: 3 });
    await until(async () => (await run("task", "list")).counts.PENDING === 3, "the fourth is gone");
    expect(await here.refused(["task", "show", "d"])).toMatchObject({ code: "task_not_found" });
  });

  test("the most important task is next; only the holder of its claim can advance it", async () => {
    await pending(3);
    expect((await run("task", "next", "--limit", "2")).tasks.map(({ id }: { id: string }) => id)).toEqual(["c", "b"]);
    const { claimed } = await run("task", "next", "--claim", "--owner", "one", "--lease", "10m");
    expect(claimed).toMatchObject([{ task: { id: "c", currentStep: "start" } }]);
    const [{ token, expiresAt }] = claimed;
    expect(expiresAt - Date.now()).toBeGreaterThan(9 * 60_000);

    expect(await text("task", "show", "c")).toMatch(/\n {2}claimed by +one until [\d-]+ [\d:]+ UTC\n/);
    expect(await here.refused(["task", "advance", "c", "--step", "start"])).toMatchObject({ code: "task_claimed" });
    expect(await here.refused(["task", "claim", "c", "--owner", "two"])).toMatchObject({ code: "task_claimed" });
    const renewed = await run("task", "claim", "c", "--owner", "one", "--claim", String(token));
    expect(renewed.task.id).toBe("c");
    expect(await here.refused(["task", "release", "c", "--claim", "99"])).toMatchObject({ code: "claim_lost" });
    expect(await text("task", "release", "c", "--claim", String(renewed.token))).toBe("c is free again.\n");
    const taken = await run("task", "claim", "c", "--owner", "two");
    expect(taken.token).not.toBe(token);
    expect(await here.refused(["task", "advance", "c", "--claim", String(token)])).toMatchObject({
      code: "claim_lost",
    });
    // A claim is for one step: with the move it is over.
    expect(await run("task", "advance", "c", "--claim", String(taken.token))).toMatchObject({ nextStep: "clarify" });
    expect(await text("task", "show", "c")).not.toContain("claimed by");
  });

  test("the current step of a task can be drawn", async () => {
    const drawn = await run("workflow", "diagram", "--task", "c");
    expect(drawn).toMatchObject({ workflowId: "quick-task", currentStep: "clarify" });
    expect(drawn.mermaid).toContain("class clarify current");
  });

  test("a paused task does not move until it is resumed; a cancelled task has ended", async () => {
    expect(await text("task", "pause", "b", "--note", "not now")).toBe("b is PAUSED at start.\n");
    expect(await here.refused(["task", "advance", "b"])).toMatchObject({ code: "task_paused" });
    expect(await text("task", "resume", "b")).toBe("b is PENDING at start.\n");
    expect(await here.refused(["task", "resume", "b"])).toMatchObject({ code: "not_paused" });
    expect(await text("task", "cancel", "b")).toBe("b is FAILED at start.\n");
    expect(await here.refused(["task", "advance", "b"])).toMatchObject({ code: "task_closed" });
    const { tasks: failed } = await run("task", "list", "--status", "failed");
    expect(failed.FAILED).toMatchObject([{ id: "b", endResult: "cancelled" }]);
  });

  test("every move stays pending until it is confirmed", async () => {
    await until(async () => (await run("sync", "list")).pending.some(isOfC), "the move of c is listed");
    const { pending: waiting } = await run("sync", "list");
    const moved = waiting.find(isOfC);
    expect(moved).toMatchObject({ previousStep: "start", nextStep: "clarify", kind: "advance", issueId: "ISSUE-c" });
    expect(await text("sync", "list")).toMatch(/^SYNC +MOVE +FROM, TO/);
    expect(await run("sync", "confirm", moved.id, "sync-0-nothing")).toMatchObject({
      confirmed: [moved.id],
      notFound: ["sync-0-nothing"],
    });
    expect((await run("sync", "confirm", "--task", "b")).confirmed.length).toBeLessThanOrEqual(2);
    await run("task", "load", place.write("all.json", tasks("d", "e")));
    await run("task", "advance", "d");
    await run("task", "advance", "e");
    await until(async () => (await run("sync", "list")).total >= 2, "the moves of d and e are listed");
    const { confirmed, remaining } = await run("sync", "confirm", "--all");
    expect(confirmed.map((id: string) => id.slice(-1))).toEqual(expect.arrayContaining(["d", "e"]));
    expect(remaining).toBe(0);
    await until(async () => (await run("sync", "list")).total === 0, "everything is confirmed");
    expect(await text("sync", "list")).toBe("Everything is confirmed.\n");
  });

  test("agents do the steps that name them", async () => {
    place.write("order.json", [
      { id: "order-42", issueId: "O", workflowType: "order", context: { order_id: 42 }, priority: 1 },
    ]);
    await run("workflow", "load", "graph.json");
    await run("task", "load", "order.json", "--merge", "--drive", "agent");
    await until(async () => (await here.run(["task", "show", "order-42"])).code === 4, "a person is asked");
    const end = await here.run(["task", "show", "order-42"]);
    expect(end.stdout).toMatch(/\n✓ charge .*─ passed → approval/);
  });
});

const isOfC = ({ taskId }: { taskId: string }) => taskId === "c";

test.each([
  { args: ["workflow", "show", "nothing"], code: "workflow_not_found", says: "nothing" },
  { args: ["workflow", "show", "small", "--workflow-version", "7"], code: "not_found", says: "7" },
  { args: ["workflow", "show", "small", "--workflow-version", "x"], code: "bad_usage", says: "1 or more" },
  { args: ["workflow", "list", "--source", "moon"], code: "bad_usage", says: "catalog, project, external" },
  { args: ["workflow", "load", "graphs", "--id", "x"], code: "bad_usage", says: "there are 4" },
  { args: ["workflow", "diagram"], code: "bad_usage", says: "--task" },
  { args: ["workflow", "diagram", "small", "--task", "c"], code: "bad_usage", says: "not both" },
  { args: ["task", "load", "small.json"], code: "invalid_input", says: "list of tasks" },
  { args: ["task", "load", "wrong.json"], code: "invalid_task", says: "tasks[1]" },
  { args: ["task", "load", "twice.json"], code: "duplicate_task_id", says: '"x"' },
  { args: ["task", "load", "wrong.json", "--drive", "me"], code: "bad_usage", says: "external or agent" },
  { args: ["task", "list", "--status", "odd"], code: "bad_usage", says: "PENDING" },
  { args: ["task", "next", "--limit", "0"], code: "bad_usage", says: "--limit" },
  { args: ["task", "next", "--claim"], code: "bad_usage", says: "--owner" },
  { args: ["task", "next", "--owner", "me"], code: "bad_usage", says: "--claim" },
  { args: ["task", "claim", "a", "--owner", "me", "--lease", "soon"], code: "bad_usage", says: "5m" },
  { args: ["task", "claim", "a"], code: "bad_usage", says: "--owner" },
  { args: ["task", "pause", "nobody"], code: "task_not_found", says: "nobody" },
  { args: ["sync", "confirm"], code: "bad_usage", says: "--task" },
  { args: ["sync", "confirm", "x", "--task", "y"], code: "bad_usage", says: "not both" },
])("$args is refused as $code", async ({ args, code, says }) => {
  place.write("wrong.json", [{ id: "x", issueId: "X", workflowType: "small" }, { id: "y" }]);
  place.write("twice.json", [
    { id: "x", issueId: "X", workflowType: "small" },
    { id: "x", issueId: "X", workflowType: "small" },
  ]);
  const error = await here.refused(args);
  expect(error.code).toBe(code);
  expect(`${error.message} ${error.hint ?? ""}`).toContain(says);
});

test("without a worker loading fails with exit code 3 instead of hanging", async () => {
  const env = { NAVIGATOR_TASK_QUEUE: "nobody-serves-this" };
  place.write("lonely.json", {
    nodes: { start: { type: "start" }, done: { type: "end", result: "success" } },
    edges: [{ from: "start", to: "done" }],
  });
  expect(await here.refused(["workflow", "load", "lonely.json"], { env, code: 3 })).toMatchObject({
    code: "no_worker",
    hint: expect.stringContaining("navigator worker"),
  });
});
