import { Pool } from "pg";
import { NavigatorError } from "../../core/base/navigator-error";
import type { StreamEntry } from "../../core/history/stream/entry";
import { delay } from "../delay";
import { CLEAR, type EntryForm } from "./entry-form";
import { PRUNE_LIMIT, READ_LIMIT, type StreamPart, type StreamStore } from "./stream-store";

/** How often the table is looked at for more, in ms. */
const LOOK_MS = 100;
/** The same for a silent stream, in ms. */
const LOOK_SELDOM_MS = 1_000;

/**
 * Entries are kept as text: JSON of PostgreSQL takes neither NUL nor half of a character, and a model's pieces may have both.
 * `position` comes from one counter, which numbers rows when they are made, not when others see them. Rows of one stream are therefore
 * added under a lock of their stream: who reads up to a position has missed nothing before it.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS navigator_streams (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  stream text NOT NULL,
  entry text NOT NULL,
  added_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS navigator_streams_by_stream ON navigator_streams (stream, position);
CREATE INDEX IF NOT EXISTS navigator_streams_by_age ON navigator_streams (added_at);
`;

/** A stream goes as a whole, when its last entry is old. */
const PRUNE = `
WITH old AS (
  SELECT DISTINCT stream FROM navigator_streams AS one
  WHERE added_at < $1
    AND NOT EXISTS (SELECT 1 FROM navigator_streams AS other WHERE other.stream = one.stream AND other.added_at >= $1)
  LIMIT $2
), removed AS (
  DELETE FROM navigator_streams WHERE stream IN (SELECT stream FROM old)
)
SELECT count(*) FROM old
`;

/** Guards the making of the table against others that make it, too. */
const SCHEMA_LOCK = 7_233_001;

/** Streams in a table of PostgreSQL, for workers and web servers on several machines. An offset is the position of the last entry read. */
export class PostgresStreamStore implements StreamStore {
  private constructor(
    private readonly pool: Pool,
    private readonly form: EntryForm,
  ) {}

  /**
   * Makes the table if there is none.
   *
   * @param url `postgres://USER:PASSWORD@HOST/DATABASE`
   * @throws NavigatorError `service_unavailable`, without the password
   */
  static async open(url: string, form: EntryForm = CLEAR): Promise<PostgresStreamStore> {
    const pool = new Pool({ connectionString: url, max: 8, connectionTimeoutMillis: 10_000 });
    // A connection that breaks while nobody uses it is replaced by the next call.
    pool.on("error", () => {});
    try {
      const client = await pool.connect();
      try {
        await client.query("SELECT pg_advisory_lock($1)", [SCHEMA_LOCK]);
        await client.query(SCHEMA);
      } finally {
        await client.query("SELECT pg_advisory_unlock($1)", [SCHEMA_LOCK]).catch(() => {});
        client.release();
      }
    } catch (error) {
      await pool.end();
      throw new NavigatorError(
        "service_unavailable",
        `The database for streams cannot be used: ${(error as Error).message}`,
        {
          hint: "Correct NAVIGATOR_STREAMS_URL, or unset it to keep streams in files.",
          details: { path: "NAVIGATOR_STREAMS_URL", kind: "streams" },
        },
      );
    }
    return new PostgresStreamStore(pool, form);
  }

  async append(stream: string, entries: readonly StreamEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const texts = await this.form.write(entries);
    const client = await this.pool.connect();
    try {
      await client.query("BEGIN");
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [stream]);
      await client.query(
        `INSERT INTO navigator_streams (stream, entry)
         SELECT $1, entry FROM unnest($2::text[]) WITH ORDINALITY AS given (entry, n) ORDER BY n`,
        [stream, texts],
      );
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  }

  async read(stream: string, offset: number, limit = READ_LIMIT): Promise<StreamPart> {
    const { rows } = await this.pool.query<{ position: string; entry: string }>(
      "SELECT position, entry FROM navigator_streams WHERE stream = $1 AND position > $2 ORDER BY position LIMIT $3",
      [stream, offset, limit],
    );
    const read = await Promise.all(rows.map(({ entry }) => this.form.read(entry)));
    const entries = read.filter((entry) => entry !== null);
    return { entries, next: Number(rows.at(-1)?.position ?? offset) };
  }

  async more(stream: string, offset: number, signal: AbortSignal): Promise<void> {
    let pause = LOOK_MS;
    while (!signal.aborted) {
      const { rowCount } = await this.pool
        .query("SELECT 1 FROM navigator_streams WHERE stream = $1 AND position > $2 LIMIT 1", [stream, offset])
        // The next read reports the fault.
        .catch(() => ({ rowCount: 1 }));
      if (rowCount) return;
      await delay(pause, signal).catch(() => {});
      pause = Math.min(pause * 1.2, LOOK_SELDOM_MS);
    }
  }

  async prune(before: number): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>(PRUNE, [new Date(before), PRUNE_LIMIT]);
    return Number(rows[0]?.count ?? 0);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
