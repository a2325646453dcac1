import type { LanguageModel, ModelMessage } from "ai";
import type { Message, ModelReply, Tokens } from "../core/host";
import { toModelError } from "./ai-sdk-errors";
import { type Model, type ModelCall, ModelError } from "./model";

/** A model behind one of the AI SDK's provider packages. One call is one HTTP request: retries are Temporal's. */
export class AiSdkModel implements Model {
  constructor(
    private readonly options: {
      /** As the user wrote it, for messages. */
      name: string;
      /** Loads the provider's package on first use. */
      load: () => Promise<LanguageModel>;
      /** Where requests go, when that is not the provider's own address. */
      address: string | undefined;
      secrets: readonly string[];
      timeout_ms: number;
    },
  ) {}

  async complete(call: ModelCall, { signal }: { signal: AbortSignal }): Promise<ModelReply> {
    const { name, address, secrets, timeout_ms } = this.options;
    const limited = withTimeLimit(signal, timeout_ms);
    try {
      const { generateText } = await loadAiSdk();
      const { text, usage, response, finishReason } = await generateText({
        model: await this.options.load(),
        system: call.system,
        messages: call.messages.map(toModelMessage),
        maxRetries: 0,
        abortSignal: limited.signal,
      });
      // An empty answer of a model that simply stopped is the agent's to judge.
      if (text === "" && finishReason !== "stop" && finishReason !== "length")
        throw new ModelError("malformed_response", `${name}: the answer has no text (finish reason: ${finishReason})`);
      const tokens = tokensOf(usage);
      return { content: text, model: response.modelId, ...(tokens === undefined ? {} : { tokens }) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toModelError(error, { model: name, address, secrets, timeout_ms, now: Date.now() });
    } finally {
      limited.release();
    }
  }
}

/**
 * The signal, also aborted when the time is up. Made by hand: in Node 20 the garbage collector may take what
 * `AbortSignal.any` and `AbortSignal.timeout` give before it fires, and the call would hang.
 */
function withTimeLimit(signal: AbortSignal, ms: number): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException("The time is up.", "TimeoutError")), ms);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}

async function loadAiSdk(): Promise<typeof import("ai")> {
  // Its warnings go to the console otherwise; stdout may be a protocol.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  return import("ai");
}

/** Programs call tools themselves, so a `tool` message is plain text that the provider has no call to match with. */
function toModelMessage({ role, content }: Message): ModelMessage {
  return { role: role === "assistant" ? "assistant" : "user", content };
}

interface Usage {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined };
}

function tokensOf(usage: Usage): Tokens | undefined {
  const counts: [keyof Tokens, number | undefined][] = [
    ["input", usage.inputTokens],
    ["output", usage.outputTokens],
    ["cache_read", usage.inputTokenDetails?.cacheReadTokens],
    ["cache_creation", usage.inputTokenDetails?.cacheWriteTokens],
  ];
  const known = counts.filter(([, count]) => typeof count === "number" && Number.isFinite(count));
  return known.length === 0 ? undefined : (Object.fromEntries(known) as Tokens);
}

/** A provider's answer to a name without a model behind the slash. */
export function missingModelName(provider: string): ModelError {
  return new ModelError(
    "llm_not_found",
    `"${provider}/" names no model. Write ${provider}/MODEL, with a model of that provider.`,
  );
}
