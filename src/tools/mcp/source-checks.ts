import { existsSync } from "node:fs";
import path from "node:path";
import { Worker as Thread } from "node:worker_threads";
import type { Json } from "../../core/base/json";
import type { SchemaOrBoolean } from "../../core/signature/json-schema/schema-reader";
import { stopAfter, TookTooLong } from "../../node/stop-after";
import { ToolFailure } from "../errors";
import type { SchemaRead } from "../schema/json-schema-check";

/** A check by a schema of a server. */
export interface CheckInThread {
  schema: SchemaOrBoolean;
  value: Json;
}

/** The thread has loaded: from now on the check takes time. */
export const CHECK_BEGINS = "begins";

/** The build writes it next to this file. The sources check in the main thread. */
const THREAD = path.join(__dirname, "check-thread.js");
/** Usual checks end in a fraction of this. */
const AT_ONCE_MS = 20;
const OFF_MS = 5 * 60_000;

interface SourceChecksOptions {
  /** Called when the source is switched off. */
  onOff?: (fields: { tool: string; minutes: number }) => void;
  /** ms, by any clock. */
  now?: () => number;
  /** Runs a check apart from the main thread. @throws TookTooLong */
  apart?: (check: CheckInThread, limit_ms: number) => Promise<SchemaRead>;
}

/**
 * The checks by the schemas of one source, which is somebody else's. A check that does not end at once continues in a thread, one at a
 * time, so that no other work of the worker waits for it. After one that does not end at all the source is switched off for some minutes.
 */
export class SourceChecks {
  private offUntil = Number.NEGATIVE_INFINITY;
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private readonly now: () => number;

  constructor(private readonly options: SourceChecksOptions = {}) {
    this.now = options.now ?? (() => performance.now());
  }

  /** Before a call is made. @throws ToolFailure while the source is switched off: nothing was done */
  refuseIfOff(): void {
    const left_ms = this.offUntil - this.now();
    if (left_ms <= 0) return;
    throw new ToolFailure(
      `its source is switched off for ${Math.ceil(left_ms / 60_000)} more minutes: a check by one of its schemas did not end. The call was not made.`,
      { code: "tool_source_failed" },
    );
  }

  /** @param validate the compiled schema @throws TookTooLong */
  async read(
    tool: string,
    validate: (value: Json) => SchemaRead,
    check: CheckInThread,
    limit_ms: number,
  ): Promise<SchemaRead> {
    const apart = this.options.apart ?? (existsSync(THREAD) ? inThread : undefined);
    const atOnce = (ms: number, beginnings?: number) => stopAfter(ms, () => validate(check.value), beginnings);
    try {
      if (apart === undefined) return atOnce(limit_ms);
      // While a check of this source takes long, no other one tries to end at once.
      const short = this.waiting === 0 ? unlessLong(() => atOnce(Math.min(AT_ONCE_MS, limit_ms), 1)) : null;
      return short ?? (await this.inTurn(() => apart(check, limit_ms)));
    } catch (error) {
      if (error instanceof TookTooLong) this.switchOff(tool);
      throw error;
    }
  }

  private inTurn(check: () => Promise<SchemaRead>): Promise<SchemaRead> {
    this.waiting += 1;
    const turn = this.last
      .then(() => {
        // One before it has switched the source off.
        if (this.offUntil > this.now()) throw new TookTooLong("An earlier check of this source did not end.");
        return check();
      })
      .finally(() => {
        this.waiting -= 1;
      });
    this.last = turn.catch(() => {});
    return turn;
  }

  private switchOff(tool: string): void {
    const isNew = this.offUntil <= this.now();
    this.offUntil = this.now() + OFF_MS;
    if (isNew) this.options.onOff?.({ tool, minutes: OFF_MS / 60_000 });
  }
}

/** null: it takes longer. */
function unlessLong<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof TookTooLong) return null;
    throw error;
  }
}

function inThread(workerData: CheckInThread, limit_ms: number): Promise<SchemaRead> {
  const thread = new Thread(THREAD, { workerData, execArgv: [], env: {} });
  let timer: NodeJS.Timeout | undefined;
  return new Promise<SchemaRead>((resolve, reject) => {
    const tooLong = () => reject(new TookTooLong(`It took longer than ${limit_ms} ms.`));
    thread.on("message", (message: typeof CHECK_BEGINS | SchemaRead) => {
      if (message !== CHECK_BEGINS) resolve(message);
      else timer = setTimeout(tooLong, limit_ms);
    });
    thread.on("error", reject).on("exit", tooLong);
  }).finally(() => {
    clearTimeout(timer);
    void thread.terminate();
  });
}
