import { decode, encode } from "@temporalio/common/lib/internal-non-workflow";
import { type JSONPayload, JSONToPayload, type Payload, payloadToJSON } from "@temporalio/common/lib/proto-utils";
import { z } from "zod";
import { NavigatorError } from "../../core/base/navigator-error";
import { unreadableError } from "../../encoding/unreadable-payload";
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

const way = (name: "encode" | "decode", summary: string, convert: typeof encode | typeof decode) =>
  endpoint({
    method: "post",
    path: `${CODEC_PATH}/${name}`,
    operation: `${name}Payloads`,
    summary,
    tag: "Codec",
    body: Payloads,
    answer: Payloads,
    errors: [
      "invalid_arguments",
      "encryption_key_missing",
      "no_encryption_key",
      "payload_tampered",
      "payload_unreadable",
    ],
    run: async ({ body, call }) => {
      checkNamespace(call);
      const given = body.payloads.map((payload) => JSONToPayload(payload as JSONPayload));
      const { payloadCodecs = [] } = call.web.project.encoding.dataConverter;
      try {
        const payloads: Payload[] = await convert(payloadCodecs, given);
        return { payloads: payloads.map((payload) => ({ ...payloadToJSON(payload) })) };
      } catch (error) {
        throw unreadableError(error) ?? error;
      }
    },
  });

export const codecEndpoints = [
  way("decode", "Payloads as everybody can read them, for Temporal's own tools", decode),
  way("encode", "Payloads as the server keeps them, for Temporal's own tools", encode),
];

/** Temporal's tools name the namespace that they read. */
function checkNamespace({ client, request }: EndpointCall): void {
  const { namespace } = client.temporal.options;
  const asked = request.req.header("x-namespace");
  if (asked === undefined || asked === namespace) return;
  throw new NavigatorError("invalid_arguments", `The codec is that of the namespace ${namespace}, not of "${asked}".`);
}
