import { ApplicationFailure, type Payload, type PayloadCodec } from "@temporalio/common";
import type { Missing } from "../../core/base/input/missing";
import { NavigatorError } from "../../core/base/navigator-error";

/**
 * What happens where a payload cannot be read. In a worker the failure is that of a call which meets a worker without what it
 * needs: the call waits for another worker, and no mission fails (engine reference, section 5.1). In a client it becomes a
 * NavigatorError (`unreadableError`).
 */

/** How long a call waits for a worker that can read its data, in milliseconds: a year. A key is brought by a person. */
const WAIT_MS = 365 * 24 * 60 * 60 * 1_000;

/** Why a payload cannot be read: its key is not here, no codec knows its encoding, it was changed, or it is not where it was kept. */
export type UnreadableCode =
  | "encryption_key_missing"
  | "payload_unreadable"
  | "payload_tampered"
  | "payload_storage_unavailable";

/** The failure of a payload that cannot be read. @param name the key's id, or the encoding */
export function unreadable(
  code: UnreadableCode,
  { name, text, help }: { name: string; text: string; help: string },
): ApplicationFailure {
  const missing: Missing & { code: UnreadableCode } = {
    kind: "key",
    name,
    text,
    help,
    wait_ms: WAIT_MS,
    code,
  };
  return ApplicationFailure.create({ type: "configuration_error", message: `${text}. ${help}`, details: [missing] });
}

/**
 * The failure of a payload that cannot be kept outside of the server. Unlike one that cannot be read it may come after an effect,
 * so the call is made again only as its tool allows: it is no configuration error.
 */
export const unkeepable = (name: string, text: string): ApplicationFailure =>
  ApplicationFailure.create({
    type: "payload_storage_unavailable",
    message: text,
    details: [{ code: "payload_storage_unavailable", name, text, help: "See largePayloads in navigator.config." }],
  });

const TYPES = ["configuration_error", "payload_storage_unavailable"];

/** The failure of `unreadable` or `unkeepable` as a client throws it; undefined: it is another failure. */
export function unreadableError(error: unknown): NavigatorError | undefined {
  if (!(error instanceof ApplicationFailure) || !TYPES.includes(error.type ?? "")) return undefined;
  const { code, name, text, help } = (error.details?.[0] ?? {}) as Partial<Missing & { code: UnreadableCode }>;
  if (code === undefined || name === undefined) return undefined;
  return new NavigatorError(code, `${text}.`, { hint: help, details: { name }, cause: error });
}

/** What the SDK's own payload converter reads. */
const READABLE = new Set(["", "binary/null", "binary/plain", "json/plain", "binary/protobuf", "json/protobuf"]);

/** The encoding of a payload, from its metadata. */
export const encodingOf = ({ metadata }: Payload): string =>
  metadata?.encoding == null ? "" : Buffer.from(metadata.encoding).toString("utf8");

/** Refuses a payload that no codec has decoded: without it a reader would meet an error of the SDK, or nothing. */
export const refuseUnreadable: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => {
    for (const payload of payloads) {
      const encoding = encodingOf(payload);
      if (READABLE.has(encoding)) continue;
      throw unreadable("payload_unreadable", {
        name: encoding,
        text: `The data is encoded as ${encoding}, and this process has no codec for that`,
        help: "Set `codec` in navigator.config, or give the Temporal client the data converter of the workers.",
      });
    }
    return payloads;
  },
};
