/** Ends waits early, so that a workflow can continue as new: the next run continues to wait. */
export class Interruption {
  private readonly waits = new Set<() => void>();
  private on = false;

  get isOn(): boolean {
    return this.on;
  }

  raise(): void {
    this.on = true;
    for (const end of [...this.waits]) end();
  }

  /** The workflow cannot continue as new yet: it continues to wait in this run. */
  clear(): void {
    this.on = false;
  }

  /** Returns the result of `work`; null if the interruption came first. The work continues. */
  during<T>(work: Promise<T>): Promise<T | null> {
    if (this.on) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const end = () => {
        this.waits.delete(end);
        resolve(null);
      };
      this.waits.add(end);
      const done = () => void this.waits.delete(end);
      work.finally(done).then(resolve, reject);
    });
  }
}
