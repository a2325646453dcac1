import { defined } from "../core/base/defined";
import { isObject } from "../core/base/is-object";
import type { JsonObject } from "../core/base/json";
import { cutText } from "../core/base/whole-characters";
import type { ModelReply, NativeTool, Tokens } from "../core/calls/host";
import type { CallSettings } from "../core/calls/model-settings";
import {
  allowsOtherProperties,
  objectSchemas,
  requiresAll,
  type Schema,
} from "../core/signature/json-schema/schema-reader";
import { toModelError } from "./ai-sdk-errors";
import type { ProviderAnswer, ProviderCall, ProviderModel, ProviderOptions } from "./ai-sdk-model";
import { promptOf } from "./ai-sdk-prompt";
import { replayOf } from "./ai-sdk-replay";
import { isUnreadable, mayRefuseStreaming, readStream } from "./ai-sdk-stream";
import { type CallOptions, type Model, type ModelCall, ModelError } from "./model";
import { withTimeLimit } from "./time-limit";

/** The number of refused schemas that a model remembers. */
const MAX_REFUSED = 100;

/**
 * A model of one of the AI SDK's provider packages. One call is one HTTP request: Temporal does the retries. It calls
 * the package directly: `generateText` above it checks, repairs and runs tool calls, which is the agent's task here,
 * and treats two calls with one id as the same.
 */
export class AiSdkModel implements Model {
  private readonly refused = new Set<string>();
  /** What its server cannot stream: anything, or answers with calls of tools. */
  private readonly unstreamed = { all: false, tools: false };

  constructor(
    private readonly options: {
      /** As the user wrote it, for messages. */
      name: string;
      /** Loads the provider's package on first use. */
      load: () => Promise<ProviderModel>;
      /** The address of requests, if it is not the provider's own. */
      address: string | undefined;
      /** Whether its provider needs cache marks. */
      marksCache: boolean;
      secrets: readonly string[];
      timeout_ms: number;
    },
  ) {}

  async complete(call: ModelCall, { signal, onText }: CallOptions): Promise<ModelReply> {
    const { name, address, secrets, timeout_ms } = this.options;
    const limited = withTimeLimit(signal, timeout_ms);
    try {
      return await this.ask(call, limited.signal, onText);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toModelError(error, { model: name, address, secrets, timeout_ms, now: Date.now() });
    } finally {
      limited.release();
    }
  }

  /**
   * With the schema, if there is one; once more without it if the provider refuses the request: not all servers support
   * schemas, and none supports every schema. The agent can read the answer either way.
   */
  private async ask(call: ModelCall, signal: AbortSignal, onText: CallOptions["onText"]): Promise<ModelReply> {
    const schema = usableSchema(call.schema);
    const text = JSON.stringify(schema);
    if (schema === undefined || this.refused.has(text)) return this.answer(call, undefined, signal, onText);
    try {
      return await this.answer(call, schema, signal, onText);
    } catch (error) {
      if (!mayRefuseSchema(error)) throw error;
      const reply = await this.answer(call, undefined, signal, onText);
      if (this.refused.size < MAX_REFUSED) this.refused.add(text);
      return reply;
    }
  }

  /** Streams if somebody listens; once more without streaming if the provider refuses the request, or does not support it. */
  private async answer(
    call: ModelCall,
    schema: JsonObject | undefined,
    signal: AbortSignal,
    onText: CallOptions["onText"],
  ): Promise<ModelReply> {
    const hasTools = call.tools !== undefined;
    if (onText === undefined || this.unstreamed.all || (hasTools && this.unstreamed.tools))
      return this.generate(call, schema, signal);
    const model = await this.options.load();
    let received = false;
    try {
      const stream = await model.doStream({ ...this.requestOf(call, schema, signal), includeRawChunks: true });
      const answer = await readStream(stream, (piece) => {
        received = true;
        onText(piece);
      });
      return replyOf(this.options.name, call, answer);
    } catch (error) {
      // Many servers stream calls of tools in a separate form.
      const isUnread = hasTools && isUnreadable(error);
      if (isUnread) this.unstreamed.tools = true;
      if (received || !(isUnread || mayRefuseStreaming(error))) throw error;
      const reply = await this.generate(call, schema, signal);
      if (!isUnread) this.unstreamed[hasTools ? "tools" : "all"] = true;
      return reply;
    }
  }

  private async generate(call: ModelCall, schema: JsonObject | undefined, signal: AbortSignal): Promise<ModelReply> {
    const model = await this.options.load();
    return replyOf(this.options.name, call, await model.doGenerate(this.requestOf(call, schema, signal)));
  }

  private requestOf(call: ModelCall, schema: JsonObject | undefined, abortSignal: AbortSignal): ProviderCall {
    const { name, marksCache } = this.options;
    return {
      prompt: promptOf(call, name, marksCache),
      ...(call.tools === undefined ? {} : { tools: call.tools.map(functionTool), toolChoice: { type: "auto" } }),
      ...defined({ maxOutputTokens: call.max_output_tokens }),
      ...settingsOf(call.settings, schema),
      ...(schema === undefined ? {} : { responseFormat: { type: "json", name: "answer", schema } }),
      abortSignal,
    };
  }
}

const functionTool = ({ name, description, parameters }: NativeTool) => ({
  type: "function" as const,
  name,
  description,
  inputSchema: plainParameters(parameters),
});

/** The error for a name without a model after the slash. */
export function missingModelName(provider: string): ModelError {
  return new ModelError(
    "llm_not_found",
    `"${provider}/" names no model. Write ${provider}/MODEL, with a model of that provider.`,
  );
}

/** The settings of a call in the AI SDK's words. Of two options of one provider, the agent's own wins over the schema's. */
function settingsOf(settings: CallSettings = {}, schema: JsonObject | undefined): Partial<ProviderCall> {
  const ofSchema = schema === undefined ? {} : schemaOptions(schema);
  const providerOptions: ProviderOptions = { ...ofSchema };
  for (const [provider, own] of Object.entries(settings.provider_options ?? {}))
    providerOptions[provider] = { ...ofSchema[provider], ...(own as ProviderOptions[string]) };
  return {
    ...defined({
      temperature: settings.temperature,
      topP: settings.top_p,
      topK: settings.top_k,
      stopSequences: settings.stop_sequences,
      seed: settings.seed,
      presencePenalty: settings.presence_penalty,
      frequencyPenalty: settings.frequency_penalty,
      headers: settings.headers,
    }),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
  };
}

/** @param name the model's, as the user wrote it */
function replyOf(name: string, call: ModelCall, answer: ProviderAnswer): ModelReply {
  const content = answer.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  // Calls of tools that were never offered do not count as calls.
  const tool_calls = call.tools === undefined ? [] : toolCallsOf(call, answer);
  if (content === "" && tool_calls.length === 0) refuseEmpty(name, answer.finishReason.unified);
  const tokens = tokensOf(answer);
  const replay = tool_calls.length === 0 ? undefined : replayOf(name, answer.content);
  return {
    content,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
    ...defined({ replay }),
    ...modelOf(name, answer),
    ...defined({ tokens }),
  };
}

/** The model that answered, else the one that was asked. */
const modelOf = (name: string, { response }: ProviderAnswer) => ({
  model: response?.modelId ?? name.slice(name.indexOf("/") + 1),
});

/** An empty answer of a model that simply stopped, or whose reasoning used up its tokens, is left to the agent. */
function refuseEmpty(name: string, reason: string): void {
  if (reason === "stop" || reason === "length") return;
  if (reason === "content-filter")
    throw new ModelError("client_error", `${name}: the provider's content filter kept the answer back`);
  throw new ModelError("malformed_response", `${name}: the answer has no text (finish reason: ${reason})`);
}

function toolCallsOf(call: ModelCall, answer: ProviderAnswer): NonNullable<ModelReply["tool_calls"]> {
  const cut = answer.finishReason.unified === "length" ? "; the answer was cut off at its limit of tokens" : "";
  const used = new Set(call.messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
  return answer.content.flatMap((part) => {
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId, toolName: name, input } = part;
    // Some servers give calls repeated ids, or none: the run numbers them.
    const id = toolCallId === "" || used.has(toolCallId) ? {} : { id: toolCallId };
    used.add(toolCallId);
    const args = argsOf(input);
    return typeof args === "string" ? { ...id, name, args: {}, args_error: `${args}${cut}` } : { ...id, name, args };
  });
}

/** The arguments, or why they are invalid. */
function argsOf(input: string): JsonObject | string {
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    if (value === null) return {};
    return isObject(value) ? value : `the arguments must be a JSON object, not ${cutText(input, 80)}`;
  } catch (error) {
    return `the arguments are no valid JSON (${(error as Error).message})`;
  }
}

function tokensOf({ usage, response }: ProviderAnswer): Tokens | undefined {
  const { inputTokens: input, outputTokens: output } = usage;
  const counts: [keyof Tokens, number | undefined][] = [
    ["input", input.total],
    ["output", output.total],
    ["cache_read", input.cacheRead],
    ["cache_creation", input.cacheWrite],
    ["total_cost", reportedCost(response)],
  ];
  const known = counts.filter(([, count]) => typeof count === "number" && Number.isFinite(count) && count >= 0);
  return known.length === 0 ? undefined : (Object.fromEntries(known) as Tokens);
}

/**
 * Gateways report the cost of a call: in `usage.cost` (a number, or parts with their total), or in LiteLLM's header.
 */
function reportedCost(response: ProviderAnswer["response"]): number | undefined {
  const usage = isObject(response?.body) ? response.body.usage : undefined;
  const cost = isObject(usage) ? usage.cost : undefined;
  if (typeof cost === "number") return cost;
  if (isObject(cost) && typeof cost.total_cost === "number") return cost.total_cost;
  const header = response?.headers?.["x-litellm-response-cost"]?.trim();
  return header ? Number(header) : undefined;
}

/**
 * Makes a model follow a JSON Schema, in each provider's own way. All require an object at the root; otherwise the
 * agent reads the answer without the provider's help, as it does if a provider refuses the schema.
 */
function usableSchema(schema: JsonObject | undefined): JsonObject | undefined {
  return schema?.type === "object" && isObject(schema.properties) ? schema : undefined;
}

/** The provider options for a schema. Each provider reads its own key. */
function schemaOptions(schema: JsonObject): ProviderOptions {
  const objects = objectSchemas(schema as Schema);
  const open = objects.some(allowsOtherProperties);
  const strictJsonSchema = !open && objects.every(requiresAll);
  return {
    // Strict means that every field is required and no others are allowed; OpenAI refuses other schemas then.
    openai: { strictJsonSchema },
    "openai-compatible": { strictJsonSchema },
    // Anthropic's own way closes every object, so that a map would always be empty. A tool's arguments may be open.
    anthropic: { structuredOutputMode: open ? "jsonTool" : "auto" },
  };
}

/**
 * Parameters without defaults: Google reads "anything goes" as a schema with an empty list of properties, and refuses
 * it.
 */
function plainParameters({ additionalProperties, ...schema }: JsonObject): JsonObject {
  return additionalProperties === undefined || additionalProperties === true
    ? schema
    : { ...schema, additionalProperties };
}

/** A refusal that the schema may have caused. Other errors have the same status. */
function mayRefuseSchema(error: unknown): boolean {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === "number" && [400, 404, 422, 501].includes(statusCode);
}
