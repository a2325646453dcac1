/** Runs many jobs with a limit on how many run at once. */
export class Places {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Waiting jobs start in the order of their requests. */
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
 * Waits until all have ended, then throws the first rejection in order: no work may still run when the caller
 * continues.
 */
export async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(works);
  const broken = ends.find((end) => end.status === "rejected");
  if (broken) throw broken.reason;
}
