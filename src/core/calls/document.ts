/**
 * A text or a file that is kept outside of the history (docs/large-payloads.md). It is plain JSON, so a program passes it on like
 * any value, and a model sees its size and its beginning.
 */
export interface DocumentReference {
  /** `document:` and the SHA-256 under which it is kept. */
  document: string;
  bytes: number;
  media_type: string;
  /** SHA-256 of the whole content, in hexadecimal. */
  sha256: string;
  /** The first characters of a text; empty for other content. */
  start: string;
}

/** The content of a document: whole, or in pieces as they come. */
export type DocumentContent = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** The documents of a project, as a tool uses them: `call.documents`. */
export interface Documents {
  /**
   * Keeps a document. Memory contains one piece of it at a time. @param options.media_type default: text/plain for a
   * string, else application/octet-stream
   */
  write(content: DocumentContent, options?: { media_type?: string }): Promise<DocumentReference>;
  /** The whole content. @param document what `write` gave, or its `document` @throws NavigatorError `payload_tampered`, `payload_unreadable`, `payload_storage_unavailable` */
  read(document: DocumentReference | string): Promise<Uint8Array>;
  /** The content in pieces, each checked. Throws as `read` does. */
  stream(document: DocumentReference | string): AsyncIterable<Uint8Array>;
}

/** The documents of a project, as a worker uses them. */
export interface ProjectDocuments extends Documents {
  /** The same, for a call: where the place cannot be reached, it waits until the signal is aborted. */
  waiting(until: AbortSignal): ProjectDocuments;
  /** That the place can be reached. @throws a failure for which a call waits */
  reachable(): Promise<void>;
}
