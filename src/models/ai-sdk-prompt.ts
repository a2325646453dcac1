import type { Message } from "../core/calls/host";
import { MISSION_LOG_HEADING } from "../core/journal/mission-log";
import type { ProviderMessage, ToolMessage } from "./ai-sdk-model";
import { callPart, providerToolName, replayed } from "./ai-sdk-replay";
import type { ModelCall } from "./model";

/** Only Anthropic needs cache marks; other providers cache automatically. */
const CACHED = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };

/**
 * Converts a model call to the messages of the AI SDK's providers.
 *
 * @param model its name, which decides what of its earlier replies is sent back
 * @param marksCache whether its provider reads cache marks
 */
export function promptOf(call: ModelCall, model: string, marksCache: boolean): ProviderMessage[] {
  const marks = call.cache === true && marksCache;
  const marked = marks ? markedMessages(call) : new Set<number>();
  const prompt = systemMessages(call.system, marks);
  let results: ToolMessage | null = null;
  for (const [i, message] of call.messages.entries()) {
    const options = marked.has(i) ? CACHED : {};
    if (message.role === "tool" && message.tool_call_id !== undefined) {
      // All answers to one reply's calls are one message.
      if (results === null) {
        results = { role: "tool", content: [] };
        prompt.push(results);
      }
      results.content.push(toolResult(message, message.tool_call_id));
      Object.assign(results, options);
      continue;
    }
    results = null;
    const prompted = spoken(message, model);
    if (prompted === null) continue;
    const before = prompt.at(-1);
    // Some servers want the roles in turns. Marks stand at the ends of messages, and their provider joins messages itself.
    if (!marks && prompted.role === "user" && before?.role === "user") before.content = joinedTexts(before, prompted);
    else prompt.push({ ...prompted, ...options });
  }
  return prompt;
}

/**
 * The end of this conversation, which the next call will find, and the end of the previous one, which this call finds:
 * a provider looks back from a mark, but only over a limited number of parts. A conversation that is sent as one new
 * message on each turn has no reusable end.
 */
function markedMessages({ messages, turn }: ModelCall): Set<number> {
  if (messages.length === 1 && turn > 1) return new Set();
  const before = messages.findLastIndex(({ role }) => role === "assistant") - 1;
  return new Set([before, messages.length - 1].filter((i) => i >= 0));
}

/** Marked for caching up to the Mission Log: the part before it is the same in the next conversation of the mission, too. */
function systemMessages(system: string, marks: boolean): ProviderMessage[] {
  if (system === "") return [];
  if (!marks) return [{ role: "system", content: system }];
  const at = system.lastIndexOf(MISSION_LOG_HEADING);
  const parts = at > 0 ? [system.slice(0, at), system.slice(at)] : [system];
  return parts.map((content, i) => ({ role: "system", content, ...(i === 0 ? CACHED : {}) }));
}

type UserMessage = Extract<ProviderMessage, { role: "user" }>;

const textOf = ({ content }: UserMessage): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

/** One part, because some servers want the content as a text. */
const joinedTexts = (first: UserMessage, second: UserMessage): UserMessage["content"] => [
  { type: "text", text: `${textOf(first)}\n\n${textOf(second)}` },
];

const toolResult = ({ content, tool_name }: Message, toolCallId: string): ToolMessage["content"][number] => ({
  type: "tool-result",
  toolCallId,
  toolName: providerToolName(tool_name),
  output: { type: "text", value: content },
});

/** Providers refuse empty messages, so an empty reply is left out. */
function spoken(message: Message, model: string): ProviderMessage | null {
  const { role, content, tool_calls = [] } = message;
  const text = { type: "text" as const, text: content };
  // Without the call that it answers, a tool's result is sent as an ordinary message.
  if (role !== "assistant") return { role: "user", content: [text] };
  const words = content === "" ? [] : [text];
  const parts = replayed(message, model) ?? [...words, ...tool_calls.map(callPart)];
  return parts.length === 0 ? null : { role: "assistant", content: parts };
}
