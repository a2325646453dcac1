import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isErrorCode } from "../../core/base/error-codes";
import { asNavigatorError, NavigatorError } from "../../core/base/navigator-error";
import { withFileLock } from "../../node/file-lock";
import { isOlderVersion } from "../../node/package-version";
import { PRIVATE_FILE, privateFolder, withPrivateRights } from "../../node/private-files";
import { commandLineOf, waitForEnd } from "../../node/processes";
import { renewLease, takeLease } from "../leases";
import { type BackgroundPlace, MAX_LOG_BYTES } from "./place";
import { type BackgroundRecord, backgroundsOf, isLive, readRecord, writeRecord } from "./record";

/** A call waits for this long. Clients give up after a minute, and the call itself needs time. */
const WAIT_MS = 25_000;
const LOOK_MS = 50;
/** Starting a process takes milliseconds. */
const LOCK_MS = 5_000;
/** A background process that ends lets its worker take no new work, and leaves it to its open calls. */
const END_MS = 45_000;

interface BackgroundOptions {
  /** The built file that a background process runs, with the name of its record and the project as arguments. */
  main: string;
  version: string;
  env: NodeJS.ProcessEnv;
}

/**
 * The background process of a project as one session sees it. Sessions share it: it has the Temporal server and the worker, and ends
 * some time after the last of them.
 */
export class Background {
  private leave: (() => void) | null = null;
  private presentStep: string | null = null;

  constructor(
    readonly place: BackgroundPlace,
    private readonly options: BackgroundOptions,
  ) {}

  /** What is waited for, for people; null: nothing. */
  get step(): string | null {
    return this.presentStep;
  }

  /**
   * Server and worker, once they are there. They are started if nobody has, or if they ended.
   *
   * @throws NavigatorError why they cannot be started; `background_starting` if it takes longer than a call may
   */
  async ready(): Promise<BackgroundRecord> {
    const until = Date.now() + WAIT_MS;
    let waitedFor: number | null = null;
    try {
      for (let starts = 0; ; ) {
        this.leave ??= takeLease(this.place.sessions);
        renewLease(this.place.sessions);
        const record = readRecord(this.place.record);
        const lives = record !== null && isLive(this.place.record, record);
        if (record?.state === "failed" && record.pid === waitedFor) throw failureOf(record);
        if (lives && this.isOutdated(record)) endSoon(record);
        else if (lives && isUp(record)) return record;
        if (lives && record.state !== "failed") waitedFor = record.pid;
        if (!lives) {
          if (starts === 2) throw endedAtOnce(this.place);
          waitedFor = this.start();
          starts += 1;
        }
        this.presentStep = lives ? record.step : "Navigator is started in the background";
        if (Date.now() >= until) throw stillStarting(this.presentStep, this.place);
        await sleep(LOOK_MS);
      }
    } finally {
      this.presentStep = null;
    }
  }

  /** This session needs it no more. */
  close(): void {
    this.leave?.();
    this.leave = null;
  }

  /**
   * Only a newer version of the package replaces the process of an older one. A session of an older version uses the newer process: it
   * knows the missions of both, and two sessions that end each other's process would never come to an end.
   */
  private isOutdated({ version, state }: BackgroundRecord): boolean {
    return isOlderVersion(version, this.options.version) && state !== "ending";
  }

  /** Unless another session is faster. @returns the pid of the process that is there now */
  private start(): number {
    const { record, lock, log, folder, project, home } = this.place;
    const { main, version, env } = this.options;
    privateFolder(home);
    privateFolder(path.dirname(record));
    keepOutOfGit(home);
    const locked = withFileLock(lock, LOCK_MS, () => {
      const there = readRecord(record);
      if (there !== null && isLive(record, there)) return there.pid;
      if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(log, `${log}.old`);
      const output = openSync(log, "a", 0o600);
      const child = withPrivateRights(() =>
        spawn(process.execPath, [main, record, project], {
          cwd: folder,
          env: { ...env, NAVIGATOR_HOME: home },
          detached: true,
          windowsHide: true,
          stdio: ["ignore", output, output],
        }),
      );
      child.on("error", () => {}); // it has no pid then, which is reported below
      child.unref();
      closeSync(output);
      if (child.pid === undefined) throw endedAtOnce(this.place);
      writeRecord(record, {
        ...{ pid: child.pid, version, folder, log, started_at: new Date().toISOString() },
        ...{ state: "starting", step: "Navigator is started in the background" },
        ...{ address: null, server_pid: there?.server_pid ?? null, owns_server: there?.owns_server ?? false },
        ...{ task_queue: null, worker: null, worker_pid: there?.worker_pid ?? null },
      });
      return child.pid;
    });
    if ("done" in locked) return locked.done;
    throw new NavigatorError("local_server_failed", `${lock} is locked by ${locked.locked_by}.`, {
      hint: `Call again. If no Navigator command runs, remove ${lock}.`,
      details: { path: lock, kind: "background" },
    });
  }
}

/** The folder may be in a repository that knows nothing of it. */
function keepOutOfGit(home: string): void {
  const file = path.join(home, ".gitignore");
  if (path.basename(home) === ".navigator" && !existsSync(file)) writeFileSync(file, "*\n", PRIVATE_FILE);
}

/** Its server runs, too: the process notices within a moment that it was killed, and starts it again. */
const isUp = ({ state, server_pid }: BackgroundRecord): boolean =>
  state === "ready" && (server_pid === null || commandLineOf(server_pid) !== null);

function endSoon({ pid }: BackgroundRecord): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It ended before the signal.
  }
}

/**
 * Ends the background processes of a home, their workers with them. Sessions start them again when they need them.
 *
 * @param lastCalls_ms how long it waits for the open calls of the workers. They continue after it, as long as they have their server.
 * @returns those that ran; `calls_open`: its worker has not ended yet
 */
export async function endBackgrounds(
  home: string,
  lastCalls_ms = 0,
): Promise<(BackgroundRecord & { calls_open: boolean })[]> {
  const running = backgroundsOf(home).filter((record) => record.isLive);
  return Promise.all(
    running.map(async (record) => {
      endSoon(record);
      if (!(await waitForEnd(record.pid, END_MS))) {
        process.kill(record.pid, "SIGKILL");
        await waitForEnd(record.pid, END_MS);
      }
      const calls_open = record.worker_pid !== null && !(await waitForEnd(record.worker_pid, lastCalls_ms));
      return { ...record, calls_open };
    }),
  );
}

function failureOf({ error, log }: BackgroundRecord): NavigatorError {
  const { code = "", message = "The background process failed.", hint: own, details } = error ?? {};
  const hint = [...(own === undefined ? [] : [own]), `Then call again: it is started anew. Its log is ${log}.`].join(
    "\n",
  );
  if (isErrorCode(code)) return asNavigatorError({ reason: code, message, details: details as object }, { hint });
  const place = { path: log, kind: "background" } as const;
  return new NavigatorError("local_server_failed", message, { hint, details: { ...(details as object), ...place } });
}

const endedAtOnce = ({ log }: BackgroundPlace): NavigatorError =>
  new NavigatorError("local_server_failed", "The background process ended while it started.", {
    hint: `Its log has the reason: ${log}`,
    details: { path: log, kind: "background" },
  });

const stillStarting = (step: string, { log }: BackgroundPlace): NavigatorError =>
  new NavigatorError("background_starting", `Navigator is still starting: ${step}.`, {
    hint: `Call again in some seconds; it continues during that time. Its log is ${log}.`,
  });
