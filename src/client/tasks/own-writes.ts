/** Longer than any lag of Visibility that was measured. */
const KEEP_MS = 10_000;

/**
 * The latest writes of this process, by id. Lists do not show them yet. An entry is removed when its time is over, or
 * when the list shows it.
 */
export class Recent<T> {
  private readonly entries = new Map<string, { value: T; until: number }>();

  constructor(private readonly keepMs = KEEP_MS) {}

  note(id: string, value: T): void {
    this.entries.delete(id);
    this.entries.set(id, { value, until: Date.now() + this.keepMs });
  }

  get(id: string): T | undefined {
    const entry = this.entries.get(id);
    return entry !== undefined && entry.until > Date.now() ? entry.value : undefined;
  }

  forget(id: string): void {
    this.entries.delete(id);
  }

  all(): Map<string, T> {
    const now = Date.now();
    // Entries are in the order in which they were added, so the first one that is recent enough ends the search.
    for (const [id, { until }] of this.entries) {
      if (until > now) break;
      this.entries.delete(id);
    }
    return new Map([...this.entries].map(([id, { value }]) => [id, value]));
  }
}
