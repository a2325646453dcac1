import type { DataConverter, Payload } from "@temporalio/common";
import { isObject } from "../../core/base/is-object";
import { StreamEntry } from "../../core/history/stream/entry";
import { decodedPayloads, encodedPayloads, payloadFromJson, payloadToJson } from "../encoding/payloads";
import { unreadableError } from "../encoding/unreadable-payload";

/** How a store writes its entries: a text each, without a line end. */
export interface EntryForm {
  write(entries: readonly StreamEntry[]): Promise<string[]>;
  /**
   * null: an empty line, one that a killed writer has left, or an entry that only a later version knows.
   *
   * @throws NavigatorError `encryption_key_missing`, `payload_tampered`, `payload_unreadable`
   */
  read(text: string): Promise<StreamEntry | null>;
}

/** What encodes the entries of a project with a codec. */
export interface StreamEncoding {
  dataConverter: DataConverter;
  /** Empty: entries are written in the clear. */
  codecs: readonly string[];
}

/** Entries as JSON; with a codec, as the payload that the codec makes of it. Both are read. */
export function entryForm({ dataConverter: { payloadCodecs = [] }, codecs }: StreamEncoding): EntryForm {
  return {
    write: async (entries) => {
      const texts = entries.map((entry) => JSON.stringify(entry));
      if (codecs.length === 0) return texts;
      const encoded = await encodedPayloads(payloadCodecs, texts.map(payloadOf));
      return encoded.map((payload) => JSON.stringify({ payload: payloadToJson(payload) }));
    },
    read: async (text) => {
      const given = parsed(text);
      if (!isObject(given) || !isObject(given.payload)) return entryOf(given);
      try {
        const [payload] = await decodedPayloads(payloadCodecs, [payloadFromJson(given.payload)]);
        return entryOf(parsed(Buffer.from(payload?.data ?? []).toString("utf8")));
      } catch (error) {
        throw unreadableError(error) ?? error;
      }
    },
  };
}

/** For stores whose entries are in the clear. */
export const CLEAR: EntryForm = entryForm({ dataConverter: {}, codecs: [] });

const payloadOf = (text: string): Payload => ({
  metadata: { encoding: Buffer.from("json/plain") },
  data: Buffer.from(text),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function entryOf(value: unknown): StreamEntry | null {
  const { success, data } = StreamEntry.safeParse(value);
  return success ? data : null;
}
