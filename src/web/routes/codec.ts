import type { Payload, PayloadCodec } from "@temporalio/common";
import { z } from "zod";
import type { ErrorCode } from "../../core/base/error-codes";
import { NavigatorError } from "../../core/base/navigator-error";
import { decodedPayloads, encodedPayloads, payloadFromJson, payloadToJson } from "../../node/encoding/payloads";
import { refuseUnreadable, unreadableError } from "../../node/encoding/unreadable-payload";
import { CODEC_PATH } from "../requests/codec-requests";
import { type EndpointCall, endpoint } from "./endpoint";

/**
 * The remote codec of the project, as Temporal's command line and Web UI ask for it (docs/encryption.md): payloads go through the
 * codecs of the configuration. Who may ask is checked as for everything below `/api`.
 */

const JsonPayload = z
  .looseObject({
    metadata: z.record(z.string(), z.base64()).nullish(),
    data: z.base64().nullish(),
  })
  .meta({ description: "A payload of Temporal: values in base64" });
const Payloads = z.object({ payloads: z.array(JsonPayload) });

const UNREADABLE = ["encryption_key_missing", "payload_tampered", "payload_unreadable"] as const;

const way = (name: "encode" | "decode", summary: string, errors: readonly ErrorCode[], convert: Convert) =>
  endpoint({
    method: "post",
    path: `${CODEC_PATH}/${name}`,
    needs: ["decode"],
    operation: `${name}Payloads`,
    summary,
    tag: "Codec",
    body: Payloads,
    answer: Payloads,
    errors: ["invalid_input", ...errors],
    run: async ({ body, call }) => {
      checkNamespace(call);
      const given = body.payloads.map(payloadFromJson);
      const payloads = await convert(call.web.project.encoding.dataConverter.payloadCodecs ?? [], given);
      return { payloads: payloads.map(payloadToJson) };
    },
  });

type Convert = (codecs: readonly PayloadCodec[], payloads: Payload[]) => Promise<Payload[]>;

/**
 * A history may have payloads of several keys and codecs: those that cannot be read come back as they were, so that a reader sees the
 * others. If none can be read, the caller receives the reason.
 */
const decodeEach: Convert = async (codecs, payloads) => {
  const readers = codecs.filter((codec) => codec !== refuseUnreadable);
  const results = await Promise.all(
    payloads.map(async (payload) => {
      try {
        return { payload: (await decodedPayloads(readers, [payload]))[0] ?? payload };
      } catch (error) {
        return { payload, error: unreadableError(error) ?? error };
      }
    }),
  );
  for (const { error } of results)
    if (error !== undefined && !(error instanceof NavigatorError && isUnreadable(error.code))) throw error;
  const [first] = results;
  if (first !== undefined && results.every(({ error }) => error !== undefined)) throw first.error;
  return results.map(({ payload }) => payload);
};

const isUnreadable = (code: string): boolean => (UNREADABLE as readonly string[]).includes(code);

/** A caller may guess values: so the answer does not show which secret a text is, nor that it is one of this process. */
const encodeAll: Convert = async (codecs, payloads) => {
  try {
    return await encodedPayloads(codecs, payloads);
  } catch (error) {
    if (!(error instanceof NavigatorError && error.code === "secret_in_input")) throw error;
    throw new NavigatorError("secret_in_input", "A payload contains the value of a secret. Nothing was encoded.");
  }
};

export const codecEndpoints = [
  way("decode", "Decodes payloads for Temporal's tools", UNREADABLE, decodeEach),
  way("encode", "Encodes payloads for Temporal's tools", ["encryption_key_missing", "secret_in_input"], encodeAll),
];

/** Temporal's tools name the namespace that they read. */
function checkNamespace({ client, request }: EndpointCall): void {
  const { namespace } = client.temporal.options;
  const asked = request.req.header("x-namespace");
  if (asked === undefined || asked === namespace) return;
  throw new NavigatorError("invalid_input", `The codec is that of the namespace ${namespace}, not of "${asked}".`, {
    details: { path: "namespace" },
  });
}
