import { asNavigatorError } from "../../base/navigator-error";
import type { Message } from "../../calls/host";
import type { AgentDefinition } from "../definition/definition";
import type { RunOptions } from "../definition/run-options";
import type { Step } from "../result/step";

/** The answer to one message of a chat. */
export interface ChatAnswer {
  text: string;
  /** The conversation with the answer. Pass it to the next call of `chat`. */
  messages: Message[];
  step: Step;
}

/** The special fields of a mission that answers one message of a chat. */
interface ChatMission {
  agent: AgentDefinition;
  initial_messages: NonNullable<RunOptions["initial_messages"]>;
  collect_messages: true;
}

/**
 * The mission that answers one more message of a conversation with an agent, in text mode (agent reference, section 15).
 *
 * @param messages of the conversation so far
 */
export function chatMission(
  { signature: _, ...agent }: AgentDefinition,
  message: string,
  messages: readonly Message[],
): ChatMission {
  return {
    agent: { ...agent, prompt: message, output: "text", template: "literal", compression: null },
    initial_messages: [...messages] as ChatMission["initial_messages"],
    collect_messages: true,
  };
}

/** Returns the answer of such a mission. @throws NavigatorError with the reason of its failure */
export function chatAnswer(step: Step): ChatAnswer {
  if (step.fail) throw asNavigatorError(step.fail);
  const messages = (step.messages ?? []).filter((one): one is Message => one.role !== "system");
  return { text: String(step.return), messages, step };
}
