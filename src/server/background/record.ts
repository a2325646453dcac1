import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { PRIVATE_FILE, privateFolder } from "../../node/private-files";
import { commandLineOf } from "../../node/processes";
import { backgroundFolder } from "./place";

const Failure = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  details: z.unknown().optional(),
});

/** The record that a background process writes about itself. */
export const BackgroundRecord = z.object({
  pid: z.int().positive(),
  /** Of the package whose code it runs. */
  version: z.string(),
  started_at: z.iso.datetime(),
  /** `ready`: server and worker are there. `ending`: it takes no sessions any more. `failed`: it could not start, or continue. */
  state: z.enum(["starting", "ready", "ending", "failed"]),
  /** What it is doing now, for people. */
  step: z.string(),
  folder: z.string(),
  log: z.string(),
  address: z.string().nullable(),
  /** Of the embedded server of this home; null: the server is somebody else's. */
  server_pid: z.int().positive().nullable(),
  /** It has started that server, and stops it at its end. */
  owns_server: z.boolean(),
  task_queue: z.string().nullable(),
  /** The process with the project's code and the worker, if it is its own. */
  worker_pid: z.int().positive().nullable(),
  /** `own`: it has a worker. `other`: somebody else's worker serves the task queue. null: none yet. */
  worker: z.enum(["own", "other"]).nullable(),
  /** Why it failed; or while it is ready, why a change of the project is not loaded. */
  error: Failure.optional(),
});
export type BackgroundRecord = z.infer<typeof BackgroundRecord>;

/** null: there is none, or it cannot be read, which a person or a disk has done: it is written with one rename. */
export function readRecord(file: string): BackgroundRecord | null {
  try {
    return BackgroundRecord.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

/** Writes a record in one step: a reader never sees half of it. */
export function writeRecord(file: string, record: BackgroundRecord): void {
  privateFolder(path.dirname(file));
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, `${JSON.stringify(record, null, 2)}\n`, PRIVATE_FILE);
  renameSync(fresh, file);
}

/** The pid alone proves nothing, after a restart of the machine: the process was given the name of the file. */
export const isLive = (file: string, { pid }: Pick<BackgroundRecord, "pid">): boolean =>
  commandLineOf(pid)?.includes(file) === true;

/** The background processes of a home: those that run, and the last records of those that ended with an error. */
export function backgroundsOf(home: string): (BackgroundRecord & { file: string; isLive: boolean })[] {
  const folder = backgroundFolder(home);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const file = path.join(folder, name);
      const record = readRecord(file);
      return record === null ? [] : [{ ...record, file, isLive: isLive(file, record) }];
    })
    .filter((record) => record.isLive || record.state === "failed");
}
