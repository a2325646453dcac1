import { defined } from "../core/base/defined";
import { isObject } from "../core/base/is-object";
import { BrokenStream, brokenStream } from "./ai-sdk-broken";
import type { ProviderAnswer, ProviderPart, ProviderStream } from "./ai-sdk-model";

/** The server answered in one piece although it was asked to stream. */
class NotStreamed extends Error {}

type Content = ProviderAnswer["content"];
type Block = Extract<Content[number], { type: "text" | "reasoning" }>;

/** The content of an answer, assembled from the parts of its stream, in their order. */
class StreamedContent {
  readonly content: Content = [];
  private readonly open = new Map<string, Block>();
  hasText = false;

  take(part: ProviderPart, onText: (piece: string) => void): void {
    if (part.type === "tool-call") this.content.push(part);
    const [kind, step] = part.type.split("-");
    if ((kind !== "text" && kind !== "reasoning") || !("id" in part) || typeof part.id !== "string") return;
    const key = `${kind} ${part.id}`;
    const block: Block = this.open.get(key) ?? { type: kind, text: "" };
    if (!this.open.has(key)) {
      this.open.set(key, block);
      this.content.push(block);
    }
    // A signature comes with a delta or at the end, and applies to the whole.
    if ("providerMetadata" in part && part.providerMetadata !== undefined)
      block.providerMetadata = part.providerMetadata;
    if (step === "end") this.open.delete(key);
    if (!("delta" in part) || part.delta === "") return;
    block.text += part.delta;
    if (kind !== "text") return;
    this.hasText = true;
    onText(part.delta);
  }

  /** Without what stayed empty. */
  whole(): Content {
    return this.content.filter(
      (part) =>
        (part.type !== "text" && part.type !== "reasoning") || part.text !== "" || part.providerMetadata !== undefined,
    );
  }
}

/**
 * The same result as `doGenerate`, built from a stream; each piece of text is reported.
 *
 * @throws the provider's error, at the start or in the middle; NotStreamed
 */
export async function readStream(
  { stream, response }: ProviderStream,
  onText: (piece: string) => void,
): Promise<ProviderAnswer> {
  const headers = response?.headers;
  const content = new StreamedContent();
  let modelId: string | undefined;
  let usage: unknown;
  let finish: Extract<ProviderPart, { type: "finish" }> | undefined;
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const part = next.value;
      if (part.type === "response-metadata") modelId = part.modelId ?? modelId;
      else if (part.type === "finish") finish = part;
      else if (part.type === "raw") usage = usageIn(part.rawValue) ?? usage;
      else if (part.type === "error")
        throw !content.hasText && isWhole(headers) ? new NotStreamed() : brokenStream(part.error);
      else content.take(part, onText);
    }
  } finally {
    // A caller that stops in the middle closes the connection; if it has ended already, nothing happens.
    reader.cancel().catch(() => {});
  }
  // Not all providers' packages notice: without a finish reason, the connection was closed in the middle, or the answer
  // was no stream at all.
  if (finish?.finishReason.raw === undefined)
    throw content.content.length === 0 && isWhole(headers)
      ? new NotStreamed()
      : new BrokenStream("the stream ended before the answer did", undefined, "malformed_response");
  return {
    content: content.whole(),
    finishReason: finish.finishReason,
    usage: finish.usage,
    warnings: [],
    response: {
      ...defined({ modelId, headers }),
      // Gateways report the cost here.
      ...(usage === undefined ? {} : { body: { usage } }),
    },
  };
}

/** What came is no stream as the provider's package knows it; no refusal, and no broken connection. */
export function isUnreadable(error: unknown): boolean {
  const { name, statusCode } = (error ?? {}) as { name?: unknown; statusCode?: unknown };
  return statusCode === undefined && typeof name === "string" && UNREADABLE.includes(name);
}
const UNREADABLE = ["AI_InvalidResponseDataError", "AI_TypeValidationError", "AI_JSONParseError"];

const usageIn = (raw: unknown): unknown => (isObject(raw) && isObject(raw.usage) ? raw.usage : undefined);

/** A refusal that streaming may have caused. */
export function mayRefuseStreaming(error: unknown): boolean {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return error instanceof NotStreamed || (typeof statusCode === "number" && [400, 422, 501].includes(statusCode));
}

function isWhole(headers: { [name: string]: string } | undefined): boolean {
  return headers?.["content-type"]?.includes("application/json") ?? false;
}
