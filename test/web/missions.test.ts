import type { Page } from "playwright-core";
import { NO_PEOPLE } from "../../src/core/people/people-file";
import { defineTool } from "../../src/tools";
import type { WebCaller } from "../../src/web/context/context";
import { actorOf } from "../../src/web/requests/actor";
import { agent, fenced } from "../support/rig";
import { peopleOf } from "../support/test-keys";
import { until } from "../support/until";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** The lists of missions, and the page of one: by the API, and in a real browser. */

const charge = defineTool({
  name: "charge",
  signature: "(order :string, cents :int) -> :map",
  effect: "write",
  run: (args) => ({ ...args, receipt: "r-1" }),
});
const ship = defineTool({
  name: "ship",
  signature: "(order :string) -> :map",
  effect: "write",
  run: () => {
    throw new Error("The warehouse does not know A-17.");
  },
});

const clerk = agent({ name: "clerk", prompt: "Charge the order.", tools: [charge.spec] });
const shipper = agent({ name: "shipper", prompt: "Ship order A-17.", tools: [charge.spec, ship.spec], max_turns: 1 });
const waiter = agent({ name: "waiter", prompt: "Wait for the payment." });

let control: MissionControl;
let browser: TestBrowser;
beforeAll(async () => {
  [control, browser] = await Promise.all([
    openMissionControl({
      tools: [charge, ship],
      blockedTimeoutMs: 60_000,
      script: {
        clerk: [
          fenced(
            '(println "charging")\n(def paid (task "charge_A" (tool/charge {:order "A" :cents 1000})))\n(return paid)',
          ),
        ],
        shipper: [
          fenced('(task "charge_A17" (tool/charge {:order "A-17" :cents 900}))\n(return (tool/ship {:order "A-17"}))'),
        ],
        giver: [
          fenced('(tool/ship {:order "A-17"})'),
          fenced('(fail {:reason :gave_up :message "It cannot be shipped."})'),
        ],
        stuck: [fenced('(tool/ship {:order "A-17"})'), fenced("(return (tool/stamp {}))")],
        waiter: [fenced("(return {:status :waiting :for :payment})")],
      } as never,
    }),
    openBrowser(),
  ]);
  const { client } = control;
  const start = (definition: typeof clerk, id: string) =>
    client.startAgent({ agent: definition, id, model: "scripted" });
  const ended = [start(clerk, "c-1"), start(clerk, "c-2"), start(shipper, "s-1")];
  await Promise.all([start(waiter, "w-1"), start(waiter, "w-2"), start(waiter, "w-3")]);
  await Promise.all(ended.map(async (run) => (await run).result()));
  await counted({ completed: 2, failed: 1, waiting: 3 });
});
afterAll(async () => {
  await browser?.close();
  await control?.stop();
});

/** Lists follow the workflows within moments. */
const counted = (wanted: object) =>
  until(
    async () => {
      const counts = await control.get("/api/missions/counts");
      expect(counts).toMatchObject(wanted);
      return true;
    },
    `the counters are ${JSON.stringify(wanted)}`,
    30_000,
  );

const run = (id: string, part = "") => `/api/runs/${encodeURIComponent(id)}${part}`;

describe("by the API", () => {
  test("a mission tells what was asked, what it did, and at which price, turn by turn", async () => {
    const sheet = await control.get(run("agent/c-1"));
    expect(sheet).toMatchObject({
      kind: "agent",
      state: "completed",
      is_mission: true,
      failed: null,
      asked: { agent: "clerk", prompt: "Charge the order." },
      actions: ["afresh"],
      waits: [],
      summary: { turns: 1, tool_calls: 1 },
    });
    const { turns } = await control.get(run("agent/c-1", "/turns"));
    expect(turns).toMatchObject([{ number: 1, prints: ["charging"], model_calls: 1, calls: [{ name: "charge" }] }]);
    const { rows } = await control.get(run("agent/c-1", "/journal"));
    expect(rows).toMatchObject([{ id: "charge_A", by: "task" }]);
    const { logs } = await control.get(run("agent/c-1", "/log"));
    expect(logs[0].mission_log).toContain("charge_A");
    const told = await control.get(run("agent/c-1", "/effects"));
    expect(told).toMatchObject({
      ledger: true,
      summary: "1 effect: 1 done",
      effects: [{ tool: "charge", state: "done" }],
    });
    const { reasons } = await control.get(run("agent/c-1", `/why?effect=${encodeURIComponent(told.effects[0].key)}`));
    expect(reasons).toMatchObject([{ turn: 1, effect: { tool: "charge" } }]);
    expect((await control.get(run("agent/c-1", "/trace"))).summary).toMatchObject({ turns: 1 });
    const verdict = await control.get(run("agent/c-1", "/ledger"));
    expect(verdict).toMatchObject({ ok: true, counts: { effects: 1 } });
    const file = await control.fetch(run("agent/c-1", "/ledger/export"));
    expect(file.headers.get("content-disposition")).toContain("ledger-agent-c-1.jsonl");
    expect((await file.text()).split("\n")[0]).toContain('"line":"ledger"');
  });

  test("a failed mission names the code, the place and the call that failed", async () => {
    const { state, failed } = await control.get(run("agent/s-1"));
    expect(state).toBe("failed");
    expect(failed).toMatchObject({ workflow_id: "agent/s-1", turn: 1, call: { name: "ship" } });
    expect(failed.call.error).toContain("The warehouse does not know A-17.");
  });

  test("what has not changed is not sent again", async () => {
    const first = await control.fetch(run("agent/c-1"));
    const etag = first.headers.get("etag") as string;
    expect((await control.fetch(run("agent/c-1"), { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  test("an action that is not for this kind, or comes too late, is refused with its code", async () => {
    const post = { method: "POST", body: "{}" };
    expect(await control.refused(run("agent/w-1", "/resume"), post)).toMatchObject({ status: 409, code: "not_paused" });
    expect(await control.refused(run("agent/c-1", "/pause"), post)).toMatchObject({ status: 409, code: "run_over" });
    for (const body of ['{"note":1}', "[]"])
      expect(await control.refused(run("agent/w-1", "/pause"), { method: "POST", body })).toMatchObject({
        status: 400,
      });
    expect(await control.refused(run("agent/c-1", "/cancel"), post)).toMatchObject({ status: 409, code: "run_over" });
    expect(await control.refused(run("agent/w-1", "/retry"), post)).toMatchObject({
      status: 409,
      code: "still_running",
    });
    expect(await control.refused(run("agent/nobody", "/cancel"), post)).toMatchObject({
      status: 404,
      code: "not_found",
    });
    expect(await control.refused(run("task-tree", "/terminate"), post)).toMatchObject({ code: "not_found" });
  });

  test("a run and a plan are paused and go on again, each under the name of who did it", async () => {
    await control.client.startAgent({ agent: waiter, id: "w-7p", model: "scripted" });
    const tasks = [{ id: "look", type: "review", input: "Well?" }];
    await control.client.startPlan({ id: "held", plan: { tasks } });
    for (const id of ["agent/w-7p", "plan/held"]) {
      await until(async () => (await control.get(run(id))).waits.length > 0, `${id} waits`);
      expect(await control.post(run(id, "/pause"), { note: "later" })).toMatchObject({ action: "pause" });
      await control.post(run(id, "/pause"), { note: "once more" });
      const held = await control.get(run(id));
      expect(held).toMatchObject({ actions: ["cancel", "resume", "terminate"] });
      expect(JSON.stringify(held)).toContain('"by":"the user of this machine","note":"later"');
      expect(await control.post(run(id, "/resume"))).toMatchObject({ workflow_id: id, action: "resume" });
      expect((await control.get(run(id))).actions).toEqual(["cancel", "pause", "terminate"]);
      await control.post(run(id, "/terminate"));
    }
  });

  test("a decision recorded over HTTP wakes a waiting mission, under the name of who sent it", async () => {
    const answer = await control.post(run("agent/w-1", "/signal"), { id: "payment", value: true, by: "anna" });
    expect(answer).toMatchObject({ recorded: true, record: { id: "payment", by: "anna" } });
  });

  test("a mission that was ended says by whom and why", async () => {
    await control.client.startAgent({ agent: waiter, id: "w-9", model: "scripted" });
    await control.post(run("agent/w-9", "/terminate"), { note: "a test" });
    const { failed, state } = await control.get(run("agent/w-9"));
    expect({ state, failed }).toMatchObject({
      state: "terminated",
      failed: { code: "terminated", message: "the user of this machine: a test" },
    });
  });

  test("a retry starts the same with a new id, and only once while it runs", async () => {
    await control.client.startAgent({ agent: waiter, id: "w-8", model: "scripted", context: { order: 8 } });
    await control.post(run("agent/w-8", "/cancel"), { note: "too early" });
    await until(async () => (await control.get(run("agent/w-8"))).state === "cancelled", "it is cancelled");
    const { projection } = await control.get(run("agent/w-8"));
    expect(projection.timeline.map(({ text }: { text: string }) => text)).toContain(
      "cancel requested by the user of this machine: too early",
    );
    const again = { workflow_id: "agent/w-8-again-2", of: "agent/w-8" };
    expect(await control.post(run("agent/w-8", "/retry"))).toMatchObject({ ...again, started: true });
    expect(await control.post(run("agent/w-8", "/retry"))).toMatchObject({ ...again, started: false });
    expect((await control.get(run("agent/w-8-again-2"))).asked).toMatchObject({
      agent: "waiter",
      context: { order: 8 },
    });
    const { results, done } = await control.post("/api/missions/cancel", { ids: ["agent/w-8-again-2", "agent/w-8"] });
    expect({ done, results }).toMatchObject({ done: 1, results: [{ ok: true }, { ok: false, code: "run_over" }] });
  });

  test("a task is paused, resumed, cancelled and started again, each under the name of who did it", async () => {
    const definition = {
      id: "by-hand",
      nodes: {
        start: { type: "start" },
        work: { type: "task", name: "Work" },
        done: { type: "end", result: "success" },
      },
      edges: [
        { from: "start", to: "work" },
        { from: "work", to: "done" },
      ],
    };
    await control.post("/api/graphs", { definition });
    await control.post("/api/tasks", { graph: "by-hand", id: "t-1" });
    expect(await control.refused(run("definition/by-hand", "/pause"), { method: "POST", body: "{}" })).toMatchObject({
      status: 409,
      code: "wrong_kind",
    });
    expect((await control.get(run("task/t-1"))).actions).toEqual(["cancel", "pause", "terminate"]);
    await control.post(run("task/t-1", "/pause"), { note: "later" });
    expect(await control.get(run("task/t-1"))).toMatchObject({
      status: "PAUSED",
      actions: ["cancel", "resume", "terminate"],
    });
    await control.post(run("task/t-1", "/resume"));
    const again = await control.refused(run("task/t-1", "/resume"), { method: "POST", body: "{}" });
    expect(again).toMatchObject({ status: 409, code: "task_not_paused" });
    await control.post(run("task/t-1", "/cancel"), { note: "nobody wants it" });
    await until(async () => (await control.get(run("task/t-1"))).actions.includes("retry"), "the task has ended");
    const { workflow_id } = await control.post(run("task/t-1", "/retry"));
    expect(workflow_id).toBe("task/t-1-again-2");
    expect(await control.get(run(workflow_id))).toMatchObject({ kind: "task", asked: { graph: "by-hand" } });
  });

  test("in a project with people, only they, its services and the user of the machine change its work", () => {
    const people = peopleOf({ people: { anna: { keys: [] } } });
    const nobody = () => ({ nobody: "Nobody is logged in.", hint: "" });
    const actor = (caller: WebCaller, file = people) =>
      actorOf({ web: { people: () => file, signerOf: nobody }, caller });
    expect(actor({ id: "person:anna", person: "anna" })).toBe("anna");
    expect(actor({ id: "service:nightly" })).toBe("service:nightly");
    expect(actor({ id: "local", isLocal: true })).toBe("the user of this machine");
    for (const id of ["anybody", "oidc:u-1"])
      expect(() => actor({ id })).toThrow(expect.objectContaining({ code: "forbidden" }));
    expect(actor({ id: "anybody" }, NO_PEOPLE)).toBe("anybody");
  });
});

describe("in the browser", () => {
  const list = async (place = "/missions", size = {}): Promise<Page> => {
    const page = await browser.open(control.link(place), size);
    await page.getByRole("heading", { name: "Missions, tasks and plans" }).waitFor();
    return page;
  };
  const row = (page: Page, id: string) => page.getByRole("link", { name: id, exact: true });

  test("the list has counters by state, and its filters stand in the address", async () => {
    const page = await list();
    const states = page.getByRole("navigation", { name: "By state" });
    await states.getByRole("link", { name: /^Failed [1-9]/ }).click();
    await row(page, "agent/s-1").waitFor();
    await until(async () => (await row(page, "agent/c-1").count()) === 0, "only what failed is listed");
    expect(new URL(page.url()).search).toBe("?state=failed");
    await states.getByRole("link", { name: /^All/ }).click();
    await page.getByLabel("Text", { exact: true }).fill("c-2");
    await until(async () => page.url().endsWith("?text=c-2"), "the text is in the address");
    await until(async () => (await row(page, "agent/c-1").count()) === 0, "the text narrows the list");
    await row(page, "agent/c-2").waitFor();
    await page.getByLabel("Kind").selectOption("task");
    await page.getByText("No mission fits.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("an address opens the list as it was, also on a phone in the dark", async () => {
    const page = await list("/missions?agent=clerk&state=completed", { width: 360, height: 740, scheme: "dark" });
    await row(page, "agent/c-1").waitFor();
    expect(await page.getByRole("searchbox", { name: "Agent" }).inputValue()).toBe("clerk");
    expect(await row(page, "agent/s-1").count()).toBe(0);
    expect(await scrollsSideways(page)).toBe(false);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("several are cancelled at once, after a question that names how many", async () => {
    const page = await list("/missions?agent=waiter");
    await page.getByLabel("Choose agent/w-2").check();
    await page.getByLabel("Choose agent/w-3").check();
    await page.getByRole("button", { name: "Cancel 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel 2 missions?" });
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel 2 missions" }).click();
    await page.getByText("2 missions cancelled.").waitFor();
    await until(async () => (await control.get(run("agent/w-2"))).state === "cancelled", "w-2 is cancelled");
    await page.getByRole("link", { name: /^Cancelled/ }).click();
    await row(page, "agent/w-3").waitFor();
  });

  test("a failed mission is understood in one screen", async () => {
    const page = await browser.open(control.link("/missions/agent%2Fs-1"));
    const why = page.getByRole("region", { name: "Why it failed" });
    await why.waitFor();
    page.setDefaultTimeout(10_000);
    for (const [what, place] of [
      ["the message", why.getByText("No (return ...) within 1 turn(s).")],
      ["the code", why.getByText("max_turns_exceeded", { exact: true })],
      ["the call that failed", why.locator(".call-name", { hasText: "ship" })],
      ["its arguments", why.getByText('{"order":"A-17"}')],
      ["its error", why.getByText("tool_error: The warehouse does not know A-17.", { exact: true })],
      ["the way to try it again", page.getByRole("button", { name: "Try again" })],
    ] as const) {
      const box = await place.boundingBox();
      expect([what, box !== null && box.y >= 0 && box.y + box.height <= 720]).toEqual([what, true]);
    }
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("each part of a mission has an address, and is understood by assistive technology", async () => {
    const page = await browser.open(control.link("/missions/agent%2Fs-1?view=journal"));
    await page.getByRole("cell", { name: "charge_A17" }).waitFor();
    const parts = page.getByRole("navigation", { name: "Parts of the mission" });
    for (const [part, shown] of [
      [
        "Effects",
        page
          .getByText("outcome unknown")
          .or(page.getByText("failed", { exact: true }))
          .first(),
      ],
      ["Timeline", page.getByText("turn 1: model").first()],
      ["Ledger", page.getByText("Nothing was changed")],
      ["Overview", page.getByRole("heading", { name: "Mission Log" })],
    ] as const) {
      await parts.getByRole("link", { name: part }).click();
      await shown.waitFor();
      expect([part, await seriousViolations(page)]).toEqual([part, []]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await scrollsSideways(page)).toBe(false);
  });

  test("a waiting mission says what for, and a decision recorded on the page wakes it", async () => {
    await control.client.startAgent({ agent: waiter, id: "w-7", model: "scripted" });
    const page = await browser.open(control.link("/missions/agent%2Fw-7"));
    const waits = page.getByRole("region", { name: "What it waits for" });
    await waits.getByText("Record a decision in its journal").click();
    await waits.getByLabel("Record id").fill("payment");
    await waits.getByLabel("Who decides").fill("anna");
    await waits.getByRole("button", { name: "Record it" }).click();
    await page.getByRole("region", { name: "Mission Log" }).getByText("by anna").waitFor();
  });

  test("a mission that failed is tried again from its page, one that succeeded is started afresh, after a question", async () => {
    for (const [id, name] of [
      ["s-1", "Try again"],
      ["c-1", "Start afresh"],
    ]) {
      const page = await browser.open(control.link(`/missions/agent%2F${id}`));
      await page.getByRole("button", { name }).click();
      await page.getByRole("dialog").getByRole("button", { name }).click();
      await page.getByRole("heading", { name: new RegExp(`agent/${id}-again-2`) }).waitFor();
    }
  });
});

test("a mission that gives up names the call that failed before", async () => {
  const giver = agent({ name: "giver", prompt: "Ship {{order}} by {{day}}.", tools: [ship.spec], max_turns: 2 });
  const context = { order: "A-17", day: "Monday" };
  const { id } = await control.client.startAgent({ agent: giver, model: "scripted", context });
  await control.client.agent(id).result();
  const { failed, last_failed_call, returned } = await control.get(run(`agent/${id}`));
  expect(returned).toBeUndefined();
  expect(failed).toMatchObject({ code: "gave_up", turn: 2, call_turn: 1, call: { name: "ship" } });
  expect(last_failed_call).toMatchObject({
    tool: "ship",
    args: '{"order":"A-17"}',
    turn: 1,
    workflow_id: `agent/${id}`,
  });
  const page = await browser.open(control.link(`/missions/${encodeURIComponent(`agent/${id}`)}`));
  const note = page.getByRole("region", { name: "Why it failed" });
  await note.getByText("The last call that failed, in turn 1").waitFor();
  await note.getByText("The warehouse does not know A-17.").first().waitFor();
  await page.getByText("Ship A-17 by Monday.", { exact: true }).waitFor();
  await note.getByRole("link", { name: "turn 1", exact: true }).click();
  await until(async () => page.url().endsWith("#turn-1.1"), "the turn is in the address");
});

test("a blocked mission names the call that failed before, once", async () => {
  const tools = [ship.spec, { ...ship.spec, name: "stamp", signature: "() -> :map" }];
  const stuck = agent({ name: "stuck", prompt: "Ship it.", tools });
  const { id } = await control.client.startAgent({ agent: stuck, model: "scripted" });
  await until(async () => (await control.get(run(`agent/${id}`))).waits.length > 0, "it is blocked", 30_000);
  expect(await control.get(run(`agent/${id}`))).toMatchObject({
    failed: null,
    waits: [{ kind: "blocked" }],
    last_failed_call: { tool: "ship", turn: 1, workflow_id: `agent/${id}` },
  });
  const page = await browser.open(control.link(`/missions/${encodeURIComponent(`agent/${id}`)}`));
  const waits = page.getByRole("region", { name: "What it waits for" });
  const told = waits.getByText("The last call that failed");
  await told.waitFor();
  expect(await told.count()).toBe(1);
  expect(await told.textContent()).toContain("The warehouse does not know A-17.");
  expect(await seriousViolations(page)).toEqual([]);
  await control.post(run(`agent/${id}`, "/terminate"), { note: "a test" });
});
