import { defineTool } from "../../../src/tools";
import { fenced, openRig, type Rig } from "../../support/rig";

/** A mission without a plan, from the client: made, sent back once, failed, repaired, done; nothing is done twice. */
let rig: Rig;
let rosters = 0;
const roster = defineTool({
  name: "roster",
  effect: "write",
  run: () => {
    rosters += 1;
    return [1, 2, 3];
  },
});
const plan = (votes: string, agent = "direct") =>
  JSON.stringify({
    tasks: [
      { id: "roster", agent, input: "(tool/roster {})" },
      {
        id: "votes",
        agent: "direct",
        input: votes,
        depends_on: ["roster"],
        verification: '(if (> data/result 0) true "no votes in that folder")',
      },
    ],
  });
beforeAll(async () => {
  rig = await openRig({
    tools: [roster],
    script: {
      planner: [
        // What the planner is told decides what it answers: each of these once.
        {
          if_contains: "no votes in that folder",
          if_missing: "ghost",
          content: plan('(count (get data/results "roster"))'),
        },
        { if_contains: '"ghost"', content: plan("0") },
        plan("0", "ghost"),
      ],
      default: [fenced("(return 1)")],
    },
  });
});
afterAll(() => rig.stop());

test("the planner's first plan is sent back, its second fails, the repaired one succeeds", async () => {
  const run = await rig.client.startPlan({
    mission: "How many voted?",
    options: { llm: "scripted", base_tools: [roster.spec], replan_cooldown_ms: 0 },
  });
  const result = await run.result();
  expect(result).toMatchObject({
    status: "ok",
    metadata: {
      results: { roster: [1, 2, 3], votes: 3 },
      replan_count: 1,
      execution_attempts: 2,
      replan_history: [{ task_id: "votes", diagnosis: "no votes in that folder", output: "0" }],
    },
  });
  expect(rosters).toBe(1);
  expect(await run.status()).toMatchObject({ state: "completed", replans: 1, executions: 2 });
  const { events } = await run.events();
  expect(events.map(({ type }) => type)).toEqual([
    "planning_started",
    "planning_retry",
    "planning_finished",
    "execution_started",
    ...["task_started", "task_step", "task_succeeded"],
    ...["task_started", "task_step"],
    "verification_failed",
    "replan_started",
    "replan_finished",
    "task_skipped",
    ...["task_started", "task_step", "task_succeeded"],
    "execution_finished",
  ]);
});

test("a planner that makes no valid plan ends the mission before any task", async () => {
  const own = await openRig({ tools: [], script: { planner: [plan("0", "ghost")] } });
  try {
    const run = await own.client.startPlan({ mission: "Anything", options: { llm: "scripted" } });
    expect(await run.result()).toMatchObject({
      status: "error",
      reason: {
        reason: "planning_failed",
        details: {
          reason: {
            reason: "initial_plan_invalid",
            details: { issues: [{ category: "missing_agent", task_id: "roster" }] },
          },
        },
      },
      metadata: null,
    });
  } finally {
    await own.stop();
  }
});

test("a cancelled plan ends its event listeners", async () => {
  const run = await rig.client.startPlan({ plan: { tasks: [{ id: "ask", type: "review", input: "Well?" }] } });
  const followed: string[] = [];
  const following = (async () => {
    for await (const { type } of run.follow(0, 50)) followed.push(type);
  })();
  await run.cancel();
  await following;
  expect(await run.ended()).toBe("cancelled");
  expect(followed.filter((type) => type === "task_started").length).toBeLessThanOrEqual(1);
});
