import type { StreamPart, StreamStore } from "./stream-store";

/** How long a part that was read is kept for others who want the same, in ms. */
const KEPT_MS = 2_000;

/**
 * Reads of many readers of the same streams, each made once: readers that follow a stream stand at the same offset (web reference,
 * section 6).
 */
export class SharedReads implements Pick<StreamStore, "read" | "more"> {
  private readonly reads = new Map<string, Promise<StreamPart>>();
  private readonly waits = new Map<string, Wait>();

  constructor(private readonly store: Pick<StreamStore, "read" | "more">) {}

  read(stream: string, offset: number): Promise<StreamPart> {
    const key = `${offset} ${stream}`;
    const known = this.reads.get(key);
    if (known !== undefined) return known;
    const reading = this.store.read(stream, offset);
    this.reads.set(key, reading);
    const forget = () => void this.reads.delete(key);
    // Nothing there, yet: the next one who asks may find something.
    reading.then(({ entries }) => (entries.length === 0 ? forget() : setTimeout(forget, KEPT_MS).unref()), forget);
    return reading;
  }

  async more(stream: string, offset: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const key = `${offset} ${stream}`;
    const wait = this.waits.get(key) ?? this.begin(key, stream, offset);
    wait.waiting += 1;
    const given = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([wait.done, given]);
    wait.waiting -= 1;
    if (wait.waiting === 0) wait.stop.abort();
  }

  private begin(key: string, stream: string, offset: number): Wait {
    const stop = new AbortController();
    const done = this.store.more(stream, offset, stop.signal).finally(() => {
      if (this.waits.get(key) === wait) this.waits.delete(key);
    });
    const wait: Wait = { done, stop, waiting: 0 };
    stop.signal.addEventListener("abort", () => {
      if (this.waits.get(key) === wait) this.waits.delete(key);
    });
    this.waits.set(key, wait);
    return wait;
  }
}

interface Wait {
  done: Promise<void>;
  stop: AbortController;
  waiting: number;
}
