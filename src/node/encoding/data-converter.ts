import type { DataConverter, ExternalStorage, PayloadCodec } from "@temporalio/common";
import { refuseUnreadable } from "./unreadable-payload";

/** What the data converter of a project is made of. */
interface EncodingParts {
  /** In the order in which they encode. Empty: what is written stays in the clear. */
  codecs: readonly PayloadCodec[];
  /** Reads what was encrypted by the built-in codec, whatever `codecs` writes. */
  reader?: PayloadCodec;
  /** Sees each payload first, as it is written, and refuses or changes it. */
  payloadGuard?: PayloadCodec;
  /** Keeps large payloads outside of the server, as they come out of the codecs. */
  externalStorage?: ExternalStorage;
}

/**
 * The one data converter of a project: its workers, their inner clients, the command line, the MCP server, the page and the tools all take it.
 *
 * With a codec, messages and stack traces of failures are payloads too, and so they are encoded.
 */
export function createDataConverter({ codecs, reader, payloadGuard, externalStorage }: EncodingParts): DataConverter {
  const reading = reader === undefined ? [] : [{ encode: asIs, decode: reader.decode.bind(reader) }];
  return {
    // Encoding goes from first to last, decoding from last to first.
    payloadCodecs: [...(payloadGuard === undefined ? [] : [payloadGuard]), refuseUnreadable, ...reading, ...codecs],
    ...(codecs.length === 0 ? {} : { failureConverterPath: ENCODED_FAILURES }),
    ...(externalStorage === undefined ? {} : { externalStorage }),
  };
}

/** The failure converter of projects with a codec. */
const ENCODED_FAILURES = require.resolve("./encoded-failures");
/** That of all others. */
const FITTED_FAILURES = require.resolve("./fitted-failures");

/** Whether the built bundle of workflows has this failure converter, as a mode. */
export const isOwnFailureConverter = (file: string): boolean => file === ENCODED_FAILURES || file === FITTED_FAILURES;

/** Whether messages of failures become payloads. */
export const encodesFailures = (converter: DataConverter | undefined): boolean =>
  converter?.failureConverterPath === ENCODED_FAILURES;

/** The data converter of a worker: an error of a tool may be larger, or have more causes, than the SDK's core accepts. */
export const fittingFailures = (converter: DataConverter | undefined): DataConverter => ({
  failureConverterPath: FITTED_FAILURES,
  ...converter,
});

const asIs: PayloadCodec["encode"] = async (payloads) => payloads;
