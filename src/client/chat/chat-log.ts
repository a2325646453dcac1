import { type ChatAnswer, chatAnswer, chatMission } from "../../core/agent/chat/chat-mission";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { agentWorkflowId } from "../../core/base/ids";
import { isObject } from "../../core/base/is-object";
import { isAbsent, NavigatorError } from "../../core/base/navigator-error";
import type { Message } from "../../core/calls/host";
import { startedIn } from "../../core/history/read/history";
import type { NavigatorClient, StartAgent } from "../client";
import { ask } from "../errors";
import type { AgentHandle } from "../handles";
import { exportHistory } from "../history";

/**
 * A chat is a row of missions: the one that answers message 3 of the chat `x` is `agent/chat-x-3`, and has the conversation of
 * the one before in its input. So a chat lives as long as its missions are kept, whichever server is asked.
 */

/** Letters, digits, `-` and `_`. */
const CHAT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/;
/** So many missions are looked up at once. */
const AT_ONCE = 8;

/** A message of a chat, and what became of it. */
export interface ChatMessage {
  /** 1-based. */
  number: number;
  workflow_id: string;
  /** The text of the message; null where the mission does not show it any more. */
  message: string | null;
  state: "running" | "answered" | "failed";
  answer?: string;
  /** Why there is no answer. */
  fail?: { reason: string; message: string };
}

/** The run id of the mission that answers a message. @throws NavigatorError `invalid_id` */
export function chatRunId(chat: string, number: number): string {
  if (CHAT_ID.test(chat)) return `chat-${chat}-${number}`;
  throw new NavigatorError("invalid_id", `"${chat}" is no id of a chat: letters, digits, - and _, at most 80.`);
}

/** One more message of a chat. */
export interface PostChatMessage extends Pick<StartAgent, "model" | "budget" | "llm_registry" | "requested_by"> {
  chat: string;
  agent: AgentDefinition;
  message: string;
  /** The number of the last message that the sender has seen; 0 = this is the first. */
  after: number;
}

/**
 * Starts the mission that answers a message. The same message after the same number again finds the mission that is
 * there.
 *
 * @throws NavigatorError `still_running` while the message before has no answer; `id_in_use` if the chat has another
 *   message there; `not_found` for a chat that has no such message
 */
export async function postChatMessage(
  client: NavigatorClient,
  { chat, agent, message, after, ...options }: PostChatMessage,
): Promise<{ number: number; run: AgentHandle }> {
  const number = after + 1;
  const id = chatRunId(chat, number);
  const messages = await conversation(client, chat, after);
  const run = await client.startAgent({ ...options, id, ...chatMission(agent, message, messages) });
  return { number, run };
}

/** The conversation up to a message. What was not answered is left out. */
async function conversation(client: NavigatorClient, chat: string, number: number): Promise<Message[]> {
  if (number === 0) return [];
  const run = client.agent(chatRunId(chat, number));
  const { status } = await ask(() => run.workflow.describe());
  if (status.name === "RUNNING")
    throw new NavigatorError("still_running", `Message ${number} of the chat is not answered yet.`, {
      details: { workflow_id: run.workflow.workflowId },
      hint: "Wait for the answer, or cancel the mission that answers.",
    });
  const ended = await answerOf(run);
  return "messages" in ended ? ended.messages : conversation(client, chat, number - 1);
}

const UNTOLD: readonly string[] = ["server_error", "no_worker", "payload_unreadable"];

async function answerOf(run: AgentHandle): Promise<ChatAnswer | { fail: NonNullable<ChatMessage["fail"]> }> {
  try {
    return chatAnswer(await run.result());
  } catch (error) {
    // Only the outcome of the mission is an answer: a failure to read it is not.
    if (!(error instanceof NavigatorError) || UNTOLD.includes(error.code)) throw error;
    return { fail: { reason: error.code, message: error.message } };
  }
}

/** The messages of a chat from a number on, in order. No worker is asked. */
export async function readChat(client: NavigatorClient, chat: string, from = 1): Promise<ChatMessage[]> {
  const all: ChatMessage[] = [];
  for (let next = from; ; next += AT_ONCE) {
    const numbers = Array.from({ length: AT_ONCE }, (_, i) => next + i);
    const found = await Promise.all(numbers.map((number) => readMessage(client, chat, number)));
    const missing = found.indexOf(null);
    all.push(...(found.slice(0, missing === -1 ? undefined : missing) as ChatMessage[]));
    if (missing !== -1) return all;
  }
}

/** null: the chat has no message with this number. */
async function readMessage(client: NavigatorClient, chat: string, number: number): Promise<ChatMessage | null> {
  const id = chatRunId(chat, number);
  const run = client.agent(id);
  try {
    const { status } = await ask(() => run.workflow.describe());
    const about = { number, workflow_id: agentWorkflowId(id, client.project), message: await messageOf(run) };
    if (status.name === "RUNNING") return { ...about, state: "running" };
    const ended = await answerOf(run);
    return "text" in ended
      ? { ...about, state: "answered", answer: ended.text }
      : { ...about, state: "failed", fail: ended.fail };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** The message that a mission answers stands in its input. */
async function messageOf(run: AgentHandle): Promise<string | null> {
  const agent = startedIn(await exportHistory(run.workflow))?.input?.agent;
  return isObject(agent) && typeof agent.prompt === "string" ? agent.prompt : null;
}
