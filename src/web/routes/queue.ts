import { z } from "zod";
import { taskQueueLoad } from "../../client/task-queue";
import { claimedTasks, countTasks, pendingByPriority } from "../../client/tasks/overview";
import { TASK_STATUSES } from "../../core/graph/task/task-schema";
import { actorOf } from "../requests/callers";
import { sharedRead } from "../requests/shared-read";
import { type EndpointCall, endpoint } from "./endpoint";

const TAG = "Queue and syncs";

const Load = z.object({
  backlog: z.number().meta({ description: "About how many pieces of work nobody has taken" }),
  backlog_age_ms: z.number(),
  pollers: z.array(z.object({ identity: z.string(), last_seen: z.number() })),
});

/** The server asks each claimed task for its owner, so many readers have the same answer for a while, in ms. */
const QUEUE_MS = 1_000;

const sharedQueue = sharedRead(
  async ({ client }: Pick<EndpointCall, "client">) => {
    const [counts, pending, held, load] = await Promise.all([
      countTasks(client),
      pendingByPriority(client),
      claimedTasks(client),
      taskQueueLoad(client),
    ]);
    return { counts, ...pending, ...held, load };
  },
  { ms: QUEUE_MS },
);

export const showQueueEndpoint = endpoint({
  method: "get",
  path: "/api/queue",
  needs: ["read"],
  operation: "showQueue",
  summary: "The queue: pending tasks by priority, claims with their ends, and the load of the task queue",
  tag: TAG,
  answer: z
    .object({
      counts: z.record(z.enum(TASK_STATUSES), z.number()),
      priorities: z.array(z.object({ priority: z.number(), tasks: z.int() })),
      others: z.int().meta({ description: "Pending tasks of priorities that are too many to list" }),
      held: z.array(
        z.object({
          task_id: z.string(),
          graph: z.string(),
          step: z.string(),
          priority: z.number(),
          owner: z.string(),
          expires_at: z.number().meta({ description: "Ms since 1970: then it is free again" }),
        }),
      ),
      unconfirmed: z.array(z.string()).meta({ description: "Tasks at work whose worker does not answer" }),
      load: z.object({ task_queue: z.string(), workflow: Load, activity: Load }),
    })
    .meta({ id: "Queue" }),
  errors: ["server_error"],
  tagged: true,
  run: ({ call }) => sharedQueue(call, ""),
});

export const nextTasksEndpoint = endpoint({
  method: "get",
  path: "/api/queue/next",
  needs: ["read"],
  operation: "nextTasks",
  summary: "Lists the most important pending tasks",
  tag: TAG,
  query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(20) }),
  answer: z.object({
    tasks: z.array(
      z.looseObject({ id: z.string(), workflowType: z.string(), currentStep: z.string(), priority: z.number() }),
    ),
    unconfirmed: z.array(z.string()).meta({ description: "Left out: their worker does not answer" }),
  }),
  tagged: true,
  run: async ({ query, call }) => {
    const unconfirmed: string[] = [];
    const tasks = await call.taskService.nextTasks(query.limit, unconfirmed);
    return { tasks: tasks.map((one) => ({ ...one })), unconfirmed };
  },
});

const SyncData = z
  .looseObject({
    id: z.string(),
    taskId: z.string(),
    issueId: z.string(),
    kind: z.enum(["advance", "retry", "escalate"]),
    previousStep: z.string(),
    nextStep: z.string().nullable(),
    status: z.enum(TASK_STATUSES),
    createdAt: z.number(),
  })
  .meta({ id: "Sync" });

export const listSyncsEndpoint = endpoint({
  method: "get",
  path: "/api/syncs",
  needs: ["read"],
  operation: "listSyncs",
  summary: "Lists unconfirmed moves, the oldest first",
  tag: TAG,
  query: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(200) }),
  answer: z.object({ total: z.int(), pending: z.array(SyncData) }),
  errors: ["no_worker"],
  tagged: true,
  run: async ({ query, call }) => {
    const { total, pending } = await call.taskService.pendingSyncs(query.limit);
    return { total, pending: pending.map((one) => ({ ...one })) };
  },
});

export const confirmSyncsEndpoint = endpoint({
  method: "post",
  path: "/api/syncs/confirm",
  needs: ["act"],
  operation: "confirmSyncs",
  summary: "Confirms moves, or all moves of a task; safe to repeat",
  tag: TAG,
  body: z.union([
    z.strictObject({ ids: z.array(z.string().min(1)).min(1).max(1_000) }),
    z.strictObject({ task: z.string().min(1) }),
  ]),
  answer: z.object({
    confirmed: z.array(z.string()),
    notFound: z.array(z.string()).meta({ description: "Not pending: confirmed before, or unknown" }),
    remaining: z.int(),
  }),
  errors: ["no_worker"],
  run: async ({ body, call }) => {
    actorOf(call);
    const { taskService } = call;
    if ("ids" in body) return taskService.confirmSyncs(body.ids);
    const { confirmed, remaining } = await taskService.confirmSyncsOfTask(body.task);
    return { confirmed, notFound: [], remaining };
  },
});

/** All operations on the queue and on moves that are not confirmed. */
export const queueEndpoints = [showQueueEndpoint, nextTasksEndpoint, listSyncsEndpoint, confirmSyncsEndpoint];
