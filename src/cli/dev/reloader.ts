import path from "node:path";
import type { CommandIo } from "../terminal/io";
import { DevWorker } from "./dev-worker";
import { LAST_CALLS_MS } from "./messages";
import { FileWatch } from "./watch-files";

/** Told when the old code is still at work after this time, in ms. */
const TOLD_AFTER_MS = 3_000;

export interface ReloaderOptions {
  /** The configuration, or the folder of the project. */
  place: string;
  /** The folder that is watched. */
  folder: string;
  env: NodeJS.ProcessEnv;
  page: { port: number; isNamed: boolean; temporalUi: string | null };
  /** Ids of the missions that run now: they are told what a reload means for them. */
  running(): Promise<string[]>;
  /** How long open calls of code that was replaced may take, in ms. Then its process is killed, like one that crashed. */
  lastCalls_ms?: number;
}

/** Keeps one process with the project's code, and replaces it when the code changes. */
export class Reloader {
  private current: DevWorker | null = null;
  private readonly leaving = new Set<Promise<unknown>>();
  private watch: FileWatch | null = null;
  private last: Promise<void> = Promise.resolve();
  private changed = new Set<string>();
  private port: number | null = null;
  private isStopping = false;

  constructor(
    private readonly io: CommandIo,
    private readonly options: ReloaderOptions,
  ) {}

  private get lastCalls_ms(): number {
    return this.options.lastCalls_ms ?? LAST_CALLS_MS;
  }

  /** The first process. @returns the link to the page, and its queue; null: the code cannot be loaded, which was told */
  async start(): Promise<
    { link: string; taskQueue: string; agents: string[] } | { error: Awaited<ReturnType<DevWorker["failure"]>> }
  > {
    const worker = new DevWorker(this.options.place, this.options.env);
    this.current = worker;
    const loaded = await worker.first("loaded");
    if (loaded === null) return { error: await worker.failure() };
    const serving = await this.serve(worker);
    if (serving === null) return { error: await worker.failure() };
    this.watch = new FileWatch(
      this.options.folder,
      (files) => this.take(files),
      (error) =>
        this.io.err(`Changes of some files are not seen: ${error.message}. Start navigator dev again to load them.`),
    );
    this.watch.setSources(loaded);
    this.follow(worker);
    return { link: serving.link, taskQueue: loaded.taskQueue, agents: loaded.agents };
  }

  /** @param isUrgent open calls are cut off */
  async stop(isUrgent: () => boolean): Promise<void> {
    this.isStopping = true;
    this.watch?.close();
    const worker = this.current;
    const timer = setInterval(() => isUrgent() && worker?.kill(), 100);
    await this.last;
    await worker?.stop(this.lastCalls_ms);
    await Promise.all(this.leaving);
    clearInterval(timer);
  }

  private take(files: string[]): void {
    for (const file of files) this.changed.add(file);
    // A change during a reload is loaded after it.
    this.last = this.last.then(() => this.reload()).catch((error: unknown) => this.io.err(String(error)));
  }

  private async reload(): Promise<void> {
    if (this.changed.size === 0 || this.isStopping) return;
    const files = [...this.changed].map((file) => path.relative(this.options.folder, file));
    this.changed.clear();
    const began = Date.now();
    const next = new DevWorker(this.options.place, this.options.env);
    const loaded = await next.first("loaded");
    if (loaded === null || this.isStopping) {
      if (loaded !== null) return next.kill();
      return this.refused(files, await next.failure());
    }
    const before = this.current;
    this.current = next;
    this.follow(next);
    // One page after the other, because they have the same port. Their browsers come back by themselves.
    if (before !== null) void this.leave(before);
    await before?.first("page_closed");
    const serving = await this.serve(next);
    await before?.first("drained");
    this.watch?.setSources(loaded);
    if (serving === null) return this.refused(files, await next.failure());
    const running = await this.options.running();
    this.io.event({ event: "reloaded", files, running, pid: next.pid, ms: Date.now() - began }, () =>
      [
        this.io.color.green(`Reloaded after a change of ${files.join(", ")}: new missions use the new code.`),
        ...(running.length === 0
          ? []
          : [
              `${namesOf(running)} ${running.length === 1 ? "goes" : "go"} on with the agent as it was at the start; the next model and tool calls use the new code.`,
            ]),
      ].join("\n"),
    );
  }

  private refused(files: string[], error: { code: string; message: string; hint?: string }): void {
    this.io.event({ event: "reload_failed", files, error }, () =>
      [
        `${this.io.color.red("error")} ${this.io.color.dim(`[${error.code}]`)} ${error.message}`,
        this.current?.end === null
          ? "The code before this change goes on. It is loaded when you save the next change."
          : "Nothing works on missions now. Save a change to load the code again.",
      ].join("\n"),
    );
  }

  private async serve(worker: DevWorker) {
    const { page } = this.options;
    worker.tell({ type: "serve", ...page, port: this.port ?? page.port, isNamed: page.isNamed });
    const serving = await worker.first("serving");
    this.port = serving?.port ?? this.port;
    return serving;
  }

  /** Lets the open calls of the old code end. */
  private leave(worker: DevWorker): Promise<boolean> {
    const timer = setTimeout(
      () =>
        this.io.event({ event: "old_code_busy", pid: worker.pid }, () =>
          this.io.color.dim(`The old code finishes its open calls, for ${this.lastCalls_ms / 1000} s at most.`),
        ),
      TOLD_AFTER_MS,
    );
    const over = worker.stop(this.lastCalls_ms).then((isKilled) => {
      clearTimeout(timer);
      this.leaving.delete(over);
      if (isKilled)
        this.io.event({ event: "old_code_killed", pid: worker.pid }, () =>
          this.io.color.yellow(
            "The old code was killed during a call. The call is made again, or its outcome is asked for, as after a crash.",
          ),
        );
      return isKilled;
    });
    this.leaving.add(over);
    return over;
  }

  /** A process that ends by itself is told, and replaced after the next change. */
  private follow(worker: DevWorker): void {
    void worker.ended.then(() => {
      if (worker !== this.current || this.isStopping) return;
      this.io.event({ event: "worker_ended", pid: worker.pid, how: worker.end }, () =>
        this.io.color.red(
          `The process with the project's code ended (${worker.end}). Save a change to start it again; missions wait until then.`,
        ),
      );
    });
  }
}

const namesOf = (ids: readonly string[]): string =>
  ids.length <= 3 ? ids.join(", ") : `${ids.slice(0, 3).join(", ")} and ${ids.length - 3} more`;
