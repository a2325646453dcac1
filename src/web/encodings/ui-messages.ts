import { z } from "zod";
import type { Json, JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Message } from "../../core/calls/host";
import { textOf } from "../../core/history/stream/answer-text";
import type { ConversationItem } from "../../core/history/stream/conversation";
import type { ShortReview } from "../../core/review/inbox/short-review";
import { callOf, reviewData, sealedReviewId } from "./interrupt";

/**
 * The UI message stream of the AI SDK (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol), version 1: a conversation as the chunks of one
 * message, which `useChat` assembles.
 */

/** The header by which readers know the stream. */
export const UI_STREAM_HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };

const UiPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  state: z.string().optional(),
  /** Of a part with data. */
  id: z.string().optional(),
  toolCallId: z.string().optional(),
  providerMetadata: z
    .looseObject({ navigator: z.looseObject({ retried: z.boolean().optional() }).optional() })
    .optional(),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
    .optional(),
});
const UiMessage = z.looseObject({
  id: z.string().max(1_000),
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(UiPart).max(10_000),
});
type UiMessage = z.infer<typeof UiMessage>;

/** The body that `useChat` sends with its default transport. `context`: the input of a mission, instead of the text. */
export const ChatRequest = z.looseObject({
  id: z.string().min(1).max(100),
  messages: z.array(UiMessage).min(1).max(2_000),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().optional(),
  context: z.record(z.string(), z.json()).optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** What a request of a chat wants. */
export interface ChatTurn {
  /** The message of the person: its id, and its text. */
  message: { id: string; text: string };
  /** The conversation before it. */
  before: Message[];
  /** What the person answered to calls that had to be approved, in the message that the mission is at. */
  approvals: { id: string; approved: boolean; reason?: string }[];
  /** What the front has of the message that the mission is at. */
  parts: z.infer<typeof UiPart>[];
}

/** @throws NavigatorError `invalid_input` without a message of a person */
export function chatTurn({ messages }: ChatRequest): ChatTurn {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[last];
  if (message === undefined)
    throw new NavigatorError("invalid_input", "The chat has no message of a person.", {
      details: { path: "messages" },
    });
  const parts = messages.slice(last + 1).flatMap((one) => one.parts);
  return {
    parts,
    message: { id: message.id, text: spokenText(message) },
    before: messages.slice(0, last).flatMap(messageOf),
    approvals: parts.flatMap(approvalIn),
  };
}

function messageOf(message: UiMessage): Message[] {
  const content = spokenText(message);
  if (message.role === "system" || content === "") return [];
  return [{ role: message.role, content }];
}

/** Without what did not count. */
const spokenText = ({ parts }: UiMessage): string =>
  parts
    .filter(({ type, providerMetadata }) => type === "text" && providerMetadata?.navigator?.retried !== true)
    .map(({ text = "" }) => text)
    .join("");

function approvalIn({ state, approval }: z.infer<typeof UiPart>): ChatTurn["approvals"] {
  if (state !== "approval-responded" || approval?.approved === undefined) return [];
  const { id, approved, reason } = approval;
  return [{ id, approved, ...(reason === undefined ? {} : { reason }) }];
}

/** A chunk; its fields depend on its type. */
export type UiChunk = { type: string } & { [field: string]: unknown };

/** The answer to one message of a person. Every method gives the chunks to send. */
export class UiMessageEncoding {
  /** Calls that the message has, and those whose outcome it has. */
  private readonly calls: Set<string>;
  private readonly outcomes: Set<string>;
  /** Reviews and retries that the message shows. */
  private readonly shown: Set<string>;
  /** The texts that the message has from before: only the text after them is sent. */
  private readonly had: string[];
  private readonly open = new Map<string, { received: string; had: string; begun: boolean }>();

  /** @param parts the parts of the message that the front has: it sends them when a person has answered in it, and appends to them */
  constructor(
    private readonly options: { programs: boolean; workflowId: string },
    parts: ChatTurn["parts"] = [],
  ) {
    const ids = (list: ChatTurn["parts"]) => new Set(list.flatMap(({ toolCallId }) => toolCallId ?? []));
    this.calls = ids(parts);
    this.outcomes = ids(parts.filter(({ state = "" }) => state.startsWith("output-")));
    this.shown = new Set(
      parts.flatMap(({ type, id }) => (type.startsWith("data-") && id !== undefined ? [`${type} ${id}`] : [])),
    );
    this.had = parts.filter(({ type }) => type === this.kind).map(({ text = "" }) => text);
  }

  /** The id of the message is that of the mission: a reader that comes back replaces what it had of it. */
  begin(): UiChunk[] {
    const { workflowId } = this.options;
    return [{ type: "start", messageId: workflowId, messageMetadata: { workflow_id: workflowId } }];
  }

  take(item: ConversationItem): UiChunk[] {
    switch (item.type) {
      case "turn":
        return [];
      case "message":
        this.open.set(item.id, { received: "", had: this.had.shift() ?? "", begun: false });
        return [];
      case "text":
        return this.text(item.id, item.text);
      case "message_end":
        return this.end(item.id);
      case "retried":
        return this.retried(item);
      case "tool":
        return this.tool(item);
      case "tool_result":
        if (this.outcomes.has(item.id)) return [];
        return [
          item.answer.ok
            ? { type: "tool-output-available", toolCallId: item.id, output: item.answer.value, ...OF_TOOL }
            : { type: "tool-output-error", toolCallId: item.id, errorText: item.answer.message, ...OF_TOOL },
        ];
      case "asked":
        return this.asked(item.review, item.workflow_id);
      case "answered":
        return [{ type: "data-review", id: item.review, data: { review: item.review, closed: true } }];
      case "refused":
        return this.outcomes.has(item.review) ? [] : [{ type: "tool-output-denied", toolCallId: item.review }];
      case "parked":
        return [
          {
            type: "data-parked",
            id: item.workflow_id,
            data: { workflow_id: item.workflow_id, waiting: item.parked?.waiting ?? null, over: item.parked === null },
          },
        ];
      case "over":
        return this.over(item.end);
    }
  }

  /** The message ends for its reader, and the mission waits for people. */
  interrupted(): UiChunk[] {
    return [...this.endAll(), { type: "finish", finishReason: "tool-calls" }];
  }

  failed(code: string, message: string): UiChunk[] {
    return [
      ...this.endAll(),
      { type: "error", errorText: `${code}: ${message}` },
      { type: "finish", finishReason: "error" },
    ];
  }

  private get kind(): "reasoning" | "text" {
    return this.options.programs ? "reasoning" : "text";
  }

  private text(id: string, text: string): UiChunk[] {
    const one = this.open.get(id);
    if (one === undefined) return [];
    one.received += text;
    const type = `${this.kind}-delta`;
    if (one.begun) return [{ type, id, delta: text }];
    if (one.had.startsWith(one.received)) return [];
    one.begun = true;
    const delta = one.received.startsWith(one.had) ? one.received.slice(one.had.length) : one.received;
    return [
      { type: `${this.kind}-start`, id },
      { type, id, delta },
    ];
  }

  private end(id: string, marks: object = {}): UiChunk[] {
    const begun = this.open.get(id)?.begun === true;
    this.open.delete(id);
    return begun ? [{ type: `${this.kind}-end`, id, ...marks }] : [];
  }

  private retried({ id, text, call, attempt }: ConversationItem & { type: "retried" }): UiChunk[] {
    // A part that was shown cannot be taken away: it is marked.
    const ended = this.end(id, { providerMetadata: { navigator: { retried: true } } });
    if (this.shown.has(`data-retried ${id}`)) return ended;
    return [...ended, { type: "data-retried", id, data: { text, call, attempt } }];
  }

  private tool({ id, name, args }: { id: string; name: string; args: JsonObject }): UiChunk[] {
    if (this.calls.has(id)) return [];
    this.calls.add(id);
    return [{ type: "tool-input-available", toolCallId: id, toolName: name, input: args, ...OF_TOOL }];
  }

  private asked(review: ShortReview, workflow_id: string): UiChunk[] {
    if (this.shown.has(`data-review ${review.id}`)) return [];
    const call = callOf(review);
    const data = { type: "data-review", id: review.id, data: reviewData(review, workflow_id) };
    if (call === undefined) return [data];
    return [
      ...this.tool({ id: review.id, ...call }),
      data,
      { type: "tool-approval-request", approvalId: sealedReviewId(review), toolCallId: review.id },
    ];
  }

  private endAll(): UiChunk[] {
    return [...this.open.keys()].flatMap((id) => this.end(id));
  }

  private over(end: (ConversationItem & { type: "over" })["end"]): UiChunk[] {
    if (end.state === "failed") return this.failed(end.fail.reason, end.fail.message);
    if (end.state === "cancelled") return [...this.endAll(), { type: "abort", reason: "cancelled" }];
    return [
      ...this.endAll(),
      ...(this.options.programs ? this.answer(end.value) : []),
      { type: "finish", finishReason: "stop" },
    ];
  }

  /** Sends the result of a mission whose model writes programs. */
  private answer(value: Json): UiChunk[] {
    const id = `${this.options.workflowId}#answer`;
    return [
      { type: "text-start", id },
      { type: "text-delta", id, delta: textOf(value) },
      { type: "text-end", id },
    ];
  }
}

/** The tools are Navigator's: the front has no code for them. */
const OF_TOOL = { dynamic: true, providerExecuted: true };
