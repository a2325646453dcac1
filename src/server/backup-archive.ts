import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pauseFor } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { NavigatorError } from "../core/base/navigator-error";

/** The archive of a backup: a tar file, compressed, with a copy of the database's files and a description with their digests. */

export const DESCRIPTION = "backup.json";
export const DATABASE = "temporal.db";
const WRITE_AHEAD = `${DATABASE}-wal` as const;
/** The files of a database that no server uses. The write-ahead log is there unless SQLite has moved all of it into the database. */
export const FILES = [DATABASE, WRITE_AHEAD] as const;

const FileDigest = z.object({ bytes: z.int(), sha256: z.string() });
type FileDigest = z.infer<typeof FileDigest>;
const Description = z.object({
  navigator_backup: z.literal(1),
  at: z.iso.datetime(),
  /** Of the Temporal server, if it ran. */
  server: z.string().nullable(),
  files: z.strictObject({ [DATABASE]: FileDigest, [WRITE_AHEAD]: FileDigest.optional() }),
});
export type Described = z.infer<typeof Description>;

export interface BackupSummary {
  file: string;
  /** The folder of the server's data that was read or written. */
  home: string;
  /** When it was made: ISO 8601. All that was committed by then is in it. */
  at: string;
  bytes: number;
  /** The version of the Temporal server that ran. null: it was stopped. */
  server: string | null;
}

/** Summarises a backup from its description: time, server and bytes. */
export const summaryOf = ({ at, server, files }: Described): Omit<BackupSummary, "file" | "home"> => ({
  ...{ at, server },
  bytes: files[DATABASE].bytes + (files[WRITE_AHEAD]?.bytes ?? 0),
});

/** Unpacks an archive, and compares it with its description. @throws NavigatorError `invalid_input`, `local_server_failed` */
export async function unpack(file: string, to: string, signal?: AbortSignal): Promise<Described> {
  const archive = path.resolve(file); // tar takes "backup-18:05" for a file of the host "backup-18"
  const extract = async (name: string, problem: string): Promise<void> => {
    try {
      await tar(["-xzf", archive, "-C", to, name], signal);
    } catch (error) {
      if (signal?.aborted) throw error;
      const tarOutput = String((error as { stderr?: unknown }).stderr ?? "");
      const place = /No space left|Permission denied|Read-only|Cannot (?:open|mkdir|write)/i.exec(tarOutput);
      if (place === null || tarOutput.includes(`${archive}: `)) throw badBackup(file, problem, error);
      throw restoreFailed(to, tarOutput.trim().split("\n")[0] ?? place[0], error);
    }
  };
  await extract(DESCRIPTION, "it is no archive of `navigator server backup`, or only a part of one");
  const described = Description.safeParse(json(readFileSync(path.join(to, DESCRIPTION), "utf8")));
  if (!described.success) throw badBackup(file, "it was made by another version, or by another program");
  for (const [name, { sha256 }] of Object.entries(described.data.files)) {
    await extract(name, "it is only a part of an archive");
    if ((await digestOf(path.join(to, name), signal)).sha256 !== sha256)
      throw badBackup(file, `${name} in it was changed`);
  }
  return described.data;
}

/** The files of a copy, with their digests. */
export async function describedFiles(folder: string, signal?: AbortSignal): Promise<Described["files"]> {
  const files: Partial<Record<(typeof FILES)[number], FileDigest>> = {};
  for (const name of FILES)
    if (existsSync(path.join(folder, name))) files[name] = await digestOf(path.join(folder, name), signal);
  return files as Described["files"];
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // no description either
  }
};

async function digestOf(file: string, signal?: AbortSignal): Promise<FileDigest> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** @throws an AbortError if the signal is aborted; else the message of tar */
export async function tar(args: string[], signal?: AbortSignal): Promise<void> {
  try {
    await promisify(execFile)("tar", args, { ...(signal && { signal }), env: { ...process.env, LC_ALL: "C" } });
  } catch (error) {
    // A signal to all processes of a terminal may end tar before this process receives it.
    if (signal && (error as { signal?: string | null }).signal) await pauseFor(1_000, undefined, { signal });
    throw error;
  }
}

/** Builds the error for a file that cannot be restored. */
export const badBackup = (file: string, why: string, cause?: unknown): NavigatorError =>
  new NavigatorError("invalid_input", `${file} cannot be restored: ${why}.`, {
    hint: "Nothing was changed. Take another backup, or copy this one again from where it is kept.",
    ...(cause === undefined ? {} : { cause }),
    details: { path: file },
  });

/** The present database is as it was. */
export const restoreFailed = (folder: string, why: string, cause?: unknown): NavigatorError =>
  new NavigatorError("local_server_failed", `The backup cannot be restored into ${folder}: ${why}.`, {
    hint: "Nothing was changed. See whether the folder and its files may be written, and whether the disk has space for the database.",
    ...(cause === undefined ? {} : { cause }),
    details: { path: folder, kind: "restore" },
  });
