import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { NavigatorError } from "../core/base/navigator-error";
import { afterOthers } from "../node/file-lock";
import { PRIVATE_FILE, privateFolder, withPrivateRights } from "../node/private-files";
import { commandLineOf, waitForEnd } from "../node/processes";
import { devServerArguments } from "./flags";
import { isFree, probe, splitAddress } from "./probe";

const START_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 15_000;

/** `server.json` in the home folder: the embedded server that was started from it, alive or not. */
export const ServerRecord = z.object({
  pid: z.int().positive(),
  address: z.string(),
  uiAddress: z.string(),
  namespace: z.string(),
  version: z.string(),
  /** The program, and the version that it reported. */
  cli: z.object({ executable: z.string(), version: z.string() }),
  startedAt: z.iso.datetime(),
  /** A command starts it, or stopped it for a backup. If that command was killed, the next one that needs the server starts it. */
  isStarting: z.literal(true).optional(),
});
export type ServerRecord = z.infer<typeof ServerRecord>;

const recordFile = (home: string) => path.join(home, "server.json");

/** Names the database file of the local server. */
export const databaseFile = (home: string) => path.join(home, "temporal.db");
const logFile = (home: string) => path.join(home, "server.log");

/**
 * The record of a server that still runs, or null. The pid alone proves nothing: after a restart of the machine it may
 * belong to any program, so its command line must name our database.
 */
export function runningServer(home: string): ServerRecord | null {
  const record = readRecord(home);
  if (!record) return null;
  const command = commandLineOf(record.pid);
  return command?.includes("start-dev") && command.includes(databaseFile(home)) ? record : null;
}

function readRecord(home: string): ServerRecord | null {
  let text: string;
  try {
    text = readFileSync(recordFile(home), "utf8");
  } catch {
    return null; // never started
  }
  // An unreadable record is stale: it is written with one rename, so a person or a disk changed it.
  try {
    return ServerRecord.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export interface StartOptions {
  home: string;
  port: number;
  namespace: string;
  cli: ServerRecord["cli"];
  /** Gets a line if the home had been open to others. */
  progress?: ((line: string) => void) | undefined;
}

/**
 * Starts the embedded server as a separate process, which outlives this one, and waits until it answers.
 *
 * @throws NavigatorError local_server_failed with the end of its log.
 */
export async function startDevServer({ home, port, namespace, cli, progress }: StartOptions): Promise<ServerRecord> {
  protectHome(home, progress);
  const log = openSync(logFile(home), "w", 0o600);
  const args = devServerArguments({ port, database: databaseFile(home), namespace });
  const child = withPrivateRights(() => spawn(cli.executable, args, { detached: true, stdio: ["ignore", log, log] }));
  closeSync(log);
  let ended: string | null = null;
  child.once("error", (error) => {
    ended = error.message;
  });
  child.once("exit", (code, signal) => {
    ended = `it ended with ${signal ?? `exit code ${code}`}`;
  });
  child.unref();
  const address = `127.0.0.1:${port}`;
  const before = startingServer(home);
  const record: ServerRecord = {
    ...{ pid: child.pid ?? 0, address, uiAddress: `http://127.0.0.1:${port + 1000}`, namespace, version: cli.version },
    ...{ cli: { executable: cli.executable, version: cli.version }, startedAt: new Date().toISOString() },
  };
  // Before it answers: if this command is killed now, the next one must know the process.
  if (child.pid !== undefined) writeRecord(home, { ...record, isStarting: true });
  const answer = await waitForAnswer(address, () => ended);
  if ("problem" in answer) {
    if (child.pid !== undefined) await endProcess(child.pid);
    if (before) writeRecord(home, before);
    else rmSync(recordFile(home), { force: true });
    throw startFailed(home, cli, port, answer.problem);
  }
  const started = { ...record, version: answer.version };
  writeRecord(home, started);
  return started;
}

function writeRecord(home: string, record: ServerRecord): void {
  writeFileSync(`${recordFile(home)}.new`, `${JSON.stringify(record, null, 2)}\n`, PRIVATE_FILE);
  renameSync(`${recordFile(home)}.new`, recordFile(home));
}

/** One command at a time starts the server, or copies or replaces its database. */
export const whileServerLocked = <T>(
  home: string,
  { onWait, signal }: { onWait: (line: string) => void; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> => {
  const doing = "is starting the server, or copying or restoring its database";
  return afterOthers(path.join(home, "server.lock"), { doing, onWait, signal }, work);
};

/** Only the user may read the home: the database has everything that missions wrote and did. */
export function protectHome(home: string, progress?: (line: string) => void): void {
  const database = path.basename(databaseFile(home));
  const files = [database, `${database}-wal`, `${database}-shm`, logFile(home), recordFile(home)];
  privateFolder(
    home,
    files.map((file) => path.basename(file)),
    progress,
  );
}

async function waitForAnswer(
  address: string,
  ended: () => string | null,
): Promise<{ version: string } | { problem: string }> {
  const until = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < until) {
    const problem = ended();
    if (problem) return { problem };
    const found = await probe(address, 2_000);
    // Checked again: the answer may come from another server that took the port first.
    if (found.kind === "temporal" && !ended()) return { version: found.version };
    await sleep(50);
  }
  return { problem: `it did not answer within ${START_TIMEOUT_MS / 1000} s` };
}

function startFailed(home: string, cli: ServerRecord["cli"], port: number, problem: string): NavigatorError {
  const tail = readFileSync(logFile(home), "utf8").trimEnd().split("\n").slice(-8).join("\n");
  return new NavigatorError(
    "local_server_failed",
    `The Temporal server (${cli.executable}, port ${port}) did not start: ${problem}.${tail ? `\n${tail}` : ""}`,
    {
      hint: [
        `Its log is ${logFile(home)}.`,
        `Choose another port with --port or NAVIGATOR_PORT when ${port} or ${port + 1000} is taken.`,
        `A damaged database can be moved away: ${databaseFile(home)}.`,
      ].join("\n"),
      details: { path: home, kind: "start" },
    },
  );
}

/** Stops the embedded server of this home. Gives what was stopped, or null when none ran. */
export async function stopDevServer(home: string): Promise<ServerRecord | null> {
  const record = runningServer(home);
  if (record && !(await endProcess(record.pid))) throw stopFailed(record);
  rmSync(recordFile(home), { force: true });
  return record;
}

const stopFailed = ({ pid, address }: ServerRecord): NavigatorError =>
  new NavigatorError("local_server_failed", `The Temporal server (pid ${pid}) could not be stopped.`, {
    hint: `End it by hand: kill -9 ${pid}`,
    details: { path: address, kind: "stop" },
  });

/** The record of a server that a command starts, or stopped for a backup; or null. While the server is locked, that command was killed. */
export function startingServer(home: string): ServerRecord | null {
  const record = readRecord(home);
  return record?.isStarting ? record : null;
}

/**
 * Stops the server at once, if it runs, so that this command can start it again. After SIGTERM it would take a second more, and leave
 * the same files: each commit is in the write-ahead log.
 */
export async function stopToStart(home: string, record: ServerRecord): Promise<void> {
  writeRecord(home, { ...record, isStarting: true });
  const own = runningServer(home);
  if (own === null) return;
  if (!(await endProcess(own.pid, [KILL]))) throw stopFailed(own);
  // The process counts as ended while its last threads still write. Its port is closed after them.
  const { port } = splitAddress(own.address);
  for (const until = Date.now() + KILL[1]; !(await isFree(port)) && Date.now() < until; ) await sleep(20);
}

const KILL = ["SIGKILL", 5_000] as const;

async function endProcess(
  pid: number,
  ways: readonly (readonly [NodeJS.Signals, number])[] = [["SIGTERM", STOP_GRACE_MS], KILL],
): Promise<boolean> {
  for (const [signal, grace] of ways) {
    try {
      process.kill(pid, signal);
    } catch {
      return true; // it ended first
    }
    if (await waitForEnd(pid, grace)) return true;
  }
  return false;
}
