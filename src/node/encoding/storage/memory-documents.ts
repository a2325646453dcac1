import type { Documents } from "../../../core/calls/document";
import type { BlobStore } from "./blob-store";
import { StoredDocuments } from "./stored-documents";

/**
 * Documents that this process alone has, for tests of tools that use `call.documents` (docs/testing.md, "Documents"). They are the
 * same in every other way: kept in pieces, named by their contents.
 */
export const memoryDocuments = (): Documents => new StoredDocuments(new MemoryStore(), []);

class MemoryStore implements BlobStore {
  readonly place = "the memory of this process";
  readonly type = "navigator.memory";
  private readonly blobs = new Map<string, Uint8Array>();

  async write(key: string, bytes: Uint8Array): Promise<void> {
    this.blobs.set(key, bytes);
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.blobs.get(key) ?? null;
  }
}
