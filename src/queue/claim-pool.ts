/** A list this old may hide a task that came since, or offer too many that others took. */
const FRESH_MS = 500;
/** Candidates of one list: enough for many clients of this process. */
export const POOL_SIZE = 64;

/**
 * Tasks that may be claimed, shared by all who ask this process: one list serves many of them, and no two of them try the
 * same task. What other processes take is refused by the task itself.
 */
export class ClaimPool {
  private ids: string[] = [];
  private listedAt = 0;
  private listing: Promise<void> | null = null;
  private readonly handedOut = new Map<string, number>();

  /** @param list gives candidates, best first; `equal`: so many of them are as good as the first */
  constructor(private readonly list: () => Promise<{ ids: string[]; equal: number }>) {}

  /** The best one that nobody of this process has tried a moment ago; null = there is none. */
  async take(): Promise<string | null> {
    if (this.ids.length === 0 || Date.now() - this.listedAt > FRESH_MS) await this.refresh();
    const id = this.ids.shift() ?? null;
    if (id !== null) this.handedOut.set(id, Date.now());
    return id;
  }

  private refresh(): Promise<void> {
    this.listing ??= this.fill().finally(() => {
      this.listing = null;
    });
    return this.listing;
  }

  private async fill(): Promise<void> {
    const began = Date.now();
    const { ids, equal } = await this.list();
    // Longer than lists lag behind.
    for (const [id, at] of this.handedOut) if (began - at > 4 * FRESH_MS) this.handedOut.delete(id);
    const free = spread(ids, equal).filter((id) => !this.handedOut.has(id));
    this.ids = free;
    this.listedAt = Date.now();
  }
}

/** Begins somewhere among the `equal` best: processes that list at once do not all begin with the same. */
function spread(ids: readonly string[], equal: number): string[] {
  const at = Math.floor(Math.random() * equal);
  return [...ids.slice(at, equal), ...ids.slice(0, at), ...ids.slice(equal)];
}
