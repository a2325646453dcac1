import {
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { defined } from "../../core/base/defined";
import type { AdvanceAnswer, Task } from "../../core/graph/task/task";
import { digest } from "../../workflows/start/intent";
import { FormAnswer, MadeMove, Question, type Resumed } from "../context/question";
import type { RequestClient } from "../context/request";
import { refusedState } from "../context/sealed-state";
import { type Call, LONGEST_CALL_MS } from "../context/tool";

/**
 * A question to the person at the client, in both eras (mcp reference, sections 4 and 4.2). Up to 2025-11-25 the server asks while the
 * call is open. Since 2026-07-28 the call ends with the question, and the client makes it again with the answer: it then continues where
 * it ended, by the signed state that comes back with it.
 */

/** A client that listens to progress keeps its call open; any other would time out. */
const PATIENT_MS = 300_000;
/** The name of the one question in a result. */
const KEY = "decision";

/** What a call had done and asked when it ended with a question. */
const Paused = z.object({
  tool: z.string(),
  /** A digest of the arguments. */
  args: z.string(),
  /** Who called: the id of the caller over HTTP. */
  caller: z.string(),
  question: Question,
  move: MadeMove.optional(),
});
type Paused = z.infer<typeof Paused>;

/** Ends a call with a question, and is no error. */
export class InputNeeded {
  move?: MadeMove;

  constructor(
    readonly question: Question,
    readonly form: ElicitRequestFormParams,
  ) {}
}

const callerOf = ({ extra }: Pick<Call, "extra">): string => extra.authInfo?.clientId ?? "this machine";

/** The result of a call that ends with a question. */
export function questionResult(
  tool: string,
  args: object,
  { question, form, move }: InputNeeded,
  call: Pick<Call, "extra" | "serverContext">,
): InputRequiredResult {
  const paused: Paused = { tool, args: digest(args), caller: callerOf(call), question, ...defined({ move }) };
  return inputRequired({
    inputRequests: { [KEY]: inputRequired.elicit(form) },
    requestState: call.serverContext.seal.seal(paused),
  });
}

/**
 * The answer that comes with a call; undefined: the call is made for the first time.
 *
 * @throws NavigatorError `invalid_input`; ProtocolError for an answer that has not the form of one
 */
export function resumedCall(
  tool: string,
  args: object,
  given: { requestState: string | undefined; inputResponses: { [key: string]: unknown } | undefined },
  call: Pick<Call, "extra" | "serverContext">,
): Resumed | undefined {
  if (given.requestState === undefined) return undefined;
  const state = Paused.safeParse(call.serverContext.seal.open(given.requestState));
  if (!state.success || state.data.tool !== tool || state.data.args !== digest(args))
    throw refusedState("another_call", `The requestState belongs to another call than this one of ${tool}.`);
  const { caller, question, move } = state.data;
  if (caller !== callerOf(call)) throw refusedState("another_client", "The requestState was given to another client.");
  const answered = given.inputResponses?.[KEY];
  const answer = FormAnswer.optional().safeParse(answered);
  if (!answer.success)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `inputResponses.${KEY} is no answer to a form.`);
  return { question, ...defined({ move, answer: answer.data }) };
}

/** Makes a move, once: a call that comes again with an answer has made it already. */
export async function movedOnce(
  id: string,
  call: Pick<Call, "resumed" | "taskService">,
  move: () => Promise<AdvanceAnswer>,
): Promise<AdvanceAnswer> {
  const made = call.resumed?.move;
  if (made === undefined) return move();
  return { ...made, task: (await call.taskService.task(id)) as Task } as AdvanceAnswer;
}

/** Keeps a move that led to a question. */
export function withMove(needed: InputNeeded, { task: _, ...move }: AdvanceAnswer): InputNeeded {
  needed.move = move as MadeMove;
  return needed;
}

/** Whether a client can show a form. Without a word on kinds of dialogs a client means forms. */
export function showsForms({ capabilities: { elicitation } }: Pick<RequestClient, "capabilities">): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** What identifies a question. A review that asks something else later is another question. */
export const questionOf = (form: ElicitRequestFormParams, about: Omit<Question, "asks">): Question => ({
  ...about,
  asks: digest({ message: form.message, schema: form.requestedSchema }),
});

/**
 * Asks the person at the client.
 *
 * @throws InputNeeded in the newer era, if the call comes without the answer; NavigatorError `invalid_input` if it comes with
 *   the answer to another question
 */
export async function askPerson(
  form: ElicitRequestFormParams,
  about: Omit<Question, "asks">,
  call: Call,
): Promise<FormAnswer | "timed_out"> {
  if (call.extra.era === "2025-11-25") return askInCall(form, call);
  const question = questionOf(form, about);
  const { resumed } = call;
  if (resumed?.answer === undefined) throw new InputNeeded(question, form);
  checkSame(resumed.question, question);
  return resumed.answer;
}

function checkSame(asked: Question, now: Question): void {
  if (asked.whose !== now.whose)
    throw refusedState("another_person", "Somebody else was asked than the person who is at the client now.");
  if (asked.review !== now.review || asked.asks !== now.asks)
    throw refusedState("review_changed", "The person was asked something else than what is asked now.");
}

async function askInCall(form: ElicitRequestFormParams, call: Call): Promise<FormAnswer | "timed_out"> {
  const { extra, server, serverContext } = call;
  const usual = extra._meta?.progressToken === undefined ? LONGEST_CALL_MS : PATIENT_MS;
  const timeout = serverContext.patience_ms ?? usual;
  try {
    const options = { relatedRequestId: extra.requestId, timeout, signal: extra.signal };
    return (await server.server.elicitInput(form, options)) as FormAnswer;
  } catch (error) {
    // A client that cannot show the dialog after all, or returns an invalid answer, has not decided anything.
    serverContext.log.info("mcp_person_not_reached", { error: (error as Error).message });
    const timedOut = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
    return timedOut ? "timed_out" : { action: "cancel" };
  }
}
