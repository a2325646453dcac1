import type { NavigatorClient } from "../../client/client";
import { ask } from "../../client/errors";
import type { Step } from "../../core/agent/result/step";
import { defined } from "../../core/base/defined";
import { agentWorkflowId } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { isForPeople } from "../../core/graph/task/machine/agent-moves";
import { failureText } from "../../core/history/read/workflow-end";
import { reviewKind } from "../../core/review/kinds/index";
import type { Review } from "../../core/review/review";
import { askWorkflow, decideCommand, nextCall } from "./errors";

/** The state of a mission. */
export interface RunProgress {
  status: "running" | "waiting" | "completed" | "failed" | "cancelled";
  step?: Step;
  /** The value that a waiting mission returned. */
  waiting?: Json;
  /** Of a running mission that is blocked: what no worker has, and what to do. It then continues automatically. */
  blocked?: string;
  /** The open reviews. */
  reviews?: WaitingFor[];
}

/** @throws NavigatorError `not_found` */
export async function runProgress(client: NavigatorClient, workflowId: string): Promise<RunProgress> {
  const handle = client.agent(workflowId);
  const { status } = await askWorkflow(workflowId, () => ask(() => handle.workflow.describe()));
  if (status.name === "CANCELLED") return { status: "cancelled" };
  if (status.name !== "RUNNING") return ended(() => handle.result());
  try {
    const { state, waiting: value, blocked } = await handle.status();
    if (state === "completed" || state === "failed") return ended(() => handle.result());
    if (blocked !== undefined) return { status: "running", blocked: `blocked: ${blocked.text}. ${blocked.help}` };
    // A mission whose agents ask people only waits for them.
    const below = state === "running" ? (await client.openReviews({ within: workflowId })).open : [];
    if (state !== "waiting" && below.length === 0) return { status: "running" };
    const own = state === "waiting" ? await handle.reviews() : below.map(({ review }) => review);
    const open = own.filter((review) => review.status === "open");
    return {
      status: "waiting",
      ...defined({ waiting: value }),
      ...(open.length === 0 ? {} : { reviews: open.map((review) => describeWaiting(review, "not_asked")) }),
    };
  } catch (error) {
    // The server knows whether it runs; only a worker knows its progress.
    if (error instanceof NavigatorError && error.code === "no_worker")
      return { status: "running", blocked: `no_worker: ${error.message} ${nextCall(error) ?? ""}` };
    throw error;
  }
}

async function ended(result: () => Promise<Step>): Promise<RunProgress> {
  try {
    const step = await result();
    return { status: step.fail === null ? "completed" : "failed", step };
  } catch (error) {
    // Cancelled or terminated from outside: it has no Step.
    if (!(error instanceof NavigatorError) || error.exitCode !== 1) throw error;
    const fail = { reason: error.code, message: error.message };
    return { status: "failed", step: { return: null, fail } as Step };
  }
}

/** The answer about a run, now or when a client asks for the result of its MCP task. */
export function runAnswer(id: string, state: RunProgress) {
  const over = state.status !== "running" && state.status !== "waiting";
  const handle = { tool: "get_run", arguments: { runId: id } };
  const fail = state.step?.fail;
  return {
    runId: id,
    workflowId: agentWorkflowId(id),
    ...state,
    ...(over ? {} : { handle }),
    // After the Step, which may be long.
    ...(fail ? { error: failureText(fail) } : {}),
  };
}

/** The open review of a task, as tools return it. */
export interface WaitingFor {
  review: string;
  title: string;
  choices: string[];
  answer: "not_asked" | "accepted" | "declined" | "cancelled" | "timed_out" | "refused";
  hint: string;
  decision?: { choice: string; by: string; note?: string; verified: boolean };
}

/**
 * Shows an open review in an answer: its choices, how a person decides it, and whether the one who works on the task may move it without
 * that (approvals reference, section 1).
 *
 * @param tools those of the session
 */
export function describeWaiting(
  review: Review,
  answer: WaitingFor["answer"],
  tools: "core" | "all" = "all",
): WaitingFor {
  const { id, title, choices } = review;
  const dialog =
    tools === "core"
      ? []
      : [`If this client can show forms, decide_review with reviewId "${id}" asks the person who is here.`];
  const hint = [...waysOn(review), ...dialog].join(" ");
  return { review: id, title, choices, answer, hint };
}

function waysOn(review: Review): string[] {
  const command = decideCommand(review.id);
  if (reviewKind(review).agents !== "move" || isForPeople(review))
    return [`Nothing moves until a person decides: ${command}.`];
  return [
    `A person may decide: ${command}.`,
    "The review names nobody, so the client that works on the task may also move it, with the call that `instructions` name. The history then records that no person decided.",
  ];
}
