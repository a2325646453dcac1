import type { WebProcess } from "./web-process";

/** Readers of the events of missions, who stay connected until `close`. */
export class Readers {
  private readonly stopping = new AbortController();
  private ended = 0;

  private constructor() {}

  /** @returns when each has heard its first event */
  static async open(web: WebProcess, workflowIds: readonly string[], count: number): Promise<Readers> {
    const readers = new Readers();
    for (let at = 0; at < count; at += 20)
      await Promise.all(
        Array.from({ length: Math.min(20, count - at) }, (_, i) =>
          readers.begin(web, workflowIds[(at + i) % workflowIds.length] as string),
        ),
      );
    return readers;
  }

  /** Readers whose connection ended by itself: there should be none. */
  get lost(): number {
    return this.ended;
  }

  close(): void {
    this.stopping.abort();
  }

  private async begin(web: WebProcess, workflowId: string): Promise<void> {
    const { signal } = this.stopping;
    const response = await web.open(`/api/runs/${encodeURIComponent(workflowId)}/events`, signal);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    void (async () => {
      try {
        while (!(await reader.read()).done);
        this.ended += 1;
      } catch {
        if (!signal.aborted) this.ended += 1;
      }
    })();
  }
}
