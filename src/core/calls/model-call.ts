import type { Message, ModelRequest } from "./host";

/** One model call, as the activity gets it. */
export interface CallModelInput extends Omit<ModelRequest, "system" | "messages" | "deadline_ms" | "retry"> {
  /** The activity ends its attempts early: another model is waiting. */
  retry?: "brief";
  /** Name of the agent, for scripts and logs. */
  agent: string | null;
  /** 1-based number of this model call in the whole run (re-invocations included). */
  call: number;
  /** The same, counted over the run and the agents it runs as tools. */
  tree_call?: number;
  conversation: ConversationDelta;
}

/** All that a model is sent: the system prompt and the messages. */
export interface Conversation {
  system: string;
  messages: Message[];
}

/**
 * The new part of the conversation since the last model call (engine reference, section 13). History grows only by new
 * text; a worker without version `base` asks the workflow's `conversation` query for the whole.
 */
export interface ConversationDelta {
  /** Identifies the conversation across workers: `<workflow id>/<run id>`. */
  key: string;
  /** Version this delta builds on; 0 = the empty conversation. */
  base: number;
  version: number;
  /** Keep the first `keep` characters of the previous system prompt, then append `add`. */
  system: { keep: number; add: string };
  /** Keep the first `keep` messages, then append `add`. */
  messages: { keep: number; add: Message[] };
}
