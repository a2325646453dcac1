import { defined } from "../core/base/defined";
import type { JsonObject } from "../core/base/json";
import type { ModelReply, NativeTool } from "../core/calls/host";
import { toModelError } from "./ai-sdk-errors";
import type { ProviderCall, ProviderModel } from "./ai-sdk-model";
import { promptOf } from "./ai-sdk-prompt";
import { replyOf } from "./ai-sdk-reply";
import { mayRefuseSchema, plainParameters, schemaOptions, usableSchema } from "./ai-sdk-schema";
import { mayRefuseStreaming, readStream } from "./ai-sdk-stream";
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
  private streams = true;

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
      // Only prose is streamed: half of a structure is useless.
      if (onText === undefined || call.schema !== undefined || call.tools !== undefined || !this.streams)
        return await this.ask(call, limited.signal);
      return await this.askAloud(call, limited.signal, onText);
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
  private async ask(call: ModelCall, signal: AbortSignal): Promise<ModelReply> {
    const schema = usableSchema(call.schema);
    const text = JSON.stringify(schema);
    if (schema === undefined || this.refused.has(text)) return this.generate(call, undefined, signal);
    try {
      return await this.generate(call, schema, signal);
    } catch (error) {
      if (!mayRefuseSchema(error)) throw error;
      const reply = await this.generate(call, undefined, signal);
      if (this.refused.size < MAX_REFUSED) this.refused.add(text);
      return reply;
    }
  }

  /** Streams; once more without streaming if the provider refuses the request, or does not support it. */
  private async askAloud(call: ModelCall, signal: AbortSignal, onText: (piece: string) => void): Promise<ModelReply> {
    const model = await this.options.load();
    let heard = false;
    try {
      const stream = await model.doStream({ ...this.requestOf(call, undefined, signal), includeRawChunks: true });
      const answer = await readStream(stream, (piece) => {
        heard = true;
        onText(piece);
      });
      return replyOf(this.options.name, call, answer);
    } catch (error) {
      if (heard || !mayRefuseStreaming(error)) throw error;
      const reply = await this.generate(call, undefined, signal);
      this.streams = false;
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
      ...(schema === undefined
        ? {}
        : { responseFormat: { type: "json", name: "answer", schema }, providerOptions: schemaOptions(schema) }),
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
