import { createHash } from "node:crypto";
import type { DataConverter, Payload, PayloadCodec } from "@temporalio/common";
import { z } from "zod";
import { NavigatorError } from "../../../core/base/navigator-error";
import { cutText } from "../../../core/base/whole-characters";
import type { DocumentContent, DocumentReference, ProjectDocuments } from "../../../core/calls/document";
import { knownSecrets } from "../../secrets/known-secrets";
import { MaskedPieces } from "../../secrets/masked-pieces";
import { unreadableError } from "../unreadable-payload";
import { type BlobStore, checkReachable } from "./blob-store";
import { BlobDriver, keepPayload, keptPayload } from "./storage-driver";

/**
 * Documents are kept in pieces, so that memory never has more than one. Each piece goes through the codecs of the project, and a
 * list names the pieces. The key of the list is the document's.
 */

const PIECE_BYTES = 4 * 1024 * 1024;
const START_CHARS = 1_000;
const SLICE_CHARS = 1024 * 1024;
const PREFIX = "document:";

const PieceList = z.object({ bytes: z.int(), sha256: z.string(), media_type: z.string(), pieces: z.array(z.string()) });
type PieceList = z.output<typeof PieceList>;

/** The documents of a user of this data converter; undefined: the project keeps no large payloads. */
export function documentsOf({ externalStorage, payloadCodecs = [] }: DataConverter): ProjectDocuments | undefined {
  const driver = externalStorage?.drivers.find((one) => one instanceof BlobDriver);
  return driver === undefined ? undefined : new StoredDocuments((driver as BlobDriver).blobs, payloadCodecs);
}

/** Documents in a blob store, each piece encoded by these codecs. */
export class StoredDocuments implements ProjectDocuments {
  constructor(
    private readonly blobs: BlobStore,
    private readonly codecs: readonly PayloadCodec[],
    private readonly until?: AbortSignal,
  ) {}

  waiting = (until: AbortSignal): ProjectDocuments => new StoredDocuments(this.blobs, this.codecs, until);

  reachable = (): Promise<void> => checkReachable(this.blobs, this.until);

  async write(content: DocumentContent, options: { media_type?: string } = {}): Promise<DocumentReference> {
    const media_type = options.media_type ?? (typeof content === "string" ? "text/plain" : "application/octet-stream");
    const hash = createHash("sha256");
    const pieces: string[] = [];
    let [bytes, waiting, size]: [number, Uint8Array[], number] = [0, [], 0];
    let start: Buffer | undefined;
    const keep = async () => {
      const piece = Buffer.concat(waiting);
      [waiting, size] = [[], 0];
      start ??= piece.subarray(0, START_CHARS * 4);
      hash.update(piece);
      bytes += piece.length;
      pieces.push(await this.keep(piece));
    };
    for await (const part of withoutSecrets(parts(content), !isText(media_type)))
      for (let at = 0; at < part.length; ) {
        const taken = part.subarray(at, at + PIECE_BYTES - size);
        waiting.push(taken);
        size += taken.length;
        at += taken.length;
        if (size === PIECE_BYTES) await keep();
      }
    if (size > 0) await keep();
    const list: PieceList = { bytes, sha256: hash.digest("hex"), media_type, pieces };
    const key = await this.keep(Buffer.from(JSON.stringify(list)));
    const text = isText(media_type)
      ? [...(start ?? Buffer.alloc(0)).toString("utf8")].slice(0, START_CHARS).join("")
      : "";
    return { document: `${PREFIX}${key}`, bytes, media_type, sha256: list.sha256, start: text };
  }

  async read(document: DocumentReference | string): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.stream(document)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *stream(document: DocumentReference | string): AsyncIterable<Uint8Array> {
    const key = keyOf(document);
    try {
      const list = PieceList.parse(JSON.parse(Buffer.from(await this.kept(key)).toString("utf8")));
      for (const piece of list.pieces) yield await this.kept(piece);
    } catch (error) {
      throw unreadableError(error) ?? error;
    }
  }

  private async keep(data: Uint8Array): Promise<string> {
    let payloads: Payload[] = [{ metadata: { encoding: Buffer.from("binary/plain") }, data }];
    for (const codec of this.codecs) payloads = await codec.encode(payloads);
    return keepPayload(this.blobs, payloads[0] as Payload, this.until);
  }

  private async kept(key: string): Promise<Uint8Array> {
    let payloads = [await keptPayload(this.blobs, key, this.until)];
    for (const codec of [...this.codecs].reverse()) payloads = await codec.decode(payloads);
    return payloads[0]?.data ?? new Uint8Array();
  }
}

const isText = (media_type: string): boolean => /^text\/|json|xml|yaml|csv/.test(media_type);

function keyOf(document: DocumentReference | string): string {
  const name = typeof document === "string" ? document : document?.document;
  if (typeof name === "string" && /^document:[0-9a-f]{64}$/.test(name)) return name.slice(PREFIX.length);
  throw new NavigatorError("invalid_input", `${cutText(JSON.stringify(document) ?? "", 80)} is no document.`, {
    hint: "A document is what call.documents.write gave, or the text in its field `document`.",
    details: { path: "document" },
  });
}

async function* parts(content: DocumentContent): AsyncIterable<Uint8Array> {
  if (content instanceof Uint8Array) yield content;
  else if (typeof content === "string")
    for (let at = 0; at < content.length; ) {
      // Not in the middle of a character.
      const isHalf = /[\uD800-\uDBFF]/.test(content[at + SLICE_CHARS - 1] ?? "");
      const end = at + SLICE_CHARS - (isHalf ? 1 : 0);
      yield Buffer.from(content.slice(at, end));
      at = end;
    }
  else for await (const part of content) yield typeof part === "string" ? Buffer.from(part) : part;
}

async function* withoutSecrets(content: AsyncIterable<Uint8Array>, isBinary: boolean): AsyncIterable<Uint8Array> {
  const masked = new MaskedPieces(knownSecrets, isBinary);
  for await (const part of content) yield masked.push(part);
  yield masked.end();
}
