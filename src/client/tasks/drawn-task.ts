import { childTaskId, taskWorkflowId } from "../../core/base/ids";
import type { Definition } from "../../core/graph/definition/schema";
import { type GraphDrawing, graphDrawing } from "../../core/graph/show/drawing";
import { type TaskWay, taskWay } from "../../core/graph/show/task-way";
import { branchesOf } from "../../core/graph/task/fork";
import type { Task } from "../../core/graph/task/task";
import { reviewKind } from "../../core/review/kinds";
import type { NavigatorClient } from "../client";
import { atOnce } from "./concurrency";
import type { TaskDetails, TaskServiceApi } from "./types";

/** A task on its graph, as a page draws it: the graph, the way, and the ways of its branches. */
export interface DrawnTask {
  task_id: string;
  workflow_id: string;
  graph: GraphDrawing;
  way: TaskWay;
  /** Tasks of its branches and subflows, of the last visit of each fork and subflow. */
  children: DrawnChild[];
  /** Open reviews of the task and of its branches. */
  reviews: WaitingReview[];
  claim?: { owner: string; expiresAt: number };
  /** How its workflow ended, if somebody ended it: the task stays where it was. */
  stopped?: string;
}

/** A branch, or a task on another graph. */
export interface DrawnChild {
  task_id: string;
  workflow_id: string;
  kind: "branch" | "subflow";
  /** The fork, or the subflow. */
  node: string;
  /** The first step of the branch; of a subflow, the node. */
  branch: string;
  status: Task["status"];
  /** On the same graph, for a branch. */
  way: TaskWay;
}

/** A person is asked at a step. */
export interface WaitingReview {
  id: string;
  title: string;
  step: string | null;
}

/** Forks in branches are looked into so deep. */
const MAX_DEPTH = 3;
/** Tasks below one that are read. */
const MAX_CHILDREN = 60;

/** Tasks that are over do not change: asking each again would replay it. */
const over = new WeakMap<NavigatorClient, Map<string, TaskDetails>>();
const MAX_KEPT = 500;

/** @throws NavigatorError `task_not_found`, `workflow_not_found`, `no_worker` */
export async function drawnTask(
  { client, taskService }: { client: NavigatorClient; taskService: TaskServiceApi },
  taskId: string,
): Promise<DrawnTask> {
  const [task, stopped] = await Promise.all([taskService.task(taskId), stoppedAs(client, taskId)]);
  const definition = await taskService.definitionOf(taskId);
  const reader = new ChildReader(client, taskService);
  const children = await reader.below(definition, task, 0);
  const asking = [task.id, ...children.filter(({ status }) => isOpen(status)).map(({ task_id }) => task_id)];
  const reviews =
    isOpen(task.status) && stopped === undefined ? await atOnce(asking, (id) => openReviews(client, id)) : [];
  return {
    task_id: task.id,
    workflow_id: client.task(taskId).workflow.workflowId,
    graph: graphDrawing(definition),
    way: taskWay(definition, task),
    children,
    reviews: reviews.flat(),
    ...(task.claim === undefined ? {} : { claim: { owner: task.claim.owner, expiresAt: task.claim.expiresAt } }),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

const isOpen = (status: Task["status"]): boolean => status !== "COMPLETED" && status !== "FAILED";

/** `terminated`, `cancelled` and so on for a workflow that somebody ended from outside; undefined for every other one. */
async function stoppedAs(client: NavigatorClient, taskId: string): Promise<string | undefined> {
  const { status } = await client
    .task(taskId)
    .workflow.describe()
    .catch(() => ({ status: { name: "UNKNOWN" } }));
  return ["TERMINATED", "CANCELLED", "TIMED_OUT"].includes(status.name) ? status.name.toLowerCase() : undefined;
}

async function openReviews(client: NavigatorClient, taskId: string): Promise<WaitingReview[]> {
  const reviews = await client.task(taskId).reviews();
  return reviews
    .filter(({ status }) => status === "open")
    .map((review) => {
      const { step = null } = reviewKind(review).about(review.data);
      return { id: review.id, title: review.title, step };
    });
}

class ChildReader {
  private left = MAX_CHILDREN;

  constructor(
    private readonly client: NavigatorClient,
    private readonly taskService: TaskServiceApi,
  ) {}

  async below(definition: Definition, task: Task, depth: number): Promise<DrawnChild[]> {
    if (depth >= MAX_DEPTH) return [];
    const wanted = childrenOf(definition, task).slice(0, Math.max(0, this.left));
    this.left -= wanted.length;
    const found = await atOnce(wanted, async (one): Promise<DrawnChild[]> => {
      const child = await this.find(one.task_id);
      if (child === null) return [];
      const graph = one.kind === "branch" ? definition : await this.taskService.definitionOf(child.id);
      const drawn: DrawnChild = {
        ...one,
        workflow_id: taskWorkflowId(child.id, this.client.project),
        status: child.status,
        way: taskWay(graph, child),
      };
      return [drawn, ...(one.kind === "branch" ? await this.below(definition, child, depth + 1) : [])];
    });
    return found.flat();
  }

  /** null: it has not begun, or the server has forgotten it. */
  private async find(id: string): Promise<TaskDetails | null> {
    const kept = over.get(this.client) ?? new Map<string, TaskDetails>();
    over.set(this.client, kept);
    const known = kept.get(id);
    if (known !== undefined) return known;
    const task = await this.taskService.task(id).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === "task_not_found") return null;
      throw error;
    });
    if (task === null || isOpen(task.status)) return task;
    kept.set(id, task);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return task;
  }
}

type Wanted = Pick<DrawnChild, "task_id" | "kind" | "node" | "branch">;

/** The tasks of the last stay at each fork and subflow where the task was. */
function childrenOf(definition: Definition, task: Task): Wanted[] {
  const visits = new Map(taskWay(definition, task, 0).nodes.map(({ id, visits: n }) => [id, n]));
  return Object.entries(definition.nodes).flatMap(([node, { type }]): Wanted[] => {
    const round = visits.get(node);
    if (round === undefined) return [];
    if (type === "subflow")
      return [{ task_id: childTaskId(task.id, node, round), kind: "subflow", node, branch: node }];
    if (type !== "fork") return [];
    return branchesOf(definition, node).map((branch) => ({
      task_id: childTaskId(task.id, branch, round),
      kind: "branch",
      node,
      branch,
    }));
  });
}
