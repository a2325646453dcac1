import { findReview } from "../../client/find-review";
import { recordOrSignal } from "../../client/runs/record-decision";
import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { cutText } from "../../core/base/whole-characters";
import { isForPeople } from "../../core/graph/task/machine/agent-moves";
import type { ShortReview } from "../../core/review/inbox/short-review";
import type { Review } from "../../core/review/review";
import type { WebCaller } from "../context/context";
import { type FrontAnswer, frontAnswer } from "../encodings/interrupt";
import { actorOf, deciderOf } from "../requests/callers";
import type { EndpointCall } from "../routes/endpoint";
import { DecisionBody, decideForCaller, sendDecision } from "../routes/inbox/decisions";
import type { ClientMessage } from "./message-input";
import { updateIdOf } from "./read-task";
import { seesAllTasks } from "./task-id";
import { type AskedByTask, isAnsweredInWords, namesItsSeal, type TaskView } from "./task-view";

/**
 * Answers what a task asks: a question, an approval, or what a parked mission waits for. Approvals are decided by people (approvals
 * reference, section 1): here by the person whose token the request has.
 *
 * @returns what is answered, and not open any more
 * @throws NavigatorError `agents_may_not_decide`, `invalid_decision`, and what the inbox would refuse
 */
export async function answerTask(call: EndpointCall, view: TaskView, received: ClientMessage): Promise<Set<string>> {
  actorOf(call);
  const asked = askedOf(view.open, received);
  const updateId = updateIdOf(call.caller, received);
  const isOpen =
    asked.review === undefined
      ? await answerParked(call, asked, received, updateId)
      : await answerReview(call, asked.review, received, updateId);
  return new Set(isOpen ? [] : [asked.id]);
}

/** What a message answers: the one thing that is asked, or what its data names. @throws NavigatorError `invalid_decision` */
function askedOf(open: readonly AskedByTask[], { data }: ClientMessage): AskedByTask {
  const named = isObject(data) ? data.asks : undefined;
  const [first, second] = open;
  const found = named === undefined ? first : open.find(({ id }) => id === named);
  if (found !== undefined && (named !== undefined || second === undefined)) return found;
  const ids = open.map(({ id }) => id);
  throw new NavigatorError(
    "invalid_decision",
    named === undefined ? "The task asks several things." : `The task does not ask ${JSON.stringify(named)}.`,
    { hint: `Send data with "asks": one of ${ids.join(", ")}.`, details: { path: "asks", asks: ids } },
  );
}

const isPerson = (caller: WebCaller): boolean => seesAllTasks(caller);

async function answerReview(
  call: EndpointCall,
  review: ShortReview,
  received: ClientMessage,
  updateId: string,
): Promise<boolean> {
  const answer = answerIn(review, received);
  if (!isPerson(call.caller)) return answerAsAgent(call, review, answer, updateId);
  const given = isObject(received.data) && typeof received.data.seal === "string" ? received.data.seal : undefined;
  // The words of an answer are about the question that was asked. An approval names what its person has seen.
  const seal = given ?? (namesItsSeal(review) ? undefined : review.seal);
  if (seal === undefined && review.seal !== undefined)
    throw new NavigatorError(
      "invalid_decision",
      `The answer to "${review.title}" has no seal of what its person has seen.`,
      {
        hint: `Send data: {"choice": ${JSON.stringify(answer.choice)}, "seal": ...}, with the seal of the question that was shown.`,
        details: { path: "seal", choices: review.choices },
      },
    );
  const { by, ...decision } = checkedAnswer(answer);
  const { review: after } = await decideForCaller(call, review.id, decision, {
    by: personsName(call, by),
    seal,
    updateId,
  });
  return after.status === "open";
}

const AnswerFields = DecisionBody.pick({ choice: true, value: true, note: true, by: true });

/** @throws NavigatorError `invalid_decision` for a text that is too long */
function checkedAnswer(answer: FrontAnswer) {
  const checked = AnswerFields.safeParse(answer);
  if (checked.success) return checked.data;
  const [{ path = [], message = "" } = {}] = checked.error.issues;
  throw new NavigatorError("invalid_decision", `The ${path.join(".")} of the answer cannot be taken: ${message}.`, {
    details: { path: path.join(".") },
  });
}

/** In a project without people names are taken as they are given; the server knows the user of its machine, and tokens have names. */
const personsName = (call: EndpointCall, given: string | undefined): string | undefined =>
  given ?? (call.caller.isLocal ? actorOf(call) : (call.caller.person ?? call.caller.id.replace(/^person:/, "")));

/** An agent answers a question that is for nobody else, under its own name. */
async function answerAsAgent(
  call: EndpointCall,
  review: ShortReview,
  { choice, note, value }: FrontAnswer,
  updateId: string,
): Promise<boolean> {
  refuseAgent(review);
  const by = call.caller.id;
  const decision = { review: review.id, choice, by, kind: "agent" as const, via: "http" as const };
  const found = await findReview(call.client, review.id);
  const after: Review = await sendDecision(
    call,
    found,
    { ...decision, ...defined({ note, value, seal: review.seal }) },
    { updateId },
  );
  return after.status === "open";
}

/** @throws NavigatorError `agents_may_not_decide` */
function refuseAgent(review: ShortReview): void {
  if (isAnsweredInWords(review) && !isForPeople(review)) return;
  const { id, choices, assignees = [] } = review;
  const whose = assignees.length === 0 ? "a person" : assignees.join(", ");
  throw new NavigatorError(
    "agents_may_not_decide",
    `"${id}" is for ${whose}: the token of this request stands for no person.`,
    {
      hint: "A person decides it: in Mission Control, with navigator review decide, or by a message with their own token.",
      details: { review: id, choices },
    },
  );
}

/** @throws NavigatorError `invalid_decision` */
function answerIn(review: ShortReview, { data, text }: ClientMessage): FrontAnswer {
  if (data !== undefined) return { ...(text === "" ? {} : { note: text }), ...frontAnswer(data, review) };
  const word = text.trim();
  const choice = review.choices.find((one) => one.toLowerCase() === word.toLowerCase());
  if (choice !== undefined) return { choice };
  // The review has one choice only, so the text of the message is its answer.
  const [only] = review.choices;
  if (only !== undefined && review.choices.length === 1 && isAnsweredInWords(review))
    return { choice: only, value: text };
  throw new NavigatorError("invalid_decision", `"${cutText(word, 200)}" is no answer to "${review.title}".`, {
    hint: namesItsSeal(review)
      ? `Send data: {"choice": one of ${review.choices.join(", ")}, "seal": that of the question, "note": ..., "value": ...}.`
      : `Answer with one of ${review.choices.join(", ")}, or send data: {"choice": ..., "note": ..., "value": ...}.`,
    details: { path: "choice", choices: review.choices },
  });
}

/** Only people write decisions into journals, as over MCP. */
async function answerParked(
  call: EndpointCall,
  { workflow_id, id: asked }: AskedByTask,
  { data, text }: ClientMessage,
  updateId: string,
): Promise<boolean> {
  if (!isPerson(call.caller))
    throw new NavigatorError(
      "agents_may_not_decide",
      "Decisions in a journal are for people: the token stands for none.",
      {
        hint: `A person records it: navigator journal set, or by a message with their own token.`,
      },
    );
  const { id, value, note, by: named } = (isObject(data) ? data : {}) as JsonObject;
  if (typeof id !== "string" || id === "" || value === undefined)
    throw new NavigatorError("invalid_decision", `"${asked}" waits for a decision in the journal of the mission.`, {
      hint: 'Send data: {"id": journal id, "value": any JSON value, "note": why}.',
      details: { path: "value" },
    });
  const { by, key } = deciderOf(call, personsName(call, typeof named === "string" ? named : undefined));
  const why = typeof note === "string" ? note : text === "" ? undefined : text;
  const decision = { id, value: value as Json, by, via: "http" as const, ...defined({ note: why }) };
  await recordOrSignal(call.client, call.client.agent(workflow_id), decision, { key: key ?? null, updateId });
  return false;
}
