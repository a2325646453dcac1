import path from "node:path";
import type { CommandIo } from "../terminal/io";
import { CodeProcess } from "./code-process";
import { type ShownMissions, takeLine } from "./live-line";
import { type FromCodeProcess, LAST_CALLS_MS, type PagePlace } from "./messages";
import type { OpenCall } from "./open-calls";
import { reports } from "./reload-reports";
import { FileWatch } from "./watch-files";

/** The command reports old code that is still at work after this time, in ms. */
const REPORT_AFTER_MS = 3_000;
/** The command reports code that is not loaded after this time, in ms. */
const SLOW_LOAD_MS = 10_000;

export interface ReloaderOptions {
  /** The configuration, or the folder of the project. */
  place: string;
  /** The folder that is watched. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** null: there is no page. */
  page: PagePlace | null;
  /** Only what the project was loaded from makes it load again, and not other code in its folder. */
  watchesOnlySources?: boolean;
  /** Whether the command logs what missions do. */
  isLogged: boolean;
  /**
   * How long calls without an effect that are open in code which was replaced may take, in ms. Then its process is killed, like one
   * that crashed; calls with an effect are waited for until their own time limit.
   */
  lastCalls_ms?: number;
}

/** What the first process serves. */
export interface Started {
  pid: number;
  /** To the page. */
  link: string;
  /** The file of the token that logs in; null: the link has it. */
  tokenFile: string | null;
  project: string | null;
  taskQueue: string;
  agents: string[];
}

type Loaded = FromCodeProcess & { type: "loaded" };
type Failure = (FromCodeProcess & { type: "failed" })["error"];

/** Keeps one process with the project's code, and replaces it when the code changes. */
export class Reloader {
  /** The process that works. */
  private current: CodeProcess | null = null;
  /** The process that loads the code. A newer change makes what it loads old. */
  private loading: CodeProcess | null = null;
  private readonly processes = new Set<CodeProcess>();
  private readonly leaving = new Set<Promise<unknown>>();
  private watch: FileWatch | null = null;
  private reloads: Promise<unknown> = Promise.resolve();
  private readonly changed = new Set<string>();
  private readonly progress: ShownMissions = {};
  private readonly since = Date.now();
  private port: number | null = null;
  private link = "";
  private tokenFile: string | null = null;
  /** Since the last change. */
  private hasRestarted = false;
  private isStopping = false;

  constructor(
    private readonly io: CommandIo,
    private readonly options: ReloaderOptions,
  ) {}

  private get lastCalls_ms(): number {
    return this.options.lastCalls_ms ?? LAST_CALLS_MS;
  }

  /**
   * Loads the code for the first time, again and again if it changes during that time.
   *
   * @returns `error`: it cannot be loaded, or there is no page; null: it was stopped before
   */
  start(): Promise<Started | { error: Failure } | null> {
    const started = this.startFirst();
    this.reloads = started.catch(() => {});
    return started;
  }

  /** From now on the process logs what missions do. */
  beginLog(): void {
    const { io, since, progress } = this;
    if (this.options.isLogged) this.current?.post({ type: "log", since, progress, isTerminal: io.isShown });
  }

  /** @param isUrgent open calls are cut off */
  async stop(isUrgent: () => boolean): Promise<void> {
    this.isStopping = true;
    this.watch?.close();
    this.loading?.kill();
    const killAll = () => {
      for (const one of this.processes) one.kill();
    };
    const timer = setInterval(() => isUrgent() && killAll(), 100);
    await this.reloads;
    const notice = setTimeout(() => {
      if (this.openCalls.length > 0)
        this.io.event({ event: "stop_waits", calls: this.openCalls }, () =>
          reports.stopWaits(this.io.color, this.openCalls, this.lastCalls_ms),
        );
    }, REPORT_AFTER_MS);
    await this.current?.stop();
    await Promise.all(this.leaving);
    clearInterval(timer);
    clearTimeout(notice);
  }

  /** What all processes with the project's code call now. */
  get openCalls(): OpenCall[] {
    return [...this.processes].flatMap(({ openCalls }) => openCalls);
  }

  /** Leaves the open calls to their processes, because this process ends first. They take no new work. */
  async leaveAll(): Promise<void> {
    this.isStopping = true;
    this.watch?.close();
    this.loading?.kill();
    await this.reloads;
    await Promise.all([...this.processes].map((one) => one.leave()));
  }

  private async startFirst(): Promise<Started | { error: Failure } | null> {
    // Before anything is loaded: no save is missed.
    this.watch = new FileWatch(
      this.options.folder,
      (files) => this.take(files),
      (error) => this.io.err(reports.unwatched(error)),
      { onlySources: this.options.watchesOnlySources === true },
    );
    for (;;) {
      this.changed.clear();
      const { process, loaded } = await this.load();
      if (this.isStopping) return null;
      if (this.changed.size > 0) continue;
      if (loaded === null) return { error: await process.failure() };
      this.current = process;
      this.watch.setSources(loaded);
      const serving = await this.serve(process, true);
      if (serving === null) return this.isStopping ? null : { error: await process.failure() };
      this.follow(process);
      const { agents, project, taskQueue } = loaded;
      return { pid: process.pid, link: this.link, tokenFile: this.tokenFile, project, taskQueue, agents };
    }
  }

  private take(files: string[]): void {
    for (const file of files) this.changed.add(file);
    this.hasRestarted = false;
    this.loading?.kill();
    // A change while another one takes effect is loaded after it.
    this.next(() => this.reload());
  }

  private next(work: () => Promise<void>): void {
    this.reloads = this.reloads.then(work).catch((error: unknown) => this.io.err(String(error)));
  }

  private async reload(): Promise<void> {
    if (this.changed.size === 0 || this.isStopping) return;
    const files = [...this.changed];
    this.changed.clear();
    const isDone = await this.replace(files.map((file) => path.relative(this.options.folder, file)));
    // The report of the next change names them too.
    if (!isDone) for (const file of files) this.changed.add(file);
  }

  /** @returns false: there is a newer change, which is next */
  private async replace(files: string[]): Promise<boolean> {
    const began = Date.now();
    const { process: next, loaded } = await this.load();
    if (this.isStopping) return true;
    if (this.changed.size > 0) return false;
    if (loaded === null) {
      this.refused(files, await next.failure());
      return true;
    }
    const before = this.current;
    this.current = next;
    // One page after the other, because they have the same port. Their browsers reconnect.
    if (before !== null) void this.leave(before);
    await before?.first("page_closed");
    const link = this.link;
    const serving = await this.serve(next, false);
    await before?.first("drained");
    this.watch?.setSources(loaded);
    if (serving === null) {
      if (!this.isStopping) this.refused(files, await next.failure());
      return true;
    }
    const { running, page } = serving;
    const isMoved = this.link !== link;
    const shown = {
      files,
      running,
      pid: next.pid,
      ms: Date.now() - began,
      page: page !== null && "link" in page ? this.link : null,
    };
    this.io.event({ event: "reloaded", ...shown }, () =>
      reports.reloaded(this.io.color, { files, running, movedTo: isMoved ? this.link : null }),
    );
    if (page !== null && "error" in page)
      this.io.event({ event: "page_failed", error: page.error }, () => reports.noPage(this.io.color, page.error));
    this.follow(next);
    this.beginLog();
    return true;
  }

  /** A new process, once it has loaded the code; `loaded` is null if it ended before. */
  private async load(): Promise<{ process: CodeProcess; loaded: Loaded | null }> {
    const process = new CodeProcess(this.options.place, this.options.env, this.lastCalls_ms, (line) => {
      takeLine(this.progress, line);
      const { shown } = line;
      if (shown !== undefined) this.io.event(shown.event, () => shown.text);
    });
    this.processes.add(process);
    void process.ended.then(() => this.processes.delete(process));
    this.loading = process;
    const timer = setTimeout(
      () =>
        this.io.event({ event: "loading_slow", pid: process.pid }, () =>
          reports.slow(this.io.color, SLOW_LOAD_MS, this.current !== null),
        ),
      SLOW_LOAD_MS,
    );
    const loaded = await process.first("loaded");
    clearTimeout(timer);
    this.loading = null;
    return { process, loaded };
  }

  private refused(files: string[], error: Failure): void {
    this.io.event({ event: "reload_failed", files, error }, () =>
      reports.refused(this.io.color, error, this.current?.end === null),
    );
  }

  private async serve(process: CodeProcess, isNeeded: boolean) {
    const { page: place } = this.options;
    process.post({ type: "serve", page: place && { ...place, port: this.port ?? place.port, isNeeded } });
    const serving = await process.first("serving");
    const page = serving?.page;
    // The first process has made the token, and only its link shows it.
    if (page && "link" in page && page.port !== this.port)
      ({ port: this.port, link: this.link, tokenFile: this.tokenFile } = page);
    return serving;
  }

  /** Lets the open calls of the old code end. */
  private leave(process: CodeProcess): Promise<boolean> {
    const { io, lastCalls_ms } = this;
    const timer = setTimeout(() => {
      const calls = process.openCalls;
      io.event({ event: "old_code_busy", pid: process.pid, calls }, () => reports.busy(io.color, calls, lastCalls_ms));
    }, REPORT_AFTER_MS);
    const over = process.stop().then((isKilled) => {
      clearTimeout(timer);
      this.leaving.delete(over);
      if (isKilled) io.event({ event: "old_code_killed", pid: process.pid }, () => reports.killed(io.color));
      return isKilled;
    });
    this.leaving.add(over);
    return over;
  }

  /** Reports a process that ends unasked, and starts it again: once, because the same code may end it again. */
  private follow(process: CodeProcess): void {
    void process.ended.then(() => {
      if (process !== this.current || this.isStopping) return;
      const isRestarted = !this.hasRestarted;
      this.hasRestarted = true;
      const { pid, end } = process;
      this.io.event({ event: "worker_ended", pid, how: end, is_restarted: isRestarted }, () =>
        reports.ended(this.io.color, end, isRestarted),
      );
      if (isRestarted) this.next(() => this.restart(process));
    });
  }

  private async restart(ended: CodeProcess): Promise<void> {
    // A change that came first has replaced it already.
    if (this.current === ended && !this.isStopping) await this.replace([]);
  }
}
