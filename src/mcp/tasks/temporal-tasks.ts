import type { CallToolResult, InputRequest } from "@modelcontextprotocol/server";
import type { WorkflowExecutionDescription } from "@temporalio/client";
import { listKnown, type OpenReview } from "../../client/inbox";
import { inProject } from "../../client/listing/project-filter";
import { cancelRun } from "../../client/run-control";
import { bareId, kindOf } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import type { Task as NavigatorTask } from "../../core/graph/task/task";
import { failureText } from "../../core/history/read/workflow-end";
import { checkScopes } from "../../node/identity/scopes";
import type { Backend } from "../../server/backend/backend";
import { decideAsAnswered, formOf } from "../client-features/elicitation";
import { whoseOf } from "../client-features/persons-decision";
import { questionOf, showsForms } from "../client-features/questions";
import { dialogRight } from "../client-features/right-to-decide";
import { scopesOf } from "../context/identity";
import { FormAnswer } from "../context/question";
import type { Extra } from "../context/request";
import type { ServerContext } from "../context/server-context";
import { sessionAgent } from "../context/session-agent";
import type { McpTaskSource, McpTaskState } from "../context/task-source";
import type { Call } from "../context/tool";
import { errorOfTask } from "../results/errors";
import { type RunProgress, runAnswer, runProgress } from "../results/run-answer";
import { reminderOf, successResult } from "../results/tool-result";

/**
 * MCP tasks on Temporal (mcp reference, section 6): the id of a task is its workflow's, its state the workflow's, its result the
 * workflow's. Nothing is stored here, so a client may ask another server, or the same one after a restart. Work belongs to the namespace
 * and not to a session: every client that may call tools may see it.
 */
export class TemporalTasks implements McpTaskSource {
  constructor(private readonly serverContext: ServerContext) {}

  get(taskId: string, extra: Extra): Promise<McpTaskState | null> {
    return this.read(taskId, extra, Date.now() + LIMIT_MS);
  }

  /** @param until after this time the state is returned without the parts that only a worker knows */
  private async read(taskId: string, extra: Extra, until: number): Promise<McpTaskState | null> {
    const kind = kindOf(taskId);
    if (kind !== "agent" && kind !== "task") return null;
    const backend = await this.serverContext.backend();
    try {
      const run = await backend.client.reviewed(taskId).workflow.describe();
      const reading = kind === "task" ? statusOfTask(taskId, backend) : statusOfRun(taskId, run, backend);
      // What has ended is read from the server alone.
      const status = run.status.name === "RUNNING" ? await soon(reading, until, UNANSWERED) : await reading;
      const questions = status === WAITS ? await soon(this.questions(taskId, { ...backend, extra }), until, []) : [];
      const inputRequests = Object.fromEntries(questions.map(({ name, request }) => [name, request]));
      return {
        taskId,
        ...status,
        ...(questions.length === 0 ? {} : { status: "input_required" as const, inputRequests }),
        createdAt: run.startTime.toISOString(),
        lastUpdatedAt: (run.closeTime ?? new Date()).toISOString(),
      };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async result(taskId: string): Promise<CallToolResult> {
    const { client, taskService } = await this.serverContext.backend();
    const data =
      kindOf(taskId) === "task"
        ? withError(await taskService.task(bareId("task", taskId)))
        : runAnswer(bareId("agent", taskId), await runProgress(client, taskId));
    return successResult(data, await reminderOf(taskService, this.serverContext));
  }

  async answer(taskId: string, answers: { [name: string]: unknown }, extra: Extra): Promise<void> {
    const backend = await this.serverContext.backend();
    for (const { name, found, whose } of await this.questions(taskId, { ...backend, extra })) {
      const answer = FormAnswer.safeParse(answers[name]);
      if (!answer.success) continue;
      const call = { ...backend, extra, serverContext: this.serverContext } as Call;
      const { answer: became, hint } = await decideAsAnswered(found, whose, answer.data, call);
      this.serverContext.log.info("mcp_task_answered", { task: taskId, review: found.review.id, became, hint });
    }
  }

  async cancel(taskId: string, extra: Extra): Promise<void> {
    checkScopes(["act"], scopesOf(extra.authInfo), "cancel a task");
    const { client, taskService } = await this.serverContext.backend();
    const by = sessionAgent({ extra, serverContext: this.serverContext }).id;
    const until = Date.now() + LIMIT_MS;
    if (kindOf(taskId) === "task") {
      const cancelled = taskService.cancel(bareId("task", taskId), `${by}: by MCP`).then(() => true);
      if (await soon(cancelled, until, false)) return;
      throw new NavigatorError("no_worker", `No worker answered: it is not known whether ${taskId} is cancelled.`, {
        hint: "Ask for the task again, and cancel it again if it works.",
      });
    }
    const { workflow } = client.agent(taskId);
    try {
      await cancelRun(workflow, { by, note: "by MCP" });
    } catch (error) {
      if (!(error instanceof NavigatorError) || error.code !== "already_over") throw error;
    }
    // The server has the request, also when no worker is up to end the run.
    const ended = workflow.result().then(
      () => null,
      () => null,
    );
    await soon(ended, until, null);
  }

  async list(extra: Extra): Promise<McpTaskState[]> {
    const { client } = await this.serverContext.backend();
    const query = `${RUNNING} AND ${inProject(client.project)}`;
    const known = await listKnown(client.temporal, query);
    const until = Date.now() + LIMIT_MS;
    const tasks: McpTaskState[] = [];
    for (let at = 0; at < known.length && tasks.length < MAX_LISTED; at += AT_ONCE) {
      const some = known.slice(at, at + AT_ONCE);
      const read = await Promise.all(some.map(({ workflowId }) => this.read(workflowId, extra, until)));
      tasks.push(...read.filter((task) => task?.status === "working").map((task) => task as McpTaskState));
    }
    return tasks.slice(0, MAX_LISTED);
  }

  /**
   * What the person at this client is asked for a task: its open reviews, if the client can show forms and the answer would be
   * somebody's decision. The name of a question proves that it was asked here, of this person, with exactly this text.
   */
  private async questions(taskId: string, given: Backend & { extra: Extra }): Promise<AskedReview[]> {
    const { client, extra } = given;
    // In the older era a task that needs the person has to keep the call for its result open: clients may not do that.
    if (extra.era === "2025-11-25" || !showsForms(extra.client)) return [];
    const call = { ...given, serverContext: this.serverContext } as Call;
    const { open } = await client.openReviews({ within: taskId });
    return open.flatMap((found): AskedReview[] => {
      const right = dialogRight(found.review, call);
      if (right.kind === "nobody") return [];
      const whose = whoseOf(right, call);
      const params = formOf(found.review, right);
      const question = questionOf(params, { review: found.review.id, whose });
      const proof = this.serverContext.seal.mac("task-question", JSON.stringify([taskId, question]));
      const request = { method: "elicitation/create" as const, params };
      return [{ name: `${found.review.id} ${proof.slice(0, 22)}`, request, found, whose }];
    });
  }
}

interface AskedReview {
  name: string;
  request: InputRequest;
  found: OpenReview;
  whose: string;
}

const MAX_LISTED = 100;
/** So many are read at the same time. */
const AT_ONCE = 20;
/** So long workers are asked for one answer: the server would keep the question open for much longer. */
const LIMIT_MS = 3_000;
const UNANSWERED: Status = { status: "working", statusMessage: "No worker answers: what it does now is not known." };

/** What comes in time, or something else; also if no worker answers. What comes later is dropped, with its error. */
async function soon<T>(work: Promise<T>, until: number, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), Math.max(0, until - Date.now()));
  });
  const answered = work.catch((error: unknown) => {
    if (error instanceof NavigatorError && error.code === "no_worker") return otherwise;
    throw error;
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
    answered.catch(() => {});
  }
}

const RUNNING = `(${ATTRIBUTE.kind} = "agent" OR ${ATTRIBUTE.kind} = "task") AND ExecutionStatus = "Running"`;

const WAITS = { status: "working", statusMessage: "It waits for a person." } as const;
type Status = Pick<McpTaskState, "status" | "statusMessage" | "error">;

/** A task's workflow stays until its moves are confirmed, so it may run although the task has ended. */
const withError = (task: NavigatorTask) => ({ task, ...errorOfTask(task) });

async function statusOfTask(id: string, { taskService }: Backend): Promise<Status> {
  const task = await taskService.task(bareId("task", id));
  if (task.status === "HITL") return WAITS;
  if (task.status !== "COMPLETED" && task.status !== "FAILED") return { status: "working" };
  if (task.endResult === "cancelled") return { status: "cancelled" };
  const { error } = errorOfTask(task);
  return { status: "completed", ...(error === undefined ? {} : { statusMessage: error }) };
}

async function statusOfRun(id: string, run: WorkflowExecutionDescription, { client }: Backend): Promise<Status> {
  switch (run.status.name) {
    case "RUNNING":
    case "CONTINUED_AS_NEW":
      return (await runProgress(client, id)).status === "waiting" ? WAITS : { status: "working" };
    case "COMPLETED":
    case "FAILED":
      return statusOfEnd(await runProgress(client, id));
    case "CANCELLED":
    case "TERMINATED":
      return { status: "cancelled" };
    default:
      return { status: "failed", error: { code: -32603, message: `The run ended as ${run.status.name}.` } };
  }
}

/** The call that started a run has an answer, also when the run failed: a client asks for it only if the status is `completed`. */
function statusOfEnd({ step }: RunProgress): Status {
  if (!step?.fail) return { status: "completed" };
  return { status: "completed", statusMessage: `The run failed: ${failureText(step.fail)}` };
}

function isAbsent(error: unknown): boolean {
  if (error instanceof NavigatorError) return error.code.endsWith("not_found");
  return (error as Error).name === "WorkflowNotFoundError";
}
