import { statSync, truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "@temporalio/client";
import type { ProjectName } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { withFileLock } from "../../node/file-lock";
import { commandLineOf } from "../../node/processes";
import type { Config } from "../../node/settings";
import { type BackgroundPlace, MAX_LOG_BYTES } from "../../server/background/place";
import { type BackgroundRecord, backgroundsOf, readRecord, writeRecord } from "../../server/background/record";
import { isWorkUnderWay } from "../../server/background/work-under-way";
import { liveWorkers } from "../../server/check-worker";
import { leaseHolders } from "../../server/leases";
import { isBackgroundServer, noteBackgroundServer, serverUsers } from "../../server/local-servers";
import { openHomeServer, serverStatus, stopServer } from "../../server/open-server";
import type { Reloader } from "../dev/reloader";
import { type ErrorReport, reportedError } from "../terminal/exit";

const CHECK_EVERY_MS = 1_000;
/** How often it looks whether somebody else's worker is still there. */
const WORKER_LOOK_MS = 5_000;
/** How often it asks whether a mission works, once no session is left. */
const WORK_LOOK_MS = 10_000;
const LOCK_MS = 5_000;

const WAITS_FOR_WORK = "No session is left. A mission works, or the server does not answer: this process waits.";

export interface KeeperParts {
  place: BackgroundPlace;
  config: Config;
  project: ProjectName;
  taskQueue: string;
  /** Creates a new worker at each call. */
  worker(): Reloader;
  /** A connection that lasts as long as the process, and comes back when the server does. */
  connect(address: string, namespace: string): Promise<Connection>;
  /** A line for the log. */
  logLine(line: string): void;
}

/**
 * Runs a server and a worker for the sessions of a project, writes their state to a file, and ends when no session needs them. It
 * restarts a server that was killed. If another worker serves the project, it starts none.
 */
export class Keeper {
  private record: BackgroundRecord;
  private own: Reloader | null = null;
  private connection: Connection | null = null;
  private idleSince: number | null = null;
  private lookedAt = 0;
  private askedAt = 0;
  private hasReportedWork = false;
  private isEnding = false;
  /** Only true once no session is left: after a signal a person may still want the server. */
  private stopsServer = false;

  constructor(
    private readonly parts: KeeperParts,
    private readonly inherited: BackgroundRecord,
  ) {
    this.record = inherited;
  }

  /** Until nobody needs it, or a signal ends it. @throws NavigatorError what cannot be started */
  async run(): Promise<void> {
    await this.openServer();
    await this.openWorker();
    this.updateRecord({ state: "ready", step: "It works." });
    while (!this.isEnding) {
      await sleep(CHECK_EVERY_MS);
      if (this.isEnding) break;
      this.shortenLog();
      await this.watchServer();
      await this.watchWorker();
      if (await this.isIdle()) this.endUnlessNeeded();
    }
    await this.end();
  }

  /** Ends after a signal. The server keeps running, because the person who ended this process may still want it. */
  stop(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.updateRecord({ state: "ending", step: "It received the request to end." });
  }

  /** Records that the worker failed. This process does not start it again. */
  fail(error: ErrorReport): void {
    this.isEnding = true;
    this.stopsServer = leaseHolders(this.parts.place.sessions).length === 0;
    this.updateRecord({ state: "failed", step: "It failed.", error });
  }

  /** Records that a change of the project cannot be loaded. The code before it continues if its process lives. */
  refused(error: ErrorReport): void {
    const { worker_pid } = this.record;
    if (worker_pid !== null && commandLineOf(worker_pid) === null) return this.fail(error);
    this.updateRecord({ error });
  }

  /** A change of the project is loaded. */
  reloaded(worker_pid: number): void {
    const { error: _, ...rest } = this.record;
    this.record = rest;
    this.updateRecord({ worker_pid });
  }

  private updateRecord(news: Partial<BackgroundRecord>): void {
    const { state } = this.record;
    // The request to end came while this process was starting.
    this.record = { ...this.record, ...news, ...(this.isEnding && news.state === "ready" ? { state } : {}) };
    writeRecord(this.parts.place.record, this.record);
  }

  private async openServer(): Promise<void> {
    const { config, logLine } = this.parts;
    const progress = (line: string) => {
      logLine(line);
      this.updateRecord({ step: line });
    };
    const { address, startedByUs, namespace } = await openHomeServer(config, { progress });
    const server = serverStatus(config);
    const own = server?.address === address ? server : null;
    if (own !== null && startedByUs) noteBackgroundServer(config.cache, own);
    // Perhaps a process that was killed has started it, or one of another project with the same home.
    const owns_server = own !== null && isBackgroundServer(config.cache, own);
    this.updateRecord({ address, server_pid: own?.pid ?? null, owns_server });
    await this.connection?.close().catch(() => {});
    this.connection = await this.parts.connect(address, namespace);
  }

  private async openWorker(): Promise<void> {
    const { taskQueue, config, logLine } = this.parts;
    if (this.record.server_pid === null && !config.mcpWorker) {
      logLine("The Temporal server is not the project's own: no worker is started there without --worker.");
      this.updateRecord({ worker: null, worker_pid: null, task_queue: taskQueue });
      return;
    }
    this.refuseOtherFolder();
    if (await this.isServed()) {
      logLine(`Another worker serves the task queue "${taskQueue}": no second one is started.`);
      this.updateRecord({ worker: "other", worker_pid: null, task_queue: taskQueue });
      return;
    }
    this.updateRecord({ step: "The worker is started" });
    const own = this.parts.worker();
    const started = await own.start();
    if (started === null) return;
    if ("error" in started) throw reportedError(started.error);
    this.own = own;
    this.updateRecord({ worker: "own", worker_pid: started.pid, task_queue: taskQueue });
  }

  /** @throws NavigatorError `already_exists`: its missions would run the code of another folder */
  private refuseOtherFolder(): void {
    const { place, taskQueue } = this.parts;
    const { address } = this.record;
    const other = backgroundsOf(place.home).find(
      (one) =>
        one.isLive &&
        one.worker === "own" &&
        one.folder !== place.folder &&
        one.task_queue === taskQueue &&
        one.address === address,
    );
    if (other === undefined) return;
    throw new NavigatorError(
      "already_exists",
      `${other.folder} has a project of the same name on this server, and its worker serves the task queue "${taskQueue}": missions of ${place.folder} would run the code there.`,
      {
        hint: "Give one of them another name (`project` in navigator.config), or another home (NAVIGATOR_HOME).",
        details: { path: other.folder, kind: "project", folder: other.folder, task_queue: taskQueue },
      },
    );
  }

  private async isServed(): Promise<boolean> {
    const { taskQueue, config } = this.parts;
    const queue = { namespace: config.temporal.namespace, taskQueue };
    const workers = await liveWorkers(this.connection as Connection, queue);
    // The worker of a process like this one that was killed finishes its open calls, and then ends.
    return workers.some((identity) => !identity.startsWith(`${this.inherited.worker_pid}@`));
  }

  private async watchServer(): Promise<void> {
    const { server_pid } = this.record;
    if (server_pid === null || serverStatus(this.parts.config)?.pid === server_pid) return;
    this.parts.logLine("The Temporal server ended. This process starts it again, unless another one did.");
    this.updateRecord({ state: "starting", step: "The Temporal server is started again" });
    const { address } = this.record;
    await this.openServer();
    if (this.own !== null && this.record.address !== address) {
      this.parts.logLine(`It is at ${this.record.address} now: the worker is started again.`);
      const before = this.own;
      this.own = null;
      await before.stop(() => true);
      await this.openWorker();
    }
    this.updateRecord({ state: "ready", step: "It works." });
  }

  private async watchWorker(): Promise<void> {
    if (this.record.worker !== "other" || Date.now() - this.lookedAt < WORKER_LOOK_MS) return;
    this.lookedAt = Date.now();
    // The server may be away for a moment: the worker can still be fine.
    if (await this.isServed().catch(() => true)) return;
    this.updateRecord({ state: "starting", worker: null });
    await this.openWorker();
    this.updateRecord({ state: "ready", step: "It works." });
  }

  /** It may live for weeks. */
  private shortenLog(): void {
    const { log } = this.parts.place;
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) truncateSync(log);
  }

  private async isIdle(): Promise<boolean> {
    const { place, config, project } = this.parts;
    if (leaseHolders(place.sessions).length > 0) {
      this.idleSince = null;
      this.hasReportedWork = false;
      return false;
    }
    this.idleSince ??= Date.now();
    if (Date.now() - this.idleSince < config.mcpIdleMs || Date.now() - this.askedAt < WORK_LOOK_MS) return false;
    this.askedAt = Date.now();
    // Without an answer of the server, assume that work is under way.
    const { namespace } = config.temporal;
    const isWorking =
      (this.own?.openCalls ?? []).length > 0 ||
      (await isWorkUnderWay(this.connection as Connection, { namespace, project }).catch(() => true));
    if (isWorking && !this.hasReportedWork) this.parts.logLine(WAITS_FOR_WORK);
    this.hasReportedWork ||= isWorking;
    return !isWorking;
  }

  /** A session that comes now either keeps it, or finds it ending and waits for its end. */
  private endUnlessNeeded(): void {
    const { place } = this.parts;
    withFileLock(place.lock, LOCK_MS, () => {
      if (leaseHolders(place.sessions).length > 0) return;
      this.isEnding = true;
      this.stopsServer = true;
      this.updateRecord({ state: "ending", step: "No session is left, and nothing is under way." });
    });
  }

  private async end(): Promise<void> {
    const { config, logLine } = this.parts;
    // A signal does not wait for calls that may take minutes: the old processes finish them.
    if (this.stopsServer) await this.own?.stop(() => false);
    else await this.own?.leaveAll();
    const { address, owns_server, step } = this.record;
    logLine(step);
    if (!this.stopsServer || !owns_server || address === null) return;
    // Their workers of other folders, or of `navigator dev`, would lose it.
    if (serverUsers(config.cache, address).length > 0) return;
    await stopServer(config);
    logLine(`The Temporal server at ${address} is stopped; its data is kept.`);
  }

  /** What was kept so far, after a start that failed. */
  async giveUp(): Promise<void> {
    await this.own?.stop(() => true);
    const { place, config } = this.parts;
    const { owns_server, address } = readRecord(place.record) ?? this.record;
    if (owns_server && address !== null && serverUsers(config.cache, address).length === 0) await stopServer(config);
  }
}
