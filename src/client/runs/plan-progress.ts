import { bareId, planRunWorkflowId, planTaskRunId, repairRunId } from "../../core/base/ids";
import { startedIn } from "../../core/history/read/history";
import { findCycle, phasesOf } from "../../core/plan/definition/order";
import { parsePlan } from "../../core/plan/definition/parse";
import type { Plan, PlanTask, TaskType } from "../../core/plan/definition/plan";
import type { Review } from "../../core/review/review";
import { readableHistory } from "../../node/encoding/readable-history";
import type { PlanRunInput } from "../../workflows/plan-run-input";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";
import type { PlanHandle, PlanStatus, ShownEvent } from "../plan-client";

/** A plan by phases, with its dependencies and the state of each step (plan reference, sections 1.6 and 6). */
export interface PlanProgress {
  plan_id: string;
  workflow_id: string;
  mission: string | null;
  state: PlanStatus["state"];
  /** How its workflow ended; null while it runs. */
  ended: string | null;
  executions: number;
  replans: number;
  /** Steps by phases, in the order in which they run. Empty while the planner makes the plan. */
  phases: PhaseStep[][];
  open_reviews: number;
}

/** One step of a plan. */
export interface PhaseStep {
  id: string;
  type: TaskType;
  agent: string;
  depends_on: string[];
  critical: boolean;
  on_failure: PlanTask["on_failure"];
  max_retries: number;
  state: PlanStatus["tasks"][number]["state"] | "waiting";
  /** Attempts that began in the present execution. */
  attempts: number;
  /** The run of its last attempt; null for a step that no agent does. */
  run: string | null;
  /** The open review about it. */
  review: string | null;
  /** Ms since 1970, of the last attempt. */
  started_at: number | null;
  duration_ms: number | null;
  /** Why it failed, or was not accepted. */
  why: string | null;
}

/** Plans that were read before, by workflow and repair: a plan does not change otherwise. */
const known = new WeakMap<NavigatorClient, Map<string, PlanAsked>>();
const MAX_KEPT = 200;

interface PlanAsked {
  plan: Plan | null;
  mission: string | null;
}

/**
 * How a plan stands. It needs a worker.
 *
 * @param id of the plan, or its workflow id
 * @throws NavigatorError `not_found`, `no_worker`, `wrong_kind`
 */
export async function planProgress(client: NavigatorClient, id: string): Promise<PlanProgress> {
  const handle = client.plan(id);
  const [status, ended] = await Promise.all([handle.status(), handle.ended()]);
  const [{ events }, reviews] = await Promise.all([handle.events(), handle.reviews()]);
  const { plan, mission } = await planOf(client, handle, status, events, ended !== null);
  const open = ended === null ? reviews.filter((review) => review.status === "open") : [];
  const workflow_id = handle.workflow.workflowId;
  const steps = stepsOf(plan, status, { events, open, workflow_id, isOver: ended !== null });
  return {
    plan_id: bareId("plan", workflow_id),
    workflow_id,
    mission,
    state: ended === "terminated" || ended === "timed_out" ? "cancelled" : status.state,
    ended,
    executions: status.executions,
    replans: status.replans,
    phases: steps,
    open_reviews: open.length,
  };
}

async function planOf(
  client: NavigatorClient,
  handle: PlanHandle,
  { replans, executions, tasks }: PlanStatus,
  events: readonly ShownEvent[],
  isOver: boolean,
): Promise<PlanAsked> {
  const { workflowId } = handle.workflow;
  const made = events.findLast((event) => event.type === "planning_finished");
  const kept = known.get(client) ?? new Map<string, PlanAsked>();
  known.set(client, kept);
  const key = `${workflowId} ${replans} ${made?.number ?? ""} ${isOver && replans > 0}`;
  const found = kept.get(key);
  if (found !== undefined) return found;
  const { plan: given, mission } = await askedPlan(client, workflowId);
  const first = made?.type === "planning_finished" ? made.plan : given;
  if (replans === 0) return keep({ plan: first, mission });
  // The next execution has begun, or is about to.
  const repaired = isOver
    ? await endedPlan(handle)
    : ((await repairedPlan(client, workflowId, executions - 1, tasks)) ??
      (await repairedPlan(client, workflowId, executions, tasks)));
  return repaired === null ? { plan: first, mission } : keep({ plan: repaired, mission });

  function keep(read: PlanAsked): PlanAsked {
    if (read.plan !== null) kept.set(key, read);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return read;
  }
}

/** What the workflow was started with, from the first event of its history. */
async function askedPlan({ temporal }: NavigatorClient, workflowId: string): Promise<PlanAsked> {
  const { loadedDataConverter, namespace } = temporal.options;
  const { history } = await ask(() =>
    temporal.workflow.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId },
      maximumPageSize: 1,
    }),
  );
  const exported = history == null ? [] : await ask(() => readableHistory(history, loadedDataConverter));
  const input = startedIn(exported)?.input;
  if (input === undefined) return { plan: null, mission: null };
  const { plan, mission, carried: continued } = input as unknown as PlanRunInput;
  return { plan: continued?.execution?.plan ?? plan ?? null, mission: mission ?? null };
}

/** The last plan of one that ended after repairs; null: it was stopped from outside. */
async function endedPlan(handle: PlanHandle): Promise<Plan | null> {
  const result = await handle.result().catch(() => null);
  return result !== null && "metadata" in result ? (result.metadata?.plan ?? null) : null;
}

/** The planner is asked once more if its plan has mistakes. */
const MAX_REPAIR_ATTEMPTS = 2;

/** The plan that the planner made last in place of one that failed, if it has the steps that run now. */
async function repairedPlan(
  client: NavigatorClient,
  workflowId: string,
  execution: number,
  tasks: PlanStatus["tasks"],
): Promise<Plan | null> {
  for (let attempt = MAX_REPAIR_ATTEMPTS; attempt > 0; attempt--) {
    const run = planRunWorkflowId(workflowId, repairRunId(execution, attempt));
    const step = await client
      .agent(run)
      .step()
      .catch(() => null);
    const parsed = step === null || step.fail !== null ? null : parsePlan(step.return, false);
    if (parsed?.ok !== true) continue;
    const ids = new Set(parsed.value.plan.tasks.map(({ id }) => id));
    if (tasks.every(({ task_id }) => ids.has(task_id))) return parsed.value.plan;
  }
  return null;
}

interface Around {
  events: readonly ShownEvent[];
  open: readonly Review[];
  workflow_id: string;
  isOver: boolean;
}

/** Steps that the plan does not have stand in a separate phase, after the others. */
function stepsOf(plan: Plan | null, { tasks }: PlanStatus, around: Around): PhaseStep[][] {
  const states = new Map(tasks.map(({ task_id, state }) => [task_id, state]));
  const phases = plan === null || findCycle(plan) !== null ? [] : phasesOf(plan);
  const known = phases
    .map((phase) => phase.filter(({ id }) => states.has(id)))
    .filter((phase) => phase.length > 0)
    .map((phase) => phase.map((task) => stepOf(task, states.get(task.id) ?? "pending", around)));
  const placed = new Set(known.flat().map(({ id }) => id));
  const others = tasks.filter(({ task_id }) => !placed.has(task_id));
  if (others.length === 0) return known;
  return [...known, others.map(({ task_id, state }) => stepOf({ ...UNKNOWN_TASK, id: task_id }, state, around))];
}

const UNKNOWN_TASK = {
  agent: "",
  type: "task",
  depends_on: [],
  critical: true,
  on_failure: "stop",
  max_retries: 0,
} satisfies Partial<PlanTask>;

type ShownTask = Pick<PlanTask, "id" | "agent" | "type" | "depends_on" | "critical" | "on_failure" | "max_retries">;

function stepOf(
  { id, agent, type, depends_on, critical, on_failure, max_retries }: ShownTask,
  state: PlanStatus["tasks"][number]["state"],
  { events, open, workflow_id, isOver }: Around,
): PhaseStep {
  const execution = events.at(-1)?.place.execution ?? 1;
  const own = events.filter(
    (event) => "task_id" in event && event.task_id === id && event.place.execution === execution,
  );
  const started = own.findLast((event) => event.type === "task_started");
  const attempts = started?.type === "task_started" ? started.attempt : 0;
  const succeeded = own.findLast((event) => event.type === "task_succeeded");
  const review = open.find(({ data }) => data.task_id === id)?.id ?? null;
  const isWaiting = review !== null && (state === "running" || state === "pending");
  const runs = type === "task" || type === "synthesis_gate" || type === "direct";
  return {
    id,
    type,
    agent,
    depends_on: [...depends_on],
    critical,
    on_failure,
    max_retries,
    // What was stopped from outside does not run any more.
    state: isWaiting ? "waiting" : state === "running" && isOver ? "failed" : state,
    attempts,
    run: attempts > 0 && runs ? planRunWorkflowId(workflow_id, planTaskRunId(execution, id, attempts)) : null,
    review,
    started_at: started?.at ?? null,
    duration_ms: succeeded?.type === "task_succeeded" ? succeeded.duration_ms : null,
    why: state === "failed" ? whyOf(own) : null,
  };
}

function whyOf(events: readonly ShownEvent[]): string | null {
  const last = events.findLast(({ type }) => type === "task_failed" || type === "verification_failed");
  if (last?.type === "task_failed") return `${last.reason.reason}: ${last.reason.message}`;
  return last?.type === "verification_failed" ? last.diagnosis : null;
}
