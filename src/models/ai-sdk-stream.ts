import { defined } from "../core/base/defined";
import { isObject } from "../core/base/is-object";
import { BrokenStream, brokenStream } from "./ai-sdk-broken";
import type { ProviderAnswer, ProviderPart, ProviderStream } from "./ai-sdk-model";

/** The server answered in one piece although it was asked to stream. */
class NotStreamed extends Error {}

/**
 * The same result as `doGenerate`, built from a stream without tools; each piece of text is reported.
 *
 * @throws the provider's error, at the start or in the middle; NotStreamed
 */
export async function readStream(
  { stream, response }: ProviderStream,
  onText: (piece: string) => void,
): Promise<ProviderAnswer> {
  const headers = response?.headers;
  let text = "";
  let modelId: string | undefined;
  let usage: unknown;
  let finish: Extract<ProviderPart, { type: "finish" }> | undefined;
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const part = next.value;
      if (part.type === "text-delta" && part.delta !== "") {
        text += part.delta;
        onText(part.delta);
      } else if (part.type === "response-metadata") modelId = part.modelId ?? modelId;
      else if (part.type === "finish") finish = part;
      else if (part.type === "raw") usage = usageIn(part.rawValue) ?? usage;
      else if (part.type === "error")
        throw text === "" && isWhole(headers) ? new NotStreamed() : brokenStream(part.error);
    }
  } finally {
    // A caller that stops in the middle closes the connection; if it has ended already, nothing happens.
    reader.cancel().catch(() => {});
  }
  // Not all providers' packages notice: without a finish reason, the connection was closed in the middle.
  if (finish?.finishReason.raw === undefined)
    throw new BrokenStream("the stream ended before the answer did", undefined, "malformed_response");
  return {
    content: text === "" ? [] : [{ type: "text", text }],
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

const usageIn = (raw: unknown): unknown => (isObject(raw) && isObject(raw.usage) ? raw.usage : undefined);

/** A refusal that streaming may have caused. */
export function mayRefuseStreaming(error: unknown): boolean {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return error instanceof NotStreamed || (typeof statusCode === "number" && [400, 422, 501].includes(statusCode));
}

function isWhole(headers: { [name: string]: string } | undefined): boolean {
  return headers?.["content-type"]?.includes("application/json") ?? false;
}
