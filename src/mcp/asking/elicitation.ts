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
import { type Call, LONGEST_CALL_MS } from "../tool";

/**
 * Asking the person at the client (mcp reference, section 4). The dialog is one way into the durable review and no
 * more: who does not answer changes nothing, and the review can be decided later, from anywhere.
 */

/** What waits for a person, as tools answer it. */
export interface WaitingFor {
  review: string;
  title: string;
  choices: string[];
  answer: "not_asked" | "accepted" | "declined" | "cancelled" | "timed_out" | "refused";
  hint: string;
  decision?: { choice: string; by: string; note?: string };
}

/** A client that listens to progress keeps its call open; any other would give up on it. */
const PATIENT_MS = 300_000;

/** What a move answers, and who is waited for where it led to a person. */
export async function afterMove(
  answer: AdvanceAnswer,
  call: Call,
): Promise<AdvanceAnswer & { waitingFor?: WaitingFor }> {
  if (!answer.success) return answer;
  try {
    return await withPerson(answer, call);
  } catch (error) {
    // The move has happened: whoever hears of an error now would make it again.
    if (!(error instanceof NavigatorError)) throw error;
    call.parts.log.warn("mcp_person_not_asked", { task: answer.task.id, error: error.message });
    return answer;
  }
}

async function withPerson(answer: AdvanceAnswer, call: Call): Promise<AdvanceAnswer & { waitingFor?: WaitingFor }> {
  if (!(await needsPerson(answer.task, call))) return answer;
  const found = await openReviewOf(answer.task, call);
  if (found === undefined) return answer;
  const waitingFor = await askPerson(found, call);
  const task =
    waitingFor.answer === "accepted" ? await inTime(call, () => call.desk.task(answer.task.id)) : answer.task;
  return { ...answer, task, waitingFor };
}

/**
 * A task in HITL always. A gate only where the person can be asked here and now: whoever drives the task may pass it as
 * well, and one that names an agent is that agent's.
 */
async function needsPerson({ id, status, currentStep }: Task, call: Call): Promise<boolean> {
  if (status === "HITL") return true;
  if (!canAsk(call)) return false;
  const definition = await call.desk.definitionOf(id);
  const agent = workOf(nodeOf(definition, currentStep))?.agent;
  return beginsAt(definition, currentStep) === "gateReview" && agent === undefined;
}

export async function openReviewOf({ id, currentStep }: Task, { client }: Call): Promise<OpenReview | undefined> {
  const { open } = await client.openReviews({ task: id });
  return open.find(({ review }) => review.data.step === currentStep) ?? open[0];
}

export const canAsk = ({ server }: Pick<Call, "server">): boolean =>
  server.server.getClientCapabilities()?.elicitation?.form !== undefined;

export async function askPerson({ workflow_id, review }: OpenReview, call: Call): Promise<WaitingFor> {
  if (!canAsk(call)) return waiting(review, "not_asked");
  const asked = await dialog(messageOf(review), formOf(review), call);
  if (asked === "timed_out") return waiting(review, "timed_out");
  if (asked.action === "decline") return waiting(review, "declined");
  if (asked.action === "cancel" || asked.content === undefined) return waiting(review, "cancelled");
  const { decision: choice, note, by } = asked.content as { decision: string; note?: string; by?: string };
  const decision = { choice, by: by ?? whoIsThere(call), ...(note ? { note } : {}) };
  try {
    await inTime(call, () => call.client.reviewed(workflow_id).decide({ review: review.id, ...decision }));
  } catch (error) {
    // Somebody else was quicker, or the choice leads nowhere: the move that led here has happened all the same.
    if (!(error instanceof NavigatorError)) throw error;
    return { ...waiting(review, "refused"), hint: error.message };
  }
  return { ...waiting(review, "accepted"), hint: "Decided.", decision };
}

/** Asks for one of several things; null: nobody chose, or nobody can be asked here. */
export async function askForChoice(
  question: string,
  choices: readonly { value: string; label: string }[],
  call: Call,
): Promise<string | null> {
  if (!canAsk(call)) return null;
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
  const timeout = call.parts.patience_ms ?? usual;
  try {
    return await server.server.elicitInput(
      { mode: "form", message, requestedSchema },
      { relatedRequestId: extra.requestId, timeout, signal: extra.signal },
    );
  } catch (error) {
    // A client that cannot show the dialog after all, or answers with what is no answer, has not decided anything.
    call.parts.log.info("mcp_person_not_reached", { error: (error as Error).message });
    return (error as McpError).code === ErrorCode.RequestTimeout ? "timed_out" : { action: "cancel" };
  }
}

/** What was tried, and what came of it. */
const messageOf = ({ title, body }: Review): string => [title, body].filter((part) => part !== "").join("\n\n");

function formOf({ choices, assignees }: Review) {
  const text = (title: string, description: string) => ({ type: "string" as const, title, description });
  return {
    type: "object" as const,
    properties: {
      decision: { type: "string" as const, title: "Decision", enum: choices },
      note: text("Note", "Why; kept with the decision"),
      ...(assignees?.length ? { by: { type: "string" as const, title: "Who decides", enum: assignees } } : {}),
    },
    required: ["decision", ...(assignees?.length ? ["by"] : [])],
  };
}

const whoIsThere = ({ server }: Call): string =>
  `a person at ${server.server.getClientVersion()?.name ?? "the client"}`;

export function waiting(review: Review, answer: WaitingFor["answer"]): WaitingFor {
  const { id, title, choices } = review;
  const hint = `Nothing moves until a person decides: decide_review with reviewId "${id}", or: navigator review decide ${id} CHOICE --by NAME`;
  return { review: id, title, choices, answer, hint };
}

/** The call's own time may be over by the time a person has answered. */
const inTime = <T>({ client }: Call, work: () => Promise<T>): Promise<T> =>
  client.temporal.withDeadline(Date.now() + 10_000, work);
