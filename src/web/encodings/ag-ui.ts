import { z } from "zod";
import { isoTime } from "../../core/base/iso-time";
import type { Json, JsonObject } from "../../core/base/json";
import { textOf } from "../../core/history/stream/answer-text";
import type { ConversationItem, MissionConversation } from "../../core/history/stream/conversation";
import type { ShortReview } from "../../core/review/inbox/short-review";
import { answerSchemaOf, callOf, PARKED, reviewData, sealedReviewId } from "./interrupt";

/**
 * AG-UI 1.0 (https://docs.ag-ui.com): a conversation as its events. A reader that was cut off sends the same run once more, with the
 * messages that it has; it receives the missing events, and its text is the same as that of a reader that was never cut off.
 */

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
const Call = z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) });

/** A message of a front. */
export const AgUiMessage = z.looseObject({
  id: z.string().max(1_000),
  role: z.enum(["developer", "system", "assistant", "user", "tool", "activity", "reasoning"]),
  content: z.union([z.string(), z.array(Part), z.looseObject({})]).optional(),
  toolCalls: z.array(Call).optional(),
  toolCallId: z.string().optional(),
});
export type AgUiMessage = z.infer<typeof AgUiMessage>;

/** What a front sends to start a run, to follow it again, or to answer what a run before has asked. */
export const RunAgentInput = z.looseObject({
  threadId: z.string().min(1).max(200),
  runId: z.string().min(1).max(150),
  messages: z.array(AgUiMessage).max(2_000),
  forwardedProps: z.looseObject({ context: z.record(z.string(), z.json()).optional() }).optional(),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().min(1).max(1_000),
        status: z.enum(["resolved", "cancelled"]),
        payload: z.unknown().optional(),
      }),
    )
    .max(100)
    .optional(),
});
export type RunAgentInput = z.infer<typeof RunAgentInput>;

/** An event of AG-UI; its fields depend on its type. */
export type AgUiEvent = { type: string } & { [field: string]: unknown };

/** The text of a message of a front. */
export function textOfMessage({ content }: AgUiMessage): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("") : "";
}

/** What is shown of a mission. */
export interface AgUiOptions {
  /** The model writes programs: they are shown as its reasoning, and the answer is what the mission returns. */
  programs: boolean;
  /** The workflow of the mission. */
  workflowId: string;
}

/** One run of a front. Every method gives the events to send. */
export class AgUiEncoding {
  /** As the front has them: what it sent, and what it was sent. */
  private messages: AgUiMessage[];
  private readonly had: ReadonlyMap<string, AgUiMessage>;
  private readonly hadCalls: ReadonlySet<string>;
  private readonly hadResults: ReadonlySet<string>;
  /** Messages that are being received: their text so far, and whether the front knows that they began. */
  private readonly open = new Map<string, { received: string; begun: boolean }>();
  private lastMessage: string | undefined;

  constructor(
    private readonly input: RunAgentInput,
    private readonly options: AgUiOptions,
  ) {
    this.messages = [...input.messages];
    this.had = new Map(input.messages.map((one) => [one.id, one]));
    this.hadCalls = new Set(input.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
    this.hadResults = new Set(
      input.messages.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId])),
    );
  }

  begin(): AgUiEvent[] {
    const { threadId, runId } = this.input;
    return [
      { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" },
      custom("navigator.mission", { workflow_id: this.options.workflowId }),
    ];
  }

  take(item: ConversationItem): AgUiEvent[] {
    switch (item.type) {
      case "turn":
        this.lastMessage = undefined;
        return [];
      case "message":
        this.open.set(item.id, { received: "", begun: false });
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
        return this.result(item.id, item.answer.ok ? textOf(item.answer.value) : item.answer.message, !item.answer.ok);
      case "asked":
        return this.asked(item.review, item.workflow_id);
      case "answered":
        return [custom("navigator.review_closed", { review: item.review })];
      case "refused":
        return this.result(item.review, "The call was not made: no person approved it.", true);
      case "parked":
        return item.parked === null
          ? [custom("navigator.woken", { workflow_id: item.workflow_id })]
          : [custom("navigator.parked", { workflow_id: item.workflow_id, waiting: item.parked.waiting })];
      case "over":
        return this.over(item.end);
    }
  }

  /** The run ends for its front, and the mission waits: for answers to these reviews. */
  interrupted({ openReviews, parked }: MissionConversation, settled: ReadonlySet<string>): AgUiEvent[] {
    const interrupts = [...openReviews.map(interruptOf), ...parked.map(parkedInterrupt)];
    const open = interrupts.filter(({ id, metadata }) => !settled.has(metadata.review ?? id));
    return [...this.endAll(), this.finished({ outcome: { type: "interrupt", interrupts: open } })];
  }

  /** The front has given the questions up. They stay open for others. */
  givenUp(): AgUiEvent[] {
    return [...this.endAll(), this.finished({ outcome: { type: "cancelled" } })];
  }

  failed(code: string, message: string): AgUiEvent[] {
    return [{ type: "RUN_ERROR", message, code }];
  }

  private text(id: string, text: string): AgUiEvent[] {
    const one = this.open.get(id);
    if (one === undefined) return [];
    const known = this.known(id);
    one.received += text;
    const events: AgUiEvent[] = [];
    let delta = text;
    if (!one.begun) {
      // The front has it already: from before it was cut off.
      if (known.startsWith(one.received)) return [];
      const continues = one.received.startsWith(known);
      if (!continues) events.push(this.without(id));
      events.push(...this.start(id));
      one.begun = true;
      delta = continues ? one.received.slice(known.length) : one.received;
    }
    events.push(this.content(id, delta));
    return events;
  }

  private known(id: string): string {
    const had = this.had.get(id);
    return had === undefined ? "" : textOfMessage(had);
  }

  private start(id: string): AgUiEvent[] {
    if (!this.messages.some((one) => one.id === id))
      this.messages.push({ id, role: this.options.programs ? "reasoning" : "assistant", content: "" });
    if (!this.options.programs) return [{ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" }];
    return [
      { type: "REASONING_START", messageId: id },
      { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" },
    ];
  }

  private append(id: string, delta: string): void {
    const at = this.messages.findIndex((one) => one.id === id);
    const message = this.messages[at];
    if (message !== undefined) this.messages[at] = { ...message, content: `${textOfMessage(message)}${delta}` };
  }

  private end(id: string): AgUiEvent[] {
    const one = this.open.get(id);
    this.open.delete(id);
    if (one === undefined) return [];
    if (one.received !== "") this.lastMessage = id;
    const known = this.known(id);
    if (!one.begun && (known === "" || known === one.received)) return [];
    // The front has more than the message.
    const again = one.begun ? [] : [this.without(id), ...this.start(id), this.content(id, one.received)];
    return [...again, ...this.ended(id)];
  }

  private content(messageId: string, delta: string): AgUiEvent {
    this.append(messageId, delta);
    return { type: this.options.programs ? "REASONING_MESSAGE_CONTENT" : "TEXT_MESSAGE_CONTENT", messageId, delta };
  }

  private ended(id: string): AgUiEvent[] {
    if (!this.options.programs) return [{ type: "TEXT_MESSAGE_END", messageId: id }];
    return [
      { type: "REASONING_MESSAGE_END", messageId: id },
      { type: "REASONING_END", messageId: id },
    ];
  }

  private endAll(): AgUiEvent[] {
    return [...this.open].flatMap(([id, { begun }]) => {
      this.open.delete(id);
      return begun ? this.ended(id) : [];
    });
  }

  /** Makes the front forget the text of an attempt that does not count. It may show that to its reader. */
  private retried({ id, text, call, attempt }: ConversationItem & { type: "retried" }): AgUiEvent[] {
    const begun = this.open.get(id)?.begun === true;
    this.open.delete(id);
    if (!begun && !this.had.has(id)) return [];
    const ended = begun ? this.ended(id) : [];
    return [...ended, custom("navigator.retried", { messageId: id, text, call, attempt }), this.without(id)];
  }

  private without(id: string): AgUiEvent {
    this.messages = this.messages.filter((one) => one.id !== id);
    return { type: "MESSAGES_SNAPSHOT", messages: [...this.messages] };
  }

  private tool({ id, name, args }: { id: string; name: string; args: JsonObject }): AgUiEvent[] {
    if (this.hadCalls.has(id) || this.messages.some(({ toolCalls = [] }) => toolCalls.some((one) => one.id === id)))
      return [];
    const written = JSON.stringify(args);
    const parent = this.options.programs ? undefined : this.lastMessage;
    const call = { id, type: "function", function: { name, arguments: written } };
    const at = this.messages.findIndex((one) => one.id === parent);
    const message = this.messages[at];
    if (message === undefined) this.messages.push({ id, role: "assistant", toolCalls: [call] });
    else this.messages[at] = { ...message, toolCalls: [...(message.toolCalls ?? []), call] };
    return [
      {
        type: "TOOL_CALL_START",
        toolCallId: id,
        toolCallName: name,
        ...(message === undefined ? {} : { parentMessageId: message.id }),
      },
      { type: "TOOL_CALL_ARGS", toolCallId: id, delta: written },
      { type: "TOOL_CALL_END", toolCallId: id },
    ];
  }

  private result(id: string, content: string, isError: boolean): AgUiEvent[] {
    if (this.hadResults.has(id)) return [];
    const messageId = `${id}/result`;
    this.messages.push({
      id: messageId,
      role: "tool",
      toolCallId: id,
      content,
      ...(isError ? { error: content } : {}),
    });
    return [{ type: "TOOL_CALL_RESULT", messageId, toolCallId: id, role: "tool", content }];
  }

  private asked(review: ShortReview, workflow_id: string): AgUiEvent[] {
    const call = callOf(review);
    return [
      ...(call === undefined ? [] : this.tool({ id: review.id, ...call })),
      custom("navigator.review", reviewData(review, workflow_id)),
    ];
  }

  private over(end: (ConversationItem & { type: "over" })["end"]): AgUiEvent[] {
    const ended = this.endAll();
    if (end.state === "failed") return [...ended, ...this.failed(end.fail.reason, end.fail.message)];
    if (end.state === "cancelled") return [...ended, this.finished({ outcome: { type: "cancelled" } })];
    const { value } = end;
    return [
      ...ended,
      ...(this.options.programs ? this.answer(value) : []),
      this.finished({ outcome: { type: "success" }, ...(value === null ? {} : { result: value }) }),
    ];
  }

  /** Sends the result of a mission whose model writes programs. */
  private answer(value: Json): AgUiEvent[] {
    const id = `${this.options.workflowId}#answer`;
    if (this.had.has(id)) return [];
    return [
      { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: textOf(value) },
      { type: "TEXT_MESSAGE_END", messageId: id },
    ];
  }

  private finished(how: JsonObject): AgUiEvent {
    const { threadId, runId } = this.input;
    return { type: "RUN_FINISHED", threadId, runId, ...how };
  }
}

const custom = (name: string, value: JsonObject): AgUiEvent => ({ type: "CUSTOM", name, value });

/** A question of a run that waits. */
type Interrupt = JsonObject & { id: string; metadata: JsonObject & { review?: string } };

/** A run that waits for a record in its journal; what it waits for, it has returned. */
const parkedInterrupt = ({ workflow_id, parked }: MissionConversation["parked"][number]): Interrupt => ({
  id: `${PARKED}${workflow_id}`,
  reason: "parked",
  message: textOf(parked.waiting),
  responseSchema: {
    type: "object",
    properties: {
      id: { type: "string", description: "Journal id of the decision" },
      value: {},
      note: { type: "string" },
    },
    required: ["id", "value"],
  },
  ...(parked.until === null ? {} : { expiresAt: isoTime(parked.until) }),
  metadata: { workflow_id, waiting: parked.waiting },
});

function interruptOf({ review }: { review: ShortReview }): Interrupt {
  const { kind, title, body, expiresAt } = review;
  return {
    id: sealedReviewId(review),
    reason: kind,
    message: body === "" ? title : `${title}\n\n${body}`,
    ...(callOf(review) === undefined ? {} : { toolCallId: review.id }),
    responseSchema: answerSchemaOf(review),
    ...(expiresAt === undefined ? {} : { expiresAt: isoTime(expiresAt) }),
    metadata: { review: review.id, choices: review.choices, data: review.data },
  };
}
