import path from "node:path";
import { entryForm, type StreamEncoding } from "./entry-form";
import { FileStreamStore } from "./file-store";
import type { StreamStore } from "./stream-store";

/** Where streams are kept. */
export interface StreamSettings {
  /** The folder of local data; streams are in `streams` below it. */
  home: string;
  /** The database, `postgres://...`; null: files. */
  streamsUrl: string | null;
}

/**
 * The store of the settings: files, or a table of PostgreSQL.
 *
 * @param encoding of the project: what is encoded on its way to the server is not kept in the clear elsewhere
 * @throws NavigatorError `service_unavailable`
 */
export async function openStreams(
  { home, streamsUrl }: StreamSettings,
  encoding: StreamEncoding,
): Promise<StreamStore> {
  const form = entryForm(encoding);
  if (streamsUrl === null) return new FileStreamStore(path.join(home, "streams"), form);
  const { PostgresStreamStore } = await import("./postgres-store");
  return PostgresStreamStore.open(streamsUrl, form);
}
