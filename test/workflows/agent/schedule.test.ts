import { randomUUID } from "node:crypto";
import { scheduledRunId } from "../../../src/client/schedule";
import { defineTool, LATER } from "../../../src/tools";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Agent runs by the clock, on the server's own schedules. */

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({
    tools: [defineTool({ name: "wait", signature: "() -> :string", completesLater: true, run: () => LATER })],
    script: {
      nightly: [fenced("(return {:due data/scheduled_at :shop data/shop})")],
      slow: [fenced("(return (tool/wait {}))")],
    },
  });
});
afterAll(() => rig.stop());

const NIGHTS = ["2026-03-01T02:00:00Z", "2026-03-02T02:00:00Z"].map((time) => new Date(time));
const SPAN = { from: new Date("2026-03-01T00:00:00Z"), to: new Date("2026-03-02T12:00:00Z") };
const nightly = (id: string, context = { shop: "north" }) => ({
  id,
  cron: "0 2 * * *",
  agent: agent({ name: "nightly" }),
  context,
  model: "scripted",
});

test("each missed night has one run, which knows its night; starting the same nights again starts nothing", async () => {
  const id = `nightly-${randomUUID()}`;
  const schedule = await rig.client.scheduleAgent(nightly(id));
  try {
    const runs = NIGHTS.map((night) => scheduledRunId(id, night));
    const missions = runs.map((run, at) => ({ due: NIGHTS[at]?.toISOString(), mission: `agent/${run}` }));
    expect(await rig.client.backfillSchedule(id, { ...SPAN, never_ran: true })).toEqual({ new: missions, found: [] });
    await until(
      async () => (await Promise.all(runs.map((run) => rig.client.has(`agent/${run}`)))).every(Boolean),
      "both nights",
    );
    const steps = await Promise.all(runs.map((run) => rig.client.agent(run).result()));
    expect(steps.map((step) => step.return)).toEqual([
      { due: "2026-03-01T02:00:00.000Z", shop: "north" },
      { due: "2026-03-02T02:00:00.000Z", shop: "north" },
    ]);
    // What is there is surely not forgotten.
    expect(await rig.client.backfillSchedule(id, SPAN)).toEqual({ new: [], found: missions });
    const { numActionsTaken } = (await schedule.describe()).info;
    expect(numActionsTaken).toBe(2);
  } finally {
    await schedule.delete();
  }
});

test("what the server may have forgotten is not started again, unless somebody says that it never was", async () => {
  const id = `nightly-${randomUUID()}`;
  const schedule = await rig.client.scheduleAgent(nightly(id));
  try {
    await rig.client.backfillSchedule(id, { ...SPAN, never_ran: true });
    const [first = "", second = ""] = NIGHTS.map((night) => `agent/${scheduledRunId(id, night)}`);
    await until(() => rig.client.has(second), "both nights");
    await Promise.all([first, second].map((run) => rig.client.agent(run).result()));
    // As the retention does.
    await rig.client.temporal.workflowService.deleteWorkflowExecution({
      namespace: rig.client.temporal.options.namespace,
      workflowExecution: { workflowId: first },
    });
    await until(async () => !(await rig.client.has(first)), "the first night is forgotten");
    const forgotten = {
      code: "confirmation_required",
      details: { runs: [expect.objectContaining({ mission: first })] },
    };
    await expect(rig.client.backfillSchedule(id, SPAN)).rejects.toMatchObject(forgotten);
    // The handle is no way around it.
    await expect(schedule.backfill({ start: SPAN.from, end: SPAN.to })).rejects.toMatchObject(forgotten);
    expect(await rig.client.has(first)).toBe(false);
    expect(await rig.client.backfillSchedule(id, { ...SPAN, never_ran: true })).toMatchObject({
      new: [{ mission: first }],
      found: [{ mission: second }],
    });
    await until(() => rig.client.has(first), "it is started");
  } finally {
    await schedule.delete();
  }
});

test("runs within the retention are made up for at once; a span has less than 1000 runs", async () => {
  const id = `hourly-${randomUUID()}`;
  const schedule = await rig.client.scheduleAgent({ ...nightly(id), cron: "0 * * * *", once_per: "hour" });
  try {
    await schedule.pause();
    const to = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    const from = new Date(to.getTime() - 2 * 3_600_000);
    const { new: started } = await rig.client.backfillSchedule(id, { from, to });
    expect(started.map(({ due }) => Date.parse(due) - from.getTime())).toEqual([0, 3_600_000, 7_200_000]);
    await until(() => rig.client.has(started[2]?.mission as string), "the last hour");
    await expect(rig.client.backfillSchedule(id, { from: new Date("2026-01-01T00:00:00Z"), to })).rejects.toMatchObject(
      { code: "invalid_input", details: { path: "to" } },
    );
  } finally {
    await schedule.delete();
  }
});

test("days are those of the time zone: both nights at the change of the clocks have a run", async () => {
  const id = `berlin-${randomUUID()}`;
  const berlin = { ...nightly(id), cron: "30 1 * * *", timezone: "Europe/Berlin", once_per: "day" as const };
  const schedule = await rig.client.scheduleAgent(berlin);
  try {
    const span = { from: new Date("2027-03-27T22:00:00Z"), to: new Date("2027-03-29T12:00:00Z") };
    const { new: started } = await rig.client.backfillSchedule(id, { ...span, never_ran: true });
    expect(started).toEqual([
      { due: "2027-03-28T00:30:00.000Z", mission: `agent/${id}-2027-03-28` },
      { due: "2027-03-28T23:30:00.000Z", mission: `agent/${id}-2027-03-29` },
    ]);
    expect(scheduledRunId(id, new Date("2027-03-28T23:30:00Z"), "day", "Europe/Berlin")).toBe(`${id}-2027-03-29`);
    for (const { mission } of started) {
      await until(() => rig.client.has(mission), mission);
      await rig.client.agent(mission).result();
    }
    // The ids of runs that are there stay theirs, whatever zone is said later.
    await rig.client.scheduleAgent({ ...berlin, timezone: "America/New_York" });
    const { action } = await schedule.describe();
    expect(action.args).toMatchObject([{ once_per: { day_in: "Europe/Berlin" } }]);
  } finally {
    await schedule.delete();
  }
});

test("by hand, a run is started only if the one before has ended, as the schedule says", async () => {
  const id = `slow-${randomUUID()}`;
  const asks = agent({ name: "slow", prompt: "Wait.", tools: ["wait"] });
  const schedule = await rig.client.scheduleAgent({ ...nightly(id), agent: asks });
  try {
    const first = await rig.client.triggerSchedule(id);
    if (first.became !== "started") throw new Error(`It ${first.became}.`);
    const { mission } = first.start;
    await until(() => rig.client.has(mission), "the first run");
    expect(await rig.client.triggerSchedule(id)).toEqual({ became: "skipped" });
    await schedule.trigger();
    expect((await schedule.describe()).info.runningActions).toHaveLength(1);
    expect(await rig.client.triggerSchedule(id, { overlap: "wait_for_all" })).toEqual({ became: "waits" });
    await rig.client.agent(mission).cancel({ by: "test" });
  } finally {
    await schedule.delete();
  }
});

test("an existing schedule is updated, and stays paused; by hand it runs once a day", async () => {
  const id = `nightly-${randomUUID()}`;
  const schedule = await rig.client.scheduleAgent(nightly(id));
  try {
    await schedule.pause();
    await rig.client.scheduleAgent({
      ...nightly(id, { shop: "south" }),
      once_per: "day",
      overlap: "wait_for_all",
      catch_up_ms: 60_000,
    });
    const { policies, state } = await schedule.describe();
    expect({ policies, paused: state.paused }).toMatchObject({
      policies: { overlap: "BUFFER_ALL", catchupWindow: 60_000 },
      paused: true,
    });
    const today = new Date().toISOString();
    const second = () => Math.floor(Date.now() / 1000);
    const first = second();
    const run = `agent/${scheduledRunId(id, new Date(today), "day")}`;
    await schedule.trigger();
    await until(() => rig.client.has(run), "a run of today");
    expect((await rig.client.agent(run).result()).return).toMatchObject({ shop: "south" });
    // Temporal names what a schedule starts by the second: two starts in one would be the same workflow.
    await until(async () => second() > first + 1, "another second");
    await schedule.trigger();
    // By hand, a second time on one day: it finds the first.
    const told = await until(async () => {
      const [, again] = (await schedule.describe()).info.recentActions;
      return again && rig.client.temporal.workflow.getHandle(again.action.workflow.workflowId).result();
    }, "the second start");
    expect(told).toEqual({ run, new: false });
  } finally {
    await schedule.delete();
  }
});

test.each([
  [{ cron: "every night" }, "cron"],
  [{ timezone: "Europe/Nowhere" }, "timezone"],
  [{ budget: { tokens: -1 } }, "budget.tokens"],
])("%j is refused, at %s", async (wrong, path) => {
  const id = `nightly-${randomUUID()}`;
  await expect(rig.client.scheduleAgent({ ...nightly(id), ...wrong })).rejects.toMatchObject({
    code: "invalid_input",
    details: { path },
  });
});
