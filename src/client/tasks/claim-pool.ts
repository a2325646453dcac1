/** A list older than this may miss new tasks, or offer too many that others have taken. */
const FRESH_MS = 500;
/** Candidates of one list, enough for many clients of this process. */
export const POOL_SIZE = 64;

/**
 * Tasks that may be claimed, shared by all clients of this process. One list serves many clients, and no two of them try
 * the same task. If another process has claimed a task, the task itself refuses the claim.
 */
export class ClaimPool {
  private ids: string[] = [];
  private listedAt = 0;
  private listing: Promise<void> | null = null;
  private readonly handedOut = new Map<string, number>();

  /** @param list gives candidates, best first; `equal`: this many of them are as good as the first */
  constructor(private readonly list: () => Promise<{ ids: string[]; equal: number }>) {}

  /** The best candidate that no client of this process has just tried; null = there is none. */
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
    // Longer than the lag of lists.
    for (const [id, at] of this.handedOut) if (began - at > 4 * FRESH_MS) this.handedOut.delete(id);
    const free = spread(ids, equal).filter((id) => !this.handedOut.has(id));
    this.ids = free;
    this.listedAt = Date.now();
  }
}

/** Starts at a random one of the `equal` best, so that processes that list at the same time try different tasks. */
function spread(ids: readonly string[], equal: number): string[] {
  const at = Math.floor(Math.random() * equal);
  return [...ids.slice(at, equal), ...ids.slice(0, at), ...ids.slice(equal)];
}
