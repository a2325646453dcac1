import { randomUUID } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Info } from "@temporalio/activity";
import type { ActivityInterceptorsFactory, Logger, Worker, WorkerOptions, WorkerPlugin } from "@temporalio/worker";
import { isObject } from "../../core/base/is-object";
import { thrownText } from "../../core/base/navigator-error";
import { PRIVATE_FILE, privateFolder } from "../../node/private-files";
import { cacheFolder } from "../../node/settings";
import { giveSignOfLife, lifeOf } from "../../node/sign-of-life";
import {
  beginLine,
  type CallsHeader,
  type CallUnderWay,
  ENDINGS,
  endLine,
  headerLine,
  readHeader,
  readOpenCalls,
} from "./calls-file";
import { RELEASE_ANSWER_MS, releaseLostCalls, type Served } from "./release-lost-calls";

const CALLS_NOT_KEPT = "calls_not_kept";

/**
 * Quick recovery (docs/decisions/0052): a worker keeps a list of its work under way on disk, and the next one on this machine
 * gives back the work of a killed one. It is an addition: whatever fails here, the worker works, and time limits reveal
 * losses.
 */
export class LostWork implements WorkerPlugin {
  readonly name = "navigator-lost-work";
  private openCalls: OpenCallsOfWorker | null = null;

  /** @param names of the activities that are kept: of others nobody knows how they take a loss */
  constructor(
    private readonly folder: string,
    private readonly names: ReadonlySet<string>,
    private readonly log: Pick<Logger, "warn">,
  ) {}

  /**
   * @param folder the option `callsFolder` of a worker
   * @param names of Navigator's activities
   * @returns null for `false`
   */
  static of(folder: string | false | undefined, names: ReadonlySet<string>, log: Logger): LostWork | null {
    if (folder === false) return null;
    if (folder !== undefined) return new LostWork(folder, names, log);
    // The user named no folder: one that cannot be written, as in many containers, is no reason for a warning.
    const quiet = {
      warn: (event: string, fields?: object) => log[event === CALLS_NOT_KEPT ? "debug" : "warn"](event, { ...fields }),
    };
    return new LostWork(path.join(cacheFolder(), "workers"), names, quiet);
  }

  /** Gives back what was lost, and begins to keep. To be awaited before the worker runs: what it takes itself is not lost. */
  async begin(connection: Served["connection"], namespace: string): Promise<void> {
    const notKept = (error: unknown) =>
      this.log.warn(CALLS_NOT_KEPT, {
        folder: this.folder,
        error: thrownText(error),
      });
    try {
      const { namespaceInfo } = await connection.withDeadline(Date.now() + RELEASE_ANSWER_MS, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
      const namespaceId = namespaceInfo?.id ?? "";
      const lost = await findLostCalls(this.folder, namespaceId);
      const { released, unanswered } = await releaseLostCalls({ connection, namespace, namespaceId }, lost.calls);
      if (lost.calls.length > 0)
        this.log.warn("lost_calls_released", { lost: lost.calls.length, released, ...(unanswered && { unanswered }) });
      // The next worker reports those that this one could not report to the server.
      if (unanswered === 0) await lost.forget();
      this.openCalls = await OpenCallsOfWorker.keptIn(this.folder, namespaceId, { onTrouble: notKept });
    } catch (error) {
      notKept(error);
    }
  }

  /** Begins while a worker is made. If that fails, it ends again. */
  async beginWhile<T>(making: Promise<T>, connection: Served["connection"], namespace = "default"): Promise<T> {
    const [made] = await Promise.allSettled([making, this.begin(connection, namespace)]);
    if (made.status === "fulfilled") return made.value;
    this.end();
    throw made.reason;
  }

  /** The worker was not made, or has ended. */
  end(): void {
    this.openCalls?.close();
    this.openCalls = null;
  }

  configureWorker(options: WorkerOptions): WorkerOptions {
    const { activity = [], ...others } = options.interceptors ?? {};
    return { ...options, interceptors: { ...others, activity: [this.keeping, ...activity] } };
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    try {
      await next(worker);
    } finally {
      this.end();
    }
  }

  private readonly keeping: ActivityInterceptorsFactory = ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const { openCalls } = this;
        const call = callOf(info);
        if (openCalls === null || call === null || !this.names.has(info.activityType) || isBlocked(input.args))
          return next(input);
        const number = openCalls.begin(call);
        try {
          return await next(input);
        } finally {
          openCalls.end(number);
        }
      },
    },
  });
}

/** null: it belongs to no workflow. */
function callOf({
  workflowExecution,
  isLocal,
  activityId: id,
  attempt,
  base64TaskToken: token,
}: Info): CallUnderWay | null {
  if (workflowExecution === undefined) return null;
  const { workflowId: workflow_id, runId: run_id } = workflowExecution;
  return { workflow_id, run_id, began: Date.now(), ...(isLocal ? {} : { activity: { id, attempt, token } }) };
}

/**
 * A call that is tried until a worker has the parts that it needs. The policy of its retries makes a loss end it, so that the
 * workflow decides; the server does not return this part of a policy.
 */
const isBlocked = ([input]: unknown[]): boolean => isObject(input) && input.blocked_ms !== undefined;

/** A file is written anew, with the work under way, when it has grown by this. */
const GROWTH_BYTES = 1_000_000;

interface KeepingOptions {
  /** Called when calls are not kept from now on, such as on a full disk. The calls themselves continue. */
  onTrouble(error: Error): void;
  growth_bytes?: number;
}

/** The calls that one worker has under way, on disk: the worker that comes after a killed one reads what nobody does any more. */
export class OpenCallsOfWorker {
  /** By their numbers: the lines that began them. */
  private readonly open = new Map<number, string>();
  private begun = 0;
  private fd: number;
  private bytes = 0;
  private limit: number;
  private isGivenUp = false;

  private constructor(
    private readonly base: string,
    private readonly header: string,
    private readonly life: { end(): void },
    private readonly options: KeepingOptions,
  ) {
    this.fd = openSync(base + ENDINGS.calls, "wx", PRIVATE_FILE.mode);
    this.limit = this.growth;
    this.write(header);
  }

  /**
   * @returns null where no later process could see that this one has ended: then nothing is kept
   * @throws Error if the folder cannot be written
   */
  static async keptIn(
    folder: string,
    namespace_id: string,
    options: KeepingOptions,
  ): Promise<OpenCallsOfWorker | null> {
    privateFolder(folder);
    const base = path.join(folder, randomUUID());
    const life = await giveSignOfLife(base + ENDINGS.alive);
    if (life === null) return null;
    try {
      return new OpenCallsOfWorker(base, headerLine({ sign: life.sign, namespace_id }), life, options);
    } catch (error) {
      life.end();
      throw error;
    }
  }

  /** Keeps a call before it begins. @returns its number, to end it with */
  begin(call: CallUnderWay): number {
    this.begun += 1;
    const line = beginLine(this.begun, call);
    this.open.set(this.begun, line);
    this.write(line);
    return this.begun;
  }

  end(number: number): void {
    this.open.delete(number);
    this.write(endLine(number));
  }

  /** The worker has ended, and the process may live. The next worker will know of a call that continues even so. */
  close(): void {
    if (this.open.size > 0) return;
    rmSync(this.base + ENDINGS.calls, { force: true });
    closeSync(this.fd);
    this.life.end();
  }

  private write(line: string): void {
    if (this.isGivenUp) return;
    try {
      this.bytes += wholly(this.fd, line, this.bytes);
      if (this.bytes >= this.limit) this.writeAnew();
    } catch (error) {
      // Time limits reveal losses then. Ended calls that are still in the file do no harm: the server knows that they
      // ended.
      this.isGivenUp = true;
      this.options.onTrouble(error as Error);
    }
  }

  private writeAnew(): void {
    const fresh = this.base + ENDINGS.fresh;
    const before = this.fd;
    const fd = openSync(fresh, "w", PRIVATE_FILE.mode);
    try {
      this.bytes = wholly(fd, [this.header, ...this.open.values()].join(""), 0);
      renameSync(fresh, this.base + ENDINGS.calls);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.fd = fd;
    this.limit = this.bytes + this.growth;
    closeSync(before);
  }

  private get growth(): number {
    return this.options.growth_bytes ?? GROWTH_BYTES;
  }
}

/** @returns the number of bytes @throws Error if the disk had space for a part only */
function wholly(fd: number, text: string, at: number): number {
  const written = writeSync(fd, text, at);
  if (written < Buffer.byteLength(text)) throw new Error("the disk is full");
  return written;
}

/** What ended workers had under way. */
interface LostCalls {
  calls: CallUnderWay[];
  /** Removes their files. */
  forget(): Promise<void>;
}

/** Nobody wrote to it for this time, and its worker is not seen: its machine is gone, or no worker serves that server any more. */
const FORGOTTEN_MS = 7 * 24 * 60 * 60 * 1_000;

/** Looked at side by side. */
const AT_ONCE = 32;

/**
 * The calls that workers of this folder had under way for this namespace and that nobody does any more, because their process has surely
 * ended. What nobody will ask for is removed.
 *
 * @param now ms since 1970
 */
export async function findLostCalls(folder: string, namespace_id: string, now = Date.now()): Promise<LostCalls> {
  const bases = await basesIn(folder);
  const lost: { base: string; calls: CallUnderWay[] }[] = [];
  for (let from = 0; from < bases.length; from += AT_ONCE)
    await Promise.all(
      bases.slice(from, from + AT_ONCE).map(async (base) => {
        const { header } = await readCalls(base);
        const life = header === null ? "unknown" : await lifeOf(header.sign, base + ENDINGS.alive);
        // Read once more: until its end the worker may have written.
        if (life === "ended" && header?.namespace_id === namespace_id)
          lost.push({ base, calls: readOpenCalls((await readCalls(base)).lines) });
        else if (life !== "lives" && now - (await lastChange(base)) > FORGOTTEN_MS) await remove(base);
      }),
    );
  return {
    calls: lost.flatMap(({ calls }) => calls),
    forget: async () => {
      await Promise.all(lost.map(({ base }) => remove(base)));
    },
  };
}

/** Of each worker that has a file here: the path of its files without their ending. */
async function basesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []); // no worker ever ran here
  return [...new Set(names.flatMap((name) => OURS.exec(name)?.[1] ?? []))].map((id) => path.join(folder, id));
}

/** The folder may be one that has other things, too. */
const OURS = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:calls|calls\.new|alive)$/;

async function readCalls(base: string): Promise<{ header: CallsHeader | null; lines: string[] }> {
  const [first = "", ...lines] = (await readFile(base + ENDINGS.calls, "utf8").catch(() => "")).split("\n");
  return { header: readHeader(first), lines };
}

async function lastChange(base: string): Promise<number> {
  const times = Object.values(ENDINGS).map((ending) =>
    stat(base + ending).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}

async function remove(base: string): Promise<void> {
  await Promise.all(Object.values(ENDINGS).map((ending) => rm(base + ending, { force: true })));
}
