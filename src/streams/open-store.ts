import path from "node:path";
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
 * @throws NavigatorError `streams_unavailable`
 */
export async function openStreams({ home, streamsUrl }: StreamSettings): Promise<StreamStore> {
  if (streamsUrl === null) return new FileStreamStore(path.join(home, "streams"));
  const { PostgresStreamStore } = await import("./postgres-store");
  return PostgresStreamStore.open(streamsUrl);
}
