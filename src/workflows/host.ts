import { isCancellation, sleep, uuid4 } from "@temporalio/workflow";
import { conversationDelta, EMPTY_CONVERSATION } from "../core/agent/conversation";
import { jsonBytes } from "../core/bytes";
import type { Conversation } from "../core/effects";
import { failed, type Result } from "../core/failure";
import type { AgentHost, ModelReply, ModelRequest, ToolCall } from "../core/host";
import type { Json } from "../core/json";
import { MAX_PAYLOAD_BYTES } from "../core/limits";
import type { ToolSpec } from "../core/tool";
import { modelCalls, toolCalls } from "./activity-calls";
import { modelFailure, toolFailure } from "./failures";
import type { IdempotencyKeys } from "./idempotency";

export interface WorkflowHostOptions {
  agent: string | null;
  tools: ReadonlyMap<string, ToolSpec>;
  keys: IdempotencyKeys;
  /** Identifies the conversation across workers. */
  conversationKey: string;
  /** Model calls made by earlier runs of this workflow (continue-as-new). */
  callsMade: number;
}

/** AgentHost made of activities and workflow time. */
export class WorkflowHost implements AgentHost {
  private sent: Conversation = EMPTY_CONVERSATION;
  private version = 0;
  private calls: number;
  /** 1-based; a parked mission that is woken starts its next invocation. */
  invocation = 1;

  constructor(private readonly options: WorkflowHostOptions) {
    this.calls = options.callsMade;
  }

  /** What a worker that lost its cache asks for: the conversation as the model call in flight must see it. */
  conversation(): { version: number; conversation: Conversation } {
    return { version: this.version, conversation: this.sent };
  }

  get callsMade(): number {
    return this.calls;
  }

  async callModel(request: ModelRequest): Promise<Result<ModelReply>> {
    const { system, messages, ...rest } = request;
    const next = { system, messages };
    const conversation = conversationDelta(this.options.conversationKey, this.version, this.sent, next);
    const bytes = jsonBytes(conversation as unknown as Json);
    if (bytes > MAX_PAYLOAD_BYTES)
      return failed("llm_error", `The prompt grew by ${bytes} bytes in one turn; the limit is ${MAX_PAYLOAD_BYTES}.`, {
        bytes,
      });
    this.sent = next;
    this.version = conversation.version;
    this.calls += 1;
    try {
      const input = { ...rest, agent: this.options.agent, call: this.calls, conversation };
      return { ok: true, value: await modelCalls(`turn ${request.turn}: model`).callModel(input) };
    } catch (error) {
      if (isCancellation(error)) throw error;
      return modelFailure(error);
    }
  }

  async callTool(call: ToolCall): Promise<Result<Json>> {
    const tool = this.options.tools.get(call.name);
    if (!tool)
      return failed(
        "tool_not_found",
        `Unknown tool: ${call.name}. Available tools: ${[...this.options.tools.keys()].join(", ")}`,
      );
    const bytes = jsonBytes(call.args);
    if (bytes > MAX_PAYLOAD_BYTES)
      return failed(
        "tool_error",
        `the arguments are ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}. Pass a reference instead.`,
        {
          code: "payload_too_large",
          bytes,
        },
      );
    const place = call.task === undefined ? `turn ${call.turn}` : `task ${call.task}`;
    try {
      return await toolCalls(tool, `${place}: ${call.name}`).callTool({
        name: call.name,
        args: call.args,
        idempotency_key: this.options.keys.of(call, this.invocation),
        agent: this.options.agent,
        task: call.task ?? null,
        turn: call.turn,
      });
    } catch (error) {
      if (isCancellation(error)) throw error;
      return toolFailure(call.name, error);
    }
  }

  now(): number {
    return Date.now();
  }

  random(): number {
    return Math.random();
  }

  uuid(): string {
    return uuid4();
  }

  async sleep(ms: number): Promise<void> {
    await sleep(ms);
  }
}
