import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PRIVATE_FILE } from "../node/private-files";

/**
 * Fair queues of the embedded server (docs/operations.md, "Fair queues"). The server keeps what waits in fair queues at another
 * place of its database. Since 1.30 it takes along what waits elsewhere; an older one would never look there again. So with an
 * older server only a database that never had other queues gets them.
 */

/** Beside the database: its queues are fair. */
const markOf = (database: string) => path.join(path.dirname(database), "fair-queues");

const [FIRST_FAIR, FIRST_TO_MOVE] = [29, 30];

/** The minor version of a server 1.x, from `1.29.1` or `1.5.1 (Server 1.29.1, UI 2.42.1)`; null: it does not say. */
export function minorVersion(text: string): number | null {
  const [, major, minor] = /(?:^|Server )(\d+)\.(\d+)[^()]*(?:$|, UI)/.exec(text) ?? [];
  if (major === undefined) return null;
  return Number(major) > 1 ? Number.POSITIVE_INFINITY : Number(minor);
}

/** Whether this server may serve the database with fair queues. From then on it must. */
export function takesFairQueues(database: string, serverVersion: string): boolean {
  const minor = minorVersion(serverVersion) ?? 0;
  const takes = minor >= FIRST_FAIR && (hasFairQueues(database) || !existsSync(database) || minor >= FIRST_TO_MOVE);
  markQueues(database, takes);
  return takes;
}

/** Keeps whether the queues of a database are fair: as it is started, and as it is restored. */
export function markQueues(database: string, isFair: boolean): void {
  if (isFair) writeFileSync(markOf(database), "", PRIVATE_FILE);
  else rmSync(markOf(database), { force: true });
}

export const hasFairQueues = (database: string): boolean => existsSync(markOf(database));

/** What is known of a server's queues. No server says it of itself. @param ownDatabase of an embedded server of ours */
export function knownOfQueues(
  version: string,
  ownDatabase: string | null,
): { state: "ok" | "note"; found: string; hint?: string } {
  if (ownDatabase !== null && hasFairQueues(ownDatabase))
    return { state: "ok", found: "priorities, and a turn for each project" };
  if (ownDatabase !== null)
    return {
      state: "note",
      found: "priorities only: this database is older than fair queues",
      hint: 'A server from 1.30 on takes its tasks along; so does a new database (docs/operations.md, "Fair queues").',
    };
  if ((minorVersion(version) ?? FIRST_FAIR) < FIRST_FAIR)
    return {
      state: "note",
      found: `none: server ${version} has neither`,
      hint: "Upgrade the server to 1.30 or newer.",
    };
  return {
    state: "note",
    found: "not known: a server does not tell whether its queues are fair",
    hint: 'On a cluster set matching.enableFairness, on Temporal Cloud turn on fairness for the namespace (docs/operations.md, "Fair queues").',
  };
}
