import { NO_PEOPLE } from "../../src/core/review/people/people-file";
import { defineTool } from "../../src/tools";
import type { WebCaller } from "../../src/web/context/context";
import { actorOf } from "../../src/web/requests/callers";
import { agent, fenced } from "../support/rig";
import { peopleOf } from "../support/test-keys";
import { until } from "../support/until";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** The lists of missions, and one of them, by the API. */

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

beforeAll(async () => {
  control = await openMissionControl({
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
  });
  const { client } = control;
  const start = (definition: typeof clerk, id: string) =>
    client.startAgent({ agent: definition, id, model: "scripted" });
  const ended = [start(clerk, "c-1"), start(clerk, "c-2"), start(shipper, "s-1")];
  await Promise.all([start(waiter, "w-1"), start(waiter, "w-2"), start(waiter, "w-3")]);
  await Promise.all(ended.map(async (run) => (await run).result()));
  await counted({ completed: 2, failed: 1, waiting: 3 });
});
afterAll(async () => {
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
    expect(await control.refused(run("agent/c-1", "/pause"), post)).toMatchObject({
      status: 409,
      code: "already_over",
      details: { path: "agent/c-1", kind: "run" },
    });
    for (const body of ['{"note":1}', "[]"])
      expect(await control.refused(run("agent/w-1", "/pause"), { method: "POST", body })).toMatchObject({
        status: 400,
      });
    expect(await control.refused(run("agent/c-1", "/cancel"), post)).toMatchObject({
      status: 409,
      code: "already_over",
      details: { path: "agent/c-1", kind: "run" },
    });
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
    expect({ done, results }).toMatchObject({
      done: 1,
      results: [{ ok: true }, { ok: false, code: "already_over", details: { path: "agent/w-8", kind: "run" } }],
    });
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
    expect(again).toMatchObject({ status: 409, code: "not_paused" });
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
  await control.post(run(`agent/${id}`, "/terminate"), { note: "a test" });
});
