import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import * as z from "zod";
import { findReview } from "../../client/find-review";
import type { OpenReview } from "../../client/inbox";
import { taskWorkflowId } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { joinLines } from "../../core/base/one-line";
import { beginsAt, nodeOf, workOf } from "../../core/graph/definition/schema";
import type { AdvanceAnswer, Task } from "../../core/graph/task/task";
import { quotation } from "../../core/review/markdown";
import type { Review } from "../../core/review/review";
import type { FormAnswer } from "../context/question";
import { isRefusedState, refusedState } from "../context/sealed-state";
import type { Call } from "../context/tool";
import { describeWaiting, type WaitingFor } from "../results/run-answer";
import { type DecidingRight, personsDecision, whoseOf } from "./persons-decision";
import { askPerson, InputNeeded, showsForms, withMove } from "./questions";
import { dialogRight } from "./right-to-decide";

/**
 * Asks the person at the client (mcp reference, section 4). The dialog is only a way into the durable review: without
 * an answer nothing changes, and the review can be decided later, from anywhere.
 */

/** The result of a move, and the open review if it led to a person. */
export async function afterMove(
  answer: AdvanceAnswer,
  call: Call,
): Promise<AdvanceAnswer & { waitingFor?: WaitingFor }> {
  if (!answer.success) return answer;
  try {
    return await withDialog(answer, call);
  } catch (error) {
    if (error instanceof InputNeeded) throw withMove(error, answer);
    // The move has happened: a caller that gets an error now would repeat it.
    if (!(error instanceof NavigatorError) || isRefusedState(error)) throw error;
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
  // It has just moved, so it is there and has its definition: one question is enough.
  const definition = await call.client.task(id).definition();
  const agent = workOf(nodeOf(definition, currentStep))?.agent;
  return beginsAt(definition, currentStep) === "gateReview" && agent === undefined;
}

/** The open review of the step where a task is, else any open review of the task. */
export async function openReviewOf({ id, currentStep }: Task, { client }: Call): Promise<OpenReview | undefined> {
  const { open } = await client.openReviews({ workflow: taskWorkflowId(id) });
  return open.find(({ review }) => review.data.step === currentStep) ?? open[0];
}

/** Whether the MCP client can show a form to its user. */
export const clientHasForms = ({ extra }: Pick<Call, "extra">): boolean => showsForms(extra.client);

/**
 * Asks the client's user to decide a review. Without forms, without anybody whose decision the answer would be, or without an answer, it
 * returns another way to decide.
 */
export async function askInDialog(found: OpenReview, call: Call): Promise<WaitingFor> {
  const { review } = found;
  if (!clientHasForms(call)) return describeWaiting(review, "not_asked", call.serverContext.tools);
  const right = dialogRight(review, call);
  if (right.kind === "nobody") return notADecision(review, right);
  const whose = whoseOf(right, call);
  const asked = await askPerson(formOf(review, right), { review: review.id, whose }, call);
  return asked === "timed_out" ? describeWaiting(review, "timed_out") : decideAsAnswered(found, whose, asked, call);
}

const FilledForm = z.object({ decision: z.string(), note: z.string().optional() });

/**
 * Reads the form that a person filled for a review, as their decision.
 *
 * @param whose the name of the person who was asked
 */
export async function decideAsAnswered(
  { workflow_id, review }: OpenReview,
  whose: string,
  { action, content }: FormAnswer,
  call: Call,
): Promise<WaitingFor> {
  if (action === "decline") return describeWaiting(review, "declined");
  const filled = FilledForm.safeParse(content);
  if (action === "cancel" || !filled.success) return describeWaiting(review, "cancelled");
  // The person may have thought for minutes: check again that they may decide.
  const now = dialogRight(review, call);
  if (now.kind === "nobody" || whoseOf(now, call) !== whose)
    return notADecision(review, now.kind === "nobody" ? now : { why: "Somebody else is at the client now.", hint: "" });
  const { decision: choice, note } = filled.data;
  const given = { review: review.id, choice, by: whose, ...(note ? { note } : {}) };
  try {
    const decision = await personsDecision(given, review, now, call);
    await withNewDeadline(call, () => call.client.reviewed(workflow_id).decide(decision));
  } catch (error) {
    // Somebody else was faster, or the choice has no edge: the move that led here has happened all the same.
    if (!(error instanceof NavigatorError)) throw error;
    return { ...describeWaiting(review, "refused"), hint: error.message };
  }
  const { review: _, ...decision } = given;
  return {
    ...describeWaiting(review, "accepted"),
    hint: "Decided.",
    decision: { ...decision, verified: now.kind === "person" },
  };
}

/**
 * Checks that the review that the person was asked about is still open, when the answer comes with a later call. An equal decision that
 * was made before is accepted: the client has not got the answer to it, and asks again.
 *
 * @throws NavigatorError `invalid_input`
 */
export async function checkStillAsked(call: Call): Promise<void> {
  const { question, answer } = call.resumed ?? {};
  if (question?.review === undefined || answer === undefined) return;
  const { review } = await findReview(call.client, question.review);
  if (review.status === "open") return;
  if (review.decision?.by === question.whose && review.decision?.choice === answer.content?.decision) return;
  throw refusedState("review_closed", `Review "${review.id}" is ${review.status} by now.`);
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
  const requestedSchema = { type: "object" as const, properties: { choice: field }, required: ["choice"] };
  const asked = await askPerson({ mode: "form", message: question, requestedSchema }, {}, call);
  if (asked === "timed_out" || asked.action !== "accept") return null;
  return values.find((value) => value === asked.content?.choice) ?? null;
}

/** What is asked, with the attempts so far; whose decision it will be; and what exactly the decision is about. */
function messageOf({ title, body, seal }: Review, right: DecidingRight): string {
  const whose =
    right.kind === "person"
      ? `You decide as ${right.person}.`
      : "Your decision is unverified: the project has no people.";
  const asked = body === "" ? "" : quotation(body, "");
  return [joinLines(title), asked, whose, seal === undefined ? "" : `Seal: ${seal}`]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The form in which a person decides a review. */
export function formOf(review: Review, right: DecidingRight): ElicitRequestFormParams {
  return {
    mode: "form",
    message: messageOf(review, right),
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: "Decision", enum: review.choices },
        note: { type: "string", title: "Note", description: "Why; kept with the decision" },
      },
      required: ["decision"],
    },
  };
}

/** The call's own time limit may be over when a person has answered. */
const withNewDeadline = <T>({ client }: Call, work: () => Promise<T>): Promise<T> =>
  client.temporal.withDeadline(Date.now() + 10_000, work);
