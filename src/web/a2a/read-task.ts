import type { Artifact, Message, Task } from "@a2a-js/sdk";
import type { NavigatorClient } from "../../client/client";
import { missionHistories } from "../../client/mission-tree";
import { withoutHidden } from "../../core/agent/prompt/hidden-values";
import { agentWorkflowId } from "../../core/base/ids";
import { isObject } from "../../core/base/is-object";
import type { JsonObject } from "../../core/base/json";
import type { HistoryFact } from "../../core/history/read/facts";
import { readHistory, startedIn } from "../../core/history/read/history";
import { timedFacts } from "../../core/history/stream/mission-facts";
import type { MissionHistories } from "../../core/history/trace/read-mission";
import { digest } from "../../workflows/start/intent";
import type { WebCaller } from "../context/context";
import type { ClientMessage } from "./message-input";
import { dataPart, messageOf, textPart, valuePart } from "./parts";
import { hexOf, ownerOf, type TaskRef } from "./task-id";
import { type AskedByTask, partsOfAsked, TaskView } from "./task-view";

/** A task as the history of its mission shows it: reading asks no worker, and keeps nothing elsewhere. */
export interface TaskReading {
  view: TaskView;
  /** Its agent. */
  skill: string;
  /** The agent answers with text, which readers can receive as it comes. */
  isText: boolean;
  /** Messages that were answers to this mission, and what stands for their words; "": another client sent it. */
  answered: ReadonlyMap<string, string>;
  messages: Message[];
}

/** Identifies a message of a caller, whatever its text. */
export const messageKey = (caller: WebCaller, { messageId }: Pick<ClientMessage, "messageId">): string =>
  `a2a:${ownerOf(caller)}:${messageId.length <= MAX_KEPT ? messageId : `~${hexOf(messageId, 24)}`}`;

/** What stands for the words of a message. */
export const wordsHash = ({ text, data }: ClientMessage): string => digest({ text, data });

/** The id of the update that a message is: the same message of the same caller again is the same update. */
export const updateIdOf = (caller: WebCaller, received: ClientMessage): string =>
  `${messageKey(caller, received)}#${wordsHash(received)}`;

/** @returns the key of a message, and what stands for its words */
function readUpdateId(updateId: string): [key: string, words: string] {
  const [, key, words] = /^(.*)#([0-9a-f]{16})$/s.exec(updateId) ?? [];
  return key === undefined || words === undefined ? [updateId, ""] : [key, words];
}

/** Of the characters of a message's id. The server takes 1,000 bytes as the id of an update. */
const MAX_KEPT = 200;

/** @throws NavigatorError `not_found` */
export async function readA2aTask(client: NavigatorClient, ref: TaskRef): Promise<TaskReading> {
  const histories = await missionHistories(client, agentWorkflowId(ref.id, client.project));
  const { workflow_id, runs } = histories;
  const started = startedIn(runs[0]);
  const view = new TaskView(ref, workflow_id, started?.at ?? 0);
  const all = flat(histories).map((one) => ({ id: one.workflow_id, runs: one.runs.map((run) => readHistory(run)) }));
  const facts = all.flatMap(({ id, runs: read }) =>
    read.flatMap((history) => timedFacts(id, "", history).map((one) => ({ ...one, id }))),
  );
  for (const { id, fact, at } of inOrder(facts)) view.take(id, fact, at);
  const answers = all.flatMap(({ runs: read }) => read.flatMap(answersIn));
  const input = started?.input ?? {};
  const { name, output } = isObject(input.agent) ? input.agent : {};
  return {
    view,
    skill: typeof name === "string" ? name : "",
    isText: output === "text",
    answered: new Map(answers.map(({ updateId }) => readUpdateId(updateId))),
    messages: messagesOf(ref, firstParts(input), view.questions, answers),
  };
}

const flat = (one: MissionHistories): MissionHistories[] => [one, ...one.children.flatMap(flat)];

const inOrder = <T extends { at: number }>(all: T[]): T[] => all.sort((a, b) => a.at - b.at);

/** An answer of somebody: a decision of a review, or one in the journal. */
interface Answer {
  updateId: string;
  at: number;
  received: JsonObject;
}

const ANSWERS = ["decide", "recordDecision"];

function answersIn(history: readonly HistoryFact[]): Answer[] {
  const refused = new Set(
    history.flatMap((fact) => (fact.kind === "update_completed" && fact.failure ? [fact.accepted] : [])),
  );
  return history.flatMap((fact) =>
    fact.kind === "update_accepted" && !refused.has(fact.id) && ANSWERS.includes(fact.name) && fact.input
      ? [{ updateId: fact.update_id, at: fact.at, received: fact.input }]
      : [],
  );
}

/**
 * Gives the first message of the client: a message of a conversation, or the input of the agent. Hidden values are hidden here as well.
 */
function firstParts({ agent, context, collect_messages }: JsonObject): Message["parts"] {
  if (collect_messages === true && isObject(agent) && typeof agent.prompt === "string") return [textPart(agent.prompt)];
  return [dataPart(isObject(context) ? withoutHidden(context) : {})];
}

function messagesOf(
  ref: TaskRef,
  first: Message["parts"],
  questions: readonly AskedByTask[],
  answers: readonly Answer[],
) {
  const place = { taskId: ref.id, contextId: ref.contextId };
  // An answer and the next question may be of one moment.
  const later = inOrder([
    ...answers.map(({ at, updateId, received }) => ({
      at,
      message: messageOf("user", { ...place, id: readUpdateId(updateId)[0].replace(/^a2a:[0-9a-f]{12}:/, "") }, [
        textPart(wordsOf(received)),
      ]),
    })),
    ...questions.map((asked) => ({
      at: asked.since,
      message: messageOf("agent", { ...place, id: asked.id }, partsOfAsked(asked)),
    })),
  ]);
  return [
    messageOf("user", { ...place, id: ref.messageId ?? `${ref.id}~first` }, first),
    ...later.map(({ message }) => message),
  ];
}

/** Gives the words of a person's answer. */
function wordsOf({ choice, value, note, id }: JsonObject): string {
  const received =
    typeof value === "string" ? value : value === undefined || value === null ? choice : JSON.stringify(value);
  return [id, received, note].filter((part) => typeof part === "string" && part !== "").join(": ");
}

/** What a mission has returned, as an artifact. */
export function artifactsOf({ view: { end } }: Pick<TaskReading, "view">): Artifact[] {
  if (end?.state !== "completed" || end.value === null) return [];
  return [answerArtifact([valuePart(end.value)])];
}

/** Builds the one artifact of a task: the result of its mission, or its text so far. */
export const answerArtifact = (parts: Artifact["parts"]): Artifact => ({
  artifactId: "answer",
  name: "answer",
  description: "",
  parts,
  metadata: undefined,
  extensions: [],
});

/** @param historyLength at most so many of the last messages; undefined: all */
export function taskOf(ref: TaskRef, read: TaskReading, historyLength: number | undefined): Task {
  const { messages, skill, view } = read;
  return {
    id: ref.id,
    contextId: ref.contextId,
    status: view.status,
    artifacts: artifactsOf(read),
    history: historyLength === undefined ? messages : historyLength === 0 ? [] : messages.slice(-historyLength),
    metadata: { skill },
  };
}
