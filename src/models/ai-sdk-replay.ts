import { utf8Bytes } from "../core/base/bytes";
import { defined } from "../core/base/defined";
import type { JsonObject } from "../core/base/json";
import type { Message } from "../core/calls/host";
import type { AssistantPart, ProviderAnswer, ProviderOptions } from "./ai-sdk-model";

/**
 * The provider data of a reply with tool calls for later turns: thoughts, and the signatures with which providers
 * recognise their own. Reasoning models require them with the calls, unchanged and in the same place.
 */
interface Replay {
  /** Another model could not read it. */
  model: string;
  parts: ReplayPart[];
}

type ReplayPart = { providerOptions?: ProviderOptions } & (
  | { type: "reasoning" | "text"; text: string }
  | { type: "call"; id: string }
);

/** It is sent with the conversation: longer thoughts are dropped. */
const MAX_BYTES = 64 * 1024;

/** Undefined if the model left only its words. */
export function replayOf(model: string, content: ProviderAnswer["content"]): JsonObject | undefined {
  const parts = content.flatMap((part): ReplayPart[] => {
    if (part.type !== "reasoning" && part.type !== "text" && part.type !== "tool-call") return [];
    const options = defined({ providerOptions: part.providerMetadata });
    if (part.type === "tool-call") return [{ type: "call", id: part.toolCallId, ...options }];
    return [{ type: part.type, text: part.text, ...options }];
  });
  if (!parts.some((part) => part.type === "reasoning" || isSigned(part))) return undefined;
  const replay: Replay = { model, parts };
  const text = JSON.stringify(replay);
  return utf8Bytes(text) > MAX_BYTES ? undefined : (JSON.parse(text) as JsonObject);
}

const isSigned = ({ providerOptions }: ReplayPart): boolean => /signature/i.test(JSON.stringify(providerOptions ?? {}));

/** The reply as this model gave it; null if another model gave it, or if its calls have been changed. */
export function replayed({ replay, tool_calls = [] }: Message, model: string): AssistantPart[] | null {
  const { model: from, parts = [] } = (replay ?? {}) as Partial<Replay>;
  const ids = parts.flatMap((part) => (part.type === "call" ? [part.id] : []));
  if (from !== model || ids.join() !== tool_calls.map(({ id }) => id).join()) return null;
  return parts.map((part) => {
    if (part.type !== "call") return part;
    const call = tool_calls.find(({ id }) => id === part.id) as (typeof tool_calls)[number];
    return { ...callPart(call), ...(part.providerOptions ? { providerOptions: part.providerOptions } : {}) };
  });
}

/** Builds the part of a prompt that repeats a call of a tool. */
export const callPart = ({ id, name, args }: NonNullable<Message["tool_calls"]>[number]) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName: providerToolName(name),
  input: args,
});

/** A name that a model made up may contain anything, and a provider may refuse it when it is sent again. */
export const providerToolName = (name: string | undefined): string =>
  (name ?? "").replace(/[^\w-]/g, "_").slice(0, 64) || "_";
