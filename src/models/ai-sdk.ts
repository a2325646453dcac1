import { defined } from "../core/base/defined";
import type { JsonObject } from "../core/base/json";
import type { ModelReply, NativeTool } from "../core/calls/host";
import { toModelError } from "./ai-sdk-errors";
import type { ProviderCall, ProviderModel } from "./ai-sdk-model";
import { promptOf } from "./ai-sdk-prompt";
import { replyOf } from "./ai-sdk-reply";
import { mayRefuseSchema, plainParameters, usableSchema } from "./ai-sdk-schema";
import { settingsOf } from "./ai-sdk-settings";
import { isUnreadable, mayRefuseStreaming, readStream } from "./ai-sdk-stream";
import { type CallOptions, type Model, type ModelCall, ModelError } from "./model";
import { withTimeLimit } from "./time-limit";

/** The number of refused schemas that a model remembers. */
const MAX_REFUSED = 100;

/**
 * A model behind one of the AI SDK's provider packages. One call is one HTTP request: Temporal does the retries. It
 * calls the package directly: `generateText` above it checks, repairs and runs tool calls, which is the agent's task
 * here, and treats two calls with one id as the same.
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
    let heard = false;
    try {
      const stream = await model.doStream({ ...this.requestOf(call, schema, signal), includeRawChunks: true });
      const answer = await readStream(stream, (piece) => {
        heard = true;
        onText(piece);
      });
      return replyOf(this.options.name, call, answer);
    } catch (error) {
      // The servers that stream calls of tools in a form of their own are many.
      const isUnread = hasTools && isUnreadable(error);
      if (isUnread) this.unstreamed.tools = true;
      if (heard || !(isUnread || mayRefuseStreaming(error))) throw error;
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
