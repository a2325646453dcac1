import { randomUUID } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { PRIVATE_FILE, privateFolder } from "../../node/private-files";
import { giveSignOfLife } from "../../node/sign-of-life";
import { beginLine, type CallUnderWay, ENDINGS, endLine, headerLine } from "./calls-file";

/** A file is written anew, with what is under way, when it has grown by this. */
const GROWTH_BYTES = 1_000_000;

export interface KeepingOptions {
  /** Is told that calls are not kept from now on, such as on a full disk. The calls themselves go on. */
  onTrouble(error: Error): void;
  growth_bytes?: number;
}

/** The calls that one worker has under way, on disk: the worker that comes after a killed one reads what nobody does any more. */
export class HeldCalls {
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
   * @returns null where nobody could tell that this process has ended: then nothing is kept
   * @throws Error if the folder cannot be written
   */
  static async keptIn(folder: string, namespace_id: string, options: KeepingOptions): Promise<HeldCalls | null> {
    privateFolder(folder);
    const base = path.join(folder, randomUUID());
    const life = await giveSignOfLife(base + ENDINGS.alive);
    if (life === null) return null;
    try {
      return new HeldCalls(base, headerLine({ sign: life.sign, namespace_id }), life, options);
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

  /** The worker has ended, and the process may live. Of a call that goes on even so the next worker will know. */
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
      // Time limits tell of losses then. What ended and is still in the file does no harm: the server knows that it ended.
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

/** @returns the number of bytes @throws Error if the disk had room for a part only */
function wholly(fd: number, text: string, at: number): number {
  const written = writeSync(fd, text, at);
  if (written < Buffer.byteLength(text)) throw new Error("the disk is full");
  return written;
}
