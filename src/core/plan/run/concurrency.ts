/** Work on many things at once, but on no more than so many. */
export class Places {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Those that wait get their place in the order in which they asked. */
  async take(): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  give(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

/**
 * Waits until all have ended, then throws what the first of them, in order, was rejected with: whoever goes on must not
 * leave work behind that still runs.
 */
export async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(works);
  const broken = ends.find((end) => end.status === "rejected");
  if (broken) throw broken.reason;
}
