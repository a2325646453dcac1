/**
 * Time that advances only while everything waits: many parallel jobs in memory, each with its own duration, and always
 * the same order of events.
 */
export class VirtualClock {
  private readonly alarms: { at: number; wake: () => void }[] = [];

  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  sleep(ms: number): Promise<void> {
    return this.until(this.time + ms);
  }

  /** At once when it is that late already. */
  until(at: number): Promise<void> {
    if (at <= this.time) return Promise.resolve();
    return new Promise((wake) => {
      this.alarms.push({ at, wake });
    });
  }

  /**
   * Advances the time until the work is done.
   * @throws what the work throws, and an error if it waits and no timer is left
   */
  async during<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const ended = () => {
      over = true;
    };
    work.then(ended, ended);
    for (;;) {
      await quiet();
      if (over) return work;
      const next = this.alarms.reduce<(typeof this.alarms)[number] | undefined>(
        (first, alarm) => (first === undefined || alarm.at < first.at ? alarm : first),
        undefined,
      );
      if (next === undefined) throw new Error("everything waits, and no timer is left");
      this.alarms.splice(this.alarms.indexOf(next), 1);
      this.time = next.at;
      next.wake();
    }
  }
}

/** Runs everything that can continue without advancing the time. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
