import type { Payload, PayloadCodec } from "@temporalio/common";
import { temporal } from "@temporalio/proto";
import type { JsonObject } from "../../core/base/json";

const { Payload: Message } = temporal.api.common.v1;

/** Payloads as the codecs write them: the first codec encodes first. */
export async function encodedPayloads(codecs: readonly PayloadCodec[], payloads: Payload[]): Promise<Payload[]> {
  let encoded = payloads;
  for (const codec of codecs) encoded = await codec.encode(encoded);
  return encoded;
}

/** Payloads as they were before the codecs encoded them. */
export async function decodedPayloads(codecs: readonly PayloadCodec[], payloads: Payload[]): Promise<Payload[]> {
  let decoded = payloads;
  for (const codec of codecs.toReversed()) decoded = await codec.decode(decoded);
  return decoded;
}

/** A payload in Temporal's JSON form: bytes are base64. */
export const payloadToJson = (payload: Payload): JsonObject =>
  Message.toObject(Message.create(payload), { bytes: String, longs: String }) as JsonObject;

/** Reads a payload from its JSON form. */
export const payloadFromJson = (json: object): Payload => Message.fromObject(json);
