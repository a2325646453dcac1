import {
  type ElicitRequestFormParams,
  type ElicitResult,
  ErrorCode,
  type McpError,
} from "@modelcontextprotocol/sdk/types.js";
import type { OpenReview } from "../../client/inbox";
import { NavigatorError } from "../../core/base/navigator-error";
import { beginsAt, nodeOf, workOf } from "../../core/graph/definition/schema";
import type { AdvanceAnswer, Task } from "../../core/graph/task/task";
import type { Review } from "../../core/review/review";
import { type Call, LONGEST_CALL_MS } from "../context/tool";
import { describeWaiting, type WaitingFor } from "../results/waiting-for";
import { type DecidingRight, personsDecision, whoseOf } from "./persons-decision";
import { dialogRight } from "./right-to-decide";

/**
 * Asks the person at the client (mcp reference, section 4). The dialog is only a way into the durable review: without
 * an answer nothing changes, and the review can be decided later, from anywhere.
 */

/** A client that listens to progress keeps its call open; any other would time out. */
const PATIENT_MS = 300_000;

/** The result of a move, and the open review if it led to a person. */
export async function afterMove(
  answer: AdvanceAnswer,
  call: Call,
): Promise<AdvanceAnswer & { waitingFor?: WaitingFor }> {
  if (!answer.success) return answer;
  try {
    return await withDialog(answer, call);
  } catch (error) {
    // The move has happened: a caller that gets an error now would repeat it.
    if (!(error instanceof NavigatorError)) throw error;
    call.serverContext.log.warn("mcp_person_not_asked", { task: answer.task.id, error: error.message });
    return answer;
  }
}

async function withDialog(answer: AdvanceAnswer, call: Call): Promise<AdvanceAnswer & { waitingFor?: WaitingFor }> {
  if (!(await waitsForPerson(answer.task, call))) return answer;
  const found = await openReviewOf(answer.task, call);
  if (found === undefined) return answer;
  const waitingFor = await askInDialog(found, call);
  const task =
    waitingFor.answer === "accepted"
      ? await withNewDeadline(call, () => call.taskService.task(answer.task.id))
      : answer.task;
  return { ...answer, task, waitingFor };
}

/**
 * Always for a task in HITL. For a gate only if the person can be asked now: an orchestrator may pass it as well, and a
 * gate with an agent belongs to that agent.
 */
async function waitsForPerson({ id, status, currentStep }: Task, call: Call): Promise<boolean> {
  if (status === "HITL") return true;
  if (!clientHasForms(call)) return false;
  const definition = await call.taskService.definitionOf(id);
  const agent = workOf(nodeOf(definition, currentStep))?.agent;
  return beginsAt(definition, currentStep) === "gateReview" && agent === undefined;
}

/** The open review of the step where a task is, else any open review of the task. */
export async function openReviewOf({ id, currentStep }: Task, { client }: Call): Promise<OpenReview | undefined> {
  const { open } = await client.openReviews({ task: id });
  return open.find(({ review }) => review.data.step === currentStep) ?? open[0];
}

/** Whether the MCP client can show a form to its user. */
export const clientHasForms = ({ server }: Pick<Call, "server">): boolean =>
  server.server.getClientCapabilities()?.elicitation?.form !== undefined;

/**
 * Asks the client's user to decide a review. Without forms, without anybody whose decision the answer would be, or without
 * an answer, it says how to decide otherwise.
 */
export async function askInDialog({ workflow_id, review }: OpenReview, call: Call): Promise<WaitingFor> {
  if (!clientHasForms(call)) return describeWaiting(review, "not_asked");
  const right = dialogRight(review, call);
  if (right.kind === "nobody") return notADecision(review, right);
  const asked = await dialog(messageOf(review, right), formOf(review), call);
  if (asked === "timed_out") return describeWaiting(review, "timed_out");
  if (asked.action === "decline") return describeWaiting(review, "declined");
  if (asked.action === "cancel" || asked.content === undefined) return describeWaiting(review, "cancelled");
  // The person may have thought for minutes: whoever may not decide any more has not decided.
  const now = dialogRight(review, call);
  if (now.kind === "nobody" || whoseOf(now, call) !== whoseOf(right, call))
    return notADecision(review, now.kind === "nobody" ? now : { why: "Somebody else is at the client now.", hint: "" });
  const { decision: choice, note } = asked.content as { decision: string; note?: string };
  const said = { review: review.id, choice, by: whoseOf(now, call), ...(note ? { note } : {}) };
  try {
    const decision = await personsDecision(said, review, now, call);
    await withNewDeadline(call, () => call.client.reviewed(workflow_id).decide(decision));
  } catch (error) {
    // Somebody else was faster, or the choice has no edge: the move that led here has happened all the same.
    if (!(error instanceof NavigatorError)) throw error;
    return { ...describeWaiting(review, "refused"), hint: error.message };
  }
  const { review: _, ...decision } = said;
  const verified = now.kind === "person";
  return { ...describeWaiting(review, "accepted"), hint: "Decided.", decision: { ...decision, verified } };
}

function notADecision(review: Review, { why, hint }: { why: string; hint: string }): WaitingFor {
  const waiting = describeWaiting(review, "not_asked");
  return {
    ...waiting,
    hint: [`An answer here would be no decision. ${why}`, hint && `${hint}.`, waiting.hint].filter(Boolean).join(" "),
  };
}

/** Asks for one of several choices; null: nobody chose, or nobody can be asked here. */
export async function askForChoice(
  question: string,
  choices: readonly { value: string; label: string }[],
  call: Call,
): Promise<string | null> {
  if (!clientHasForms(call)) return null;
  const values = choices.map(({ value }) => value);
  const labels = choices.map(({ label }) => label);
  const field = { type: "string" as const, title: "Choice", enum: values, enumNames: labels };
  const asked = await dialog(question, { type: "object", properties: { choice: field }, required: ["choice"] }, call);
  return asked !== "timed_out" && asked.action === "accept" ? String(asked.content?.choice) : null;
}

async function dialog(
  message: string,
  requestedSchema: ElicitRequestFormParams["requestedSchema"],
  call: Call,
): Promise<ElicitResult | "timed_out"> {
  const { extra, server } = call;
  const usual = extra._meta?.progressToken === undefined ? LONGEST_CALL_MS : PATIENT_MS;
  const timeout = call.serverContext.patience_ms ?? usual;
  try {
    return await server.server.elicitInput(
      { mode: "form", message, requestedSchema },
      { relatedRequestId: extra.requestId, timeout, signal: extra.signal },
    );
  } catch (error) {
    // A client that cannot show the dialog after all, or returns an invalid answer, has not decided anything.
    call.serverContext.log.info("mcp_person_not_reached", { error: (error as Error).message });
    return (error as McpError).code === ErrorCode.RequestTimeout ? "timed_out" : { action: "cancel" };
  }
}

/** What is asked, with the attempts so far; whose decision it will be; and what exactly the decision is about. */
function messageOf({ title, body, seal }: Review, right: DecidingRight): string {
  const whose =
    right.kind === "person"
      ? `You decide as ${right.person}.`
      : "Your decision is unverified: the project has no people.";
  return [title, body, whose, seal === undefined ? "" : `Seal: ${seal}`].filter((part) => part !== "").join("\n\n");
}

function formOf({ choices }: Review) {
  return {
    type: "object" as const,
    properties: {
      decision: { type: "string" as const, title: "Decision", enum: choices },
      note: { type: "string" as const, title: "Note", description: "Why; kept with the decision" },
    },
    required: ["decision"],
  };
}

/** The call's own time limit may be over when a person has answered. */
const withNewDeadline = <T>({ client }: Call, work: () => Promise<T>): Promise<T> =>
  client.temporal.withDeadline(Date.now() + 10_000, work);
