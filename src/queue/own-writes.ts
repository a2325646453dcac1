/** Longer than Visibility ever lagged in what was measured. */
const KEEP_MS = 10_000;

/**
 * What this process did a moment ago, by id: lists do not show it yet. An entry goes when its time is up, or when the
 * list has caught up with it.
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
    // In the order in which they were noted: the first that is young enough ends the search.
    for (const [id, { until }] of this.entries) {
      if (until > now) break;
      this.entries.delete(id);
    }
    return new Map([...this.entries].map(([id, { value }]) => [id, value]));
  }
}
