import { randomUUID } from "node:crypto";
import { ScheduleOverlapPolicy } from "@temporalio/client";
import { scheduledRunId } from "../../../src/client/schedule";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Agent runs by the clock, on the server's own schedules. */

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ script: [fenced("(return {:due data/scheduled_at :shop data/shop})")] });
});
afterAll(() => rig.stop());

const NIGHTS = ["2026-03-01T02:00:00Z", "2026-03-02T02:00:00Z"].map((time) => new Date(time));
const backfill = {
  start: new Date("2026-03-01T00:00:00Z"),
  end: new Date("2026-03-02T12:00:00Z"),
  overlap: ScheduleOverlapPolicy.BUFFER_ALL,
};
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
    await schedule.backfill(backfill);
    await until(
      async () => (await Promise.all(runs.map((run) => rig.client.has(`agent/${run}`)))).every(Boolean),
      "both nights",
    );
    const steps = await Promise.all(runs.map((run) => rig.client.agent(run).result()));
    expect(steps.map((step) => step.return)).toEqual([
      { due: "2026-03-01T02:00:00.000Z", shop: "north" },
      { due: "2026-03-02T02:00:00.000Z", shop: "north" },
    ]);
    const runIds = () => Promise.all(runs.map(async (run) => (await rig.client.agent(run).workflow.describe()).runId));
    const before = await runIds();
    await schedule.backfill(backfill);
    const later = new Date("2026-03-03T02:00:00Z");
    // The night after shows that the server has been through the others again.
    await schedule.backfill({
      ...backfill,
      start: new Date("2026-03-03T00:00:00Z"),
      end: new Date("2026-03-03T12:00:00Z"),
    });
    await until(() => rig.client.has(`agent/${scheduledRunId(id, later)}`), "the night after");
    expect(await runIds()).toEqual(before);
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
  [{ cron: "every night" }, "invalid_schedule"],
  [{ timezone: "Europe/Nowhere" }, "invalid_schedule"],
  [{ budget: { tokens: -1 } }, "invalid_run_options"],
])("%j is refused", async (wrong, code) => {
  const id = `nightly-${randomUUID()}`;
  await expect(rig.client.scheduleAgent({ ...nightly(id), ...wrong })).rejects.toMatchObject({ code });
});
