import { randomUUID } from "node:crypto";
import { z } from "zod";
import { drawnTask } from "../../client/tasks/drawn-task";
import { knownTask } from "../../client/tasks/known-task";
import { refuseLosses } from "../../client/tasks/load-losses";
import { noWayOut } from "../../client/tasks/no-way";
import { countTasks } from "../../client/tasks/overview";
import { listTasks } from "../../client/tasks/task-page";
import { defined } from "../../core/base/defined";
import { taskWorkflowId } from "../../core/base/ids";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { newTask } from "../../core/graph/task/new-task";
import { versionOf } from "../../core/graph/task/repeat";
import { TASK_STATUSES } from "../../core/graph/task/task-schema";
import { checkedModel } from "../../project/known-parts";
import { digest } from "../../workflows/start/intent";
import { actorOf, moverOf, requesterOf } from "../requests/callers";
import { sharedRead } from "../requests/shared-read";
import { type EndpointCall, endpoint } from "./endpoint";
import { GraphDrawingData } from "./graphs";
import { shareBody, shareOf } from "./share-body";

const TAG = "Tasks";

const Status = z.enum(TASK_STATUSES);
const taskId = z.object({ id: z.string().meta({ example: "order-42", description: "Bare, or its workflow id" }) });

const TaskRowData = z
  .object({
    task_id: z.string(),
    workflow_id: z.string().meta({ example: "shop:task/order-42" }),
    status: z.string(),
    execution: z.string().meta({ description: "How its workflow stands" }),
    graph: z.string(),
    step: z.string(),
    issue: z.string(),
    priority: z.number(),
    is_child: z.boolean().meta({ description: "A branch or a subflow of another task" }),
    open_reviews: z.number(),
    pending_syncs: z.number(),
    started_at: z.number(),
    closed_at: z.number().optional(),
  })
  .meta({ id: "TaskRow" });

/** A task in an answer. Fields that are not listed here may follow. */
const TaskAnswerData = z
  .looseObject({
    id: z.string(),
    issueId: z.string(),
    workflowType: z.string().meta({ description: "Its graph" }),
    currentStep: z.string(),
    priority: z.number(),
    status: Status,
  })
  .meta({ id: "Task" });

const Token = z.string().min(1).max(100).meta({ description: "Of the claim" });
const lease = {
  owner: z.string().min(1).max(200).meta({ description: "Who works on it: shown to others" }),
  lease_ms: z.int().min(1_000).max(86_400_000).default(300_000),
};
const ClaimData = z
  .looseObject({ task: TaskAnswerData, token: z.string(), expiresAt: z.number() })
  .meta({ id: "Claim" });

const MOVES = ["task_not_found", "task_closed", "task_paused", "task_in_hitl", "task_waiting", "child_active"] as const;

export const listTasksEndpoint = endpoint({
  method: "get",
  path: "/api/tasks",
  needs: ["read"],
  operation: "listTasks",
  summary: "Lists tasks, open ones first, then the newest; needs no worker",
  tag: TAG,
  query: z.object({
    state: Status.optional(),
    graph: z.string().min(1).optional(),
    step: z.string().min(1).optional(),
    priority: z.coerce.number().int().optional(),
    text: z.string().min(1).max(200).optional(),
    top: z.enum(["true", "false"]).optional().meta({ description: "true: without branches and subflows" }),
    size: z.coerce.number().int().min(1).max(200).optional(),
    page: z.string().optional().meta({ description: "`next` of the page before" }),
  }),
  answer: z.object({ tasks: z.array(TaskRowData), next: z.string().optional() }),
  errors: ["invalid_input"],
  tagged: true,
  run: ({ query: { state, top, ...query }, call }) =>
    listTasks(call.client, defined({ ...query, status: state, top: top === "true" ? true : undefined })),
});

const sharedTaskCounts = sharedRead(({ client }: Pick<EndpointCall, "client">) => countTasks(client), { ms: 1_000 });

export const countTasksEndpoint = endpoint({
  method: "get",
  path: "/api/tasks/counts",
  needs: ["read"],
  operation: "countTasks",
  summary: "Counts tasks by state",
  tag: TAG,
  answer: z.record(Status, z.number()),
  tagged: true,
  run: ({ call }) => sharedTaskCounts(call, ""),
});

export const startTaskEndpoint = endpoint({
  method: "post",
  path: "/api/tasks",
  needs: ["start"],
  operation: "startTask",
  summary: "Starts a task on a graph. The same id and input again finds the existing one",
  tag: TAG,
  body: z
    .strictObject({
      graph: z.string().min(1).meta({ example: "order-fulfilment" }),
      id: z.string().min(1).optional().meta({ description: "Default: a new one", example: "order-42" }),
      issue: z.string().min(1).optional().meta({ description: "What it is about; default: its id" }),
      context: z.record(z.string(), z.json()).default({}).meta({ description: "Its input" }),
      priority: z.number().default(0).meta({ description: "A higher number is more important" }),
      fairness: shareBody.fairness,
      agents: z.boolean().default(true).meta({ description: "false: every step is done from outside" }),
      model: z.string().min(1).max(200).optional().meta({ description: "Of agents that name none" }),
      join: z.boolean().optional().meta({ description: "Finds the task of this id whatever it was started with" }),
    })
    .meta({ id: "StartTask" }),
  answer: z
    .object({ id: z.string(), workflow_id: z.string(), started_before: z.boolean() })
    .meta({ id: "StartedTask" }),
  status: 202,
  errors: ["workflow_not_found", "invalid_task", "id_in_use", "invalid_input", "payload_too_large", "no_worker"],
  run: async ({ body, call }) => {
    const { client, taskService, web } = call;
    const { graph, id = randomUUID(), issue: issueId = id, priority, join } = body;
    const { definition } = await taskService.workflow(graph);
    const model = body.model === undefined ? web.model : checkedModel(web.project.models, body.model);
    const started_before = body.id !== undefined && (await client.has(taskWorkflowId(id, client.project)));
    const about = { id, issueId, workflowType: definition.id, context: body.context as JsonObject, priority };
    const handle = await client.startTask({
      task: newTask(about, definition, Date.now()),
      definition,
      agents: body.agents ? web.project.agents : {},
      model,
      ...shareOf({ fairness: body.fairness }),
      ...defined({ join, requested_by: requesterOf(call) }),
    });
    return { id: handle.id, workflow_id: handle.workflow.workflowId, started_before };
  },
});

export const loadTasksEndpoint = endpoint({
  method: "post",
  path: "/api/tasks/load",
  needs: ["start"],
  operation: "loadTasks",
  summary: "Loads a list of tasks: `merge` adds to the tree, `replace` replaces it",
  tag: TAG,
  body: z.strictObject({
    tasks: z.array(z.unknown()).max(10_000).meta({ description: "id, issueId and workflowType are required" }),
    mode: z.enum(["merge", "replace"]).default("merge"),
    drive: z.enum(["external", "agent"]).default("external").meta({
      description: "`agent`: the project's agents do their steps",
    }),
    confirm: z.boolean().default(false).meta({ description: "Tasks may be removed or set back" }),
  }),
  answer: z.object({
    loaded: z.int(),
    replaced: z.int(),
    total: z.int(),
    byStatus: z.record(Status, z.int()),
    warnings: z.array(z.looseObject({ code: z.string(), message: z.string() })),
  }),
  errors: [
    "invalid_task",
    "duplicate_task_id",
    "confirmation_required",
    "forbidden",
    "load_incomplete",
    "payload_too_large",
  ],
  run: async ({ body: { tasks, mode, drive, confirm }, call }) => {
    const { taskService } = call;
    if (!confirm) await refuseLosses('Send "confirm": true.', taskService, tasks, mode);
    const loaded = await taskService.loadTasks(tasks, mode, {
      drive,
      by: moverOf(call),
      ...defined({ requested_by: requesterOf(call) }),
    });
    return { ...loaded, warnings: loaded.warnings.map((one) => ({ ...one })) };
  },
});

export const showTaskEndpoint = endpoint({
  method: "get",
  path: "/api/tasks/{id}",
  needs: ["read"],
  operation: "showTask",
  summary: "A task: node, history, claim, and open reviews",
  tag: TAG,
  params: taskId,
  answer: z
    .object({
      task: TaskAnswerData,
      version: z.int().optional().meta({ description: "Moves so far: `advance` takes it, so that it moves once" }),
      reviews: z.array(z.looseObject({ id: z.string(), status: z.string() })),
      blocked: z.array(z.looseObject({ workflow_id: z.string(), text: z.string() })),
      no_worker: z.literal(true).optional().meta({
        description: "No worker answers: what the server knows, without context and moves",
      }),
    })
    .meta({ id: "ShownTask" }),
  errors: ["task_not_found"],
  tagged: true,
  run: async ({ params: { id }, call: { client, taskService } }) => {
    try {
      const task = await taskService.task(id);
      const handle = client.task(id);
      const [reviews, blocked] = await Promise.all([handle.reviews(), client.blocked(handle.workflow.workflowId)]);
      return {
        task: { ...task },
        version: versionOf(task),
        reviews: reviews.map((one) => ({ ...one })),
        blocked: blocked.map((one) => ({ ...one })),
      };
    } catch (error) {
      if (!(error instanceof NavigatorError) || error.code !== "no_worker") throw error;
      const { reviews, ...task } = await knownTask(client, id);
      return { task, reviews: reviews.map((one) => ({ ...one })), blocked: [], no_worker: true as const };
    }
  },
});

const sharedDrawing = sharedRead(drawnTask);

export const drawTaskEndpoint = endpoint({
  method: "get",
  path: "/api/tasks/{id}/drawing",
  needs: ["read"],
  operation: "drawTask",
  summary: "The drawing of a task on its graph: path, branches, and reviews",
  tag: TAG,
  params: taskId,
  answer: z
    .looseObject({
      task_id: z.string(),
      workflow_id: z.string(),
      graph: GraphDrawingData,
      way: z.looseObject({ currentStep: z.string(), status: Status }),
      children: z.array(z.looseObject({ task_id: z.string(), kind: z.enum(["branch", "subflow"]) })),
      reviews: z.array(z.object({ id: z.string(), title: z.string(), step: z.string().nullable() })),
    })
    .meta({ id: "TaskDrawing" }),
  errors: ["task_not_found", "workflow_not_found", "no_worker"],
  tagged: true,
  run: async ({ params: { id }, call }) => ({ ...(await sharedDrawing(call, id)) }) as never,
});

export const advanceTaskEndpoint = endpoint({
  method: "post",
  path: "/api/tasks/{id}/advance",
  needs: ["act"],
  operation: "advanceTask",
  summary: "Reports the result of the current step and moves the task along the matching edge",
  tag: TAG,
  params: taskId,
  body: z
    .strictObject({
      result: z.string().optional().meta({ example: "passed" }),
      output: z.json().optional(),
      expectedStep: z.string().optional().meta({ description: "Moves only if the task is still there" }),
      version: z.int().min(0).optional().meta({ description: "Of the last answer: a repeated call moves once" }),
      claim: Token.optional(),
      force: z.boolean().optional().meta({ description: "At a fork or a wait: continue now" }),
      request: z.string().min(1).max(200).optional().meta({
        description: "Id of this call: the same call sent again is answered, not made again",
      }),
    })
    .meta({ id: "AdvanceTask" }),
  answer: z
    .looseObject({
      success: z.boolean(),
      previousStep: z.string(),
      nextStep: z.string().nullable(),
      action: z.string(),
      version: z.int().optional(),
      task: TaskAnswerData,
    })
    .meta({ id: "Advanced" }),
  errors: [
    ...MOVES,
    "workflow_not_found",
    "step_not_found",
    "step_changed",
    "stale_version",
    "agents_may_not_decide",
    "unverified_decision",
    "no_matching_edge",
    "result_required",
    "reserved_result",
    "invalid_result",
    "task_claimed",
    "claim_lost",
  ],
  run: async ({ params: { id }, body: { request, ...step }, call }) => {
    // Callers do not answer for each other's calls.
    const once = request === undefined ? undefined : `http/${digest([call.caller.id, id, request])}`;
    const answer = await call.taskService.advance(id, { ...defined(step), by: moverOf(call) } as never, once);
    if (!answer.success) throw noWayOut(id, answer);
    return { ...answer } as never;
  },
});

export const claimTaskEndpoint = endpoint({
  method: "post",
  path: "/api/tasks/{id}/claim",
  needs: ["act"],
  operation: "claimTask",
  summary: "Claims a task, or renews the claim with this token",
  tag: TAG,
  params: taskId,
  body: z.strictObject({ ...lease, token: Token.optional() }),
  answer: ClaimData,
  errors: [...MOVES, "task_claimed", "claim_lost"],
  run: async ({ params: { id }, body: { owner, lease_ms: leaseMs, token }, call }) => {
    actorOf(call);
    return { ...(await call.taskService.claim(id, { owner, leaseMs, ...defined({ token }) })) } as never;
  },
});

export const claimNextEndpoint = endpoint({
  method: "post",
  path: "/api/tasks/claim",
  needs: ["act"],
  operation: "claimNextTasks",
  summary: "Claims the most important free tasks, at most `limit`",
  tag: TAG,
  body: z.strictObject({ ...lease, limit: z.int().min(1).max(100).default(1) }),
  answer: z.object({ claimed: z.array(ClaimData) }),
  errors: ["no_worker"],
  run: async ({ body: { owner, lease_ms: leaseMs, limit }, call }) => {
    actorOf(call);
    return { claimed: (await call.taskService.claimNext(limit, { owner, leaseMs })) as never };
  },
});

export const releaseTaskEndpoint = endpoint({
  method: "post",
  path: "/api/tasks/{id}/release",
  needs: ["act"],
  operation: "releaseTask",
  summary: "Releases a claim before its lease ends",
  tag: TAG,
  params: taskId,
  body: z.strictObject({ token: Token }),
  answer: z.object({ task: TaskAnswerData }),
  errors: ["task_not_found", "claim_lost"],
  run: async ({ params: { id }, body: { token }, call }) => {
    actorOf(call);
    return { task: { ...(await call.taskService.release(id, token)) } };
  },
});

/** All operations on tasks. */
export const taskEndpoints = [
  listTasksEndpoint,
  countTasksEndpoint,
  startTaskEndpoint,
  loadTasksEndpoint,
  claimNextEndpoint,
  showTaskEndpoint,
  drawTaskEndpoint,
  advanceTaskEndpoint,
  claimTaskEndpoint,
  releaseTaskEndpoint,
];
