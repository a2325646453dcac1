import type { DataConverter, Payload, PayloadCodec } from "@temporalio/common";
import { unreadableError } from "../encoding/unreadable-payload";
import type { CallMetrics } from "./call-metrics";

/** The data converter of a worker, which counts what it cannot read: such work fails before any call of ours begins. */
export function countingUnreadable(
  dataConverter: DataConverter | undefined,
  metrics: Pick<CallMetrics, "unreadable">,
): DataConverter | undefined {
  const { payloadCodecs } = dataConverter ?? {};
  if (payloadCodecs === undefined) return dataConverter;
  const counting = ({ encode, decode }: PayloadCodec, codec: PayloadCodec): PayloadCodec => ({
    encode: encode.bind(codec),
    decode: async (payloads: Payload[]) => {
      try {
        return await decode.call(codec, payloads);
      } catch (error) {
        const unreadable = unreadableError(error);
        if (unreadable !== undefined) metrics.unreadable(unreadable.code, nameOf(unreadable.details));
        throw error;
      }
    },
  });
  return { ...dataConverter, payloadCodecs: payloadCodecs.map((codec) => counting(codec, codec)) };
}

const nameOf = (details: unknown): string => String((details as { name?: unknown } | undefined)?.name ?? "");
