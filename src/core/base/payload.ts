import { isObject } from "./is-object";
import type { Json } from "./json";

/** The JSON value of a payload; undefined where it is absent, encrypted or not JSON. */
export function decodePayload(payload: unknown): Json | undefined {
  if (!isObject(payload) || !isObject(payload.metadata)) return undefined;
  const encoding = decodeBase64(payload.metadata.encoding);
  if (encoding === "binary/null") return null;
  if (!encoding?.startsWith("json/")) return undefined;
  try {
    return JSON.parse(decodeBase64(payload.data) ?? "") as Json;
  } catch {
    return undefined;
  }
}

/** One value of the payloads of an input or a result: the first, unless another place (0-based) is asked for. */
export function decodePayloads(payloads: unknown, place = 0): Json | undefined {
  const list = isObject(payloads) ? payloads.payloads : undefined;
  return Array.isArray(list) ? decodePayload(list[place]) : undefined;
}

function decodeBase64(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const binary = atob(text);
    // A loop: readers decode megabytes, and `Uint8Array.from` with a function takes twenty times as long.
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
