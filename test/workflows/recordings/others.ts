import { randomUUID } from "node:crypto";
import { scheduledRunId } from "../../../src/client/schedule";
import { TaskService } from "../../../src/client/tasks/task-service";
import { agentRunInput } from "../../../src/workflows/start/agent-input";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { REVIEWED } from "../task/task-scenarios";

/** Schedules, definitions, the task tree; and notifications that reach nobody. */

const nightly = () => agentRunInput({ agent: agent({ name: "nightly", max_turns: 1 }), model: "scripted" });

/** As a schedule starts it. */
async function startScheduled({ client, taskQueue }: Rig) {
  const id = randomUUID();
  const workflowId = `schedule/${id}-1`;
  const args = [{ id, once_per: "day", run: nightly() }];
  const handle = await client.temporal.workflow.start("scheduledAgent", { workflowId, taskQueue, args });
  const run = `agent/${scheduledRunId(id, new Date(), "day")}`;
  await until(() => client.has(run), "its run is there");
  return { handle, workflowId, run };
}
const SLOW = { script: [{ content: fenced("(return 1)"), delay_ms: 30_000 }] };

export const OTHER_RECORDINGS: Recording[] = [
  {
    // A schedule that is made now: its days are those of its time zone.
    name: "scheduled-day-of-zone",
    rig: { script: [fenced("(return 1)")] },
    run: async ({ client, taskQueue }) => {
      const id = randomUUID();
      const workflowId = `schedule/${id}-1`;
      const run = nightly();
      const args = [{ format: run.format, id, once_per: { day_in: "Pacific/Kiritimati" }, run }];
      const handle = await client.temporal.workflow.start("scheduledAgent", { workflowId, taskQueue, args });
      const { startTime } = await handle.describe();
      const mission = `agent/${scheduledRunId(id, startTime, "day", "Pacific/Kiritimati")}`;
      expect(await handle.result()).toEqual({ run: mission, new: true });
      return [workflowId, mission];
    },
  },
  {
    name: "scheduled-by-the-server",
    rig: { script: [fenced("(return data/scheduled_at)")] },
    run: async ({ client }) => {
      const id = `nightly-${randomUUID()}`;
      const schedule = await client.scheduleAgent({
        id,
        cron: "0 2 * * *",
        agent: agent({ name: "nightly" }),
        model: "scripted",
      });
      try {
        await schedule.pause();
        const span = { from: new Date("2026-03-01T00:00:00Z"), to: new Date("2026-03-01T12:00:00Z") };
        await client.backfillSchedule(id, { ...span, never_ran: true });
        const run = `agent/${scheduledRunId(id, new Date("2026-03-01T02:00:00Z"))}`;
        await until(() => client.has(run), "the night's run is there");
        await client.agent(run).result();
        const workflowId = await until(async () => {
          const [action] = (await schedule.describe()).info.recentActions;
          return action?.action.workflow.workflowId;
        }, "the schedule tells what it started");
        await client.temporal.workflow.getHandle(workflowId).result();
        return [workflowId, run];
      } finally {
        await schedule.delete();
      }
    },
  },
  {
    name: "scheduled-run-terminated",
    rig: SLOW,
    run: async (rig) => {
      const { handle, workflowId, run } = await startScheduled(rig);
      await rig.client.temporal.workflow.getHandle(run).terminate("by an operator");
      await expect(handle.result()).rejects.toMatchObject({ cause: { type: "agent_lost" } });
      return [workflowId];
    },
  },
  {
    name: "scheduled-cancelled",
    rig: SLOW,
    run: async (rig) => {
      const { handle, workflowId } = await startScheduled(rig);
      await handle.cancel();
      await expect(handle.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
      return [workflowId];
    },
  },
  {
    // After its attempts a notification is given up. The pages of those who asked say so.
    name: "notifications-unheard",
    rig: {
      notify: { webhook: { url: "http://127.0.0.1:9" } },
      script: [fenced('(return (:choice (tool/ask-person {:question "Now?"})))')],
    },
    run: async (rig) => {
      const { client } = rig;
      const plan = await client.startPlan({ plan: { tasks: [{ id: "ask", type: "review", input: "Well?" }] } });
      const asking = agent({ max_turns: 1, builtin_tools: ["ask"] });
      const run = await client.startAgent({ id: randomUUID(), agent: asking, model: "scripted" });
      const taskService = new TaskService(client);
      const id = randomUUID();
      const check = { type: "gate", name: "Check", review: { assignees: ["anna"] } };
      await taskService.loadWorkflow("asked", {
        nodes: { start: { type: "start" }, check, done: { type: "end", result: "success" } },
        edges: [
          { from: "start", to: "check" },
          { from: "check", to: "done", on: "passed" },
        ],
      });
      await taskService.loadTasks([{ id, issueId: "I-1", workflowType: "asked", currentStep: "check" }], "merge");
      const ids = [run.workflow.workflowId, `plan/${plan.id}`, `task/${id}`];
      for (const one of ids)
        await until(
          async () => JSON.stringify(await client.history(one)).includes("ACTIVITY_TASK_FAILED"),
          `nobody heard of ${one}`,
          60_000,
        );
      for (const [reviewed, choice] of [
        [run, "yes"],
        [plan, "approve"],
        [client.task(id), "passed"],
      ] as const) {
        const [review] = await reviewed.reviews();
        await reviewed.decide({ review: review?.id as string, choice, by: "anna" });
      }
      await Promise.all([run.result(), plan.result()]);
      await taskService.confirmSyncsOfTask(id);
      return ids;
    },
  },
];

/** On a server that wants a new run every 40 events. */
export const LONG_OTHER_RECORDINGS: Recording[] = [
  {
    name: "definition-continued",
    run: async ({ client }) => {
      const taskService = new TaskService(client);
      const id = `versions-${randomUUID().slice(0, 8)}`;
      for (let version = 1; version <= 12; version++)
        await taskService.loadWorkflow(id, { ...REVIEWED, name: `v${version}` });
      return [`definition/${id}`];
    },
  },
  {
    name: "task-tree-continued",
    run: async ({ client, taskQueue }) => {
      const workflowId = `task-tree-${randomUUID()}`;
      const handle = await client.temporal.workflow.start("taskTree", {
        workflowId,
        taskQueue,
        args: [{ base: 0, next: 0 }],
      });
      for (let round = 0; round < 8; round++) {
        await handle.executeUpdate("allocateOrders", { args: [3] });
        await handle.executeUpdate("replaceTree", { args: [round * 2] });
      }
      await handle.terminate("the test is over");
      return [workflowId];
    },
  },
];
