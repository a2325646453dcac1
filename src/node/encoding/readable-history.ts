import type { LoadedDataConverter } from "@temporalio/common";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { decodePayload } from "../../core/base/payload";
import { historyJson } from "../sdk-internals/history-json";
import { changePayloads, fetchStoredPayloads, type History } from "../sdk-internals/history-payloads";
import { decodedPayloads } from "./payloads";

/**
 * A history, or a part of one, as exported JSON that everybody can read: payloads are decoded, also where they are kept
 * outside of the server, and failures have their messages. The history that is given is changed.
 *
 * @throws what the codecs throw where they cannot read: a history is never read in part
 */
export async function readableHistory(
  history: History,
  { payloadCodecs, externalStorage }: LoadedDataConverter,
): Promise<Json> {
  await fetchStoredPayloads(history, externalStorage);
  await changePayloads(history, (payloads) => decodedPayloads(payloadCodecs, payloads));
  const json = historyJson(history);
  restoreFailures(json);
  return json;
}

/** Restores messages and stack traces where a failure without a codec has them. Failures nest as deep as workflows call each other. */
function restoreFailures(json: Json): void {
  const open: Json[] = [json];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next);
    else if (isObject(next)) {
      if (isObject(next.encodedAttributes)) restore(next);
      open.push(...Object.values(next).filter((value) => typeof value === "object" && value !== null));
    }
  }
}

function restore(failure: JsonObject): void {
  const attributes = decodePayload(failure.encodedAttributes);
  if (!isObject(attributes)) return;
  if (typeof attributes.message === "string") failure.message = attributes.message;
  if (typeof attributes.stack_trace === "string") failure.stackTrace = attributes.stack_trace;
  delete failure.encodedAttributes;
}
