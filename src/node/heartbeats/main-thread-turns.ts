const TURN_MS = 100;
/** A block counts as recent for this time: the tasks that came during it begin then. */
const RECENT_MS = 1_000;

/** Watches whether the main thread turns, while a worker runs activities. It keeps no process alive. */
export class MainThreadTurns {
  private running = 0;
  private timer: NodeJS.Timeout | undefined;
  private last = 0;
  private lastCpu = process.cpuUsage();
  private block = { ms: 0, until: Number.NEGATIVE_INFINITY };

  /** @param turned each time; `late_ms` is how long the thread did not turn, `cpu_ms` the processor time of the process since the last time */
  constructor(private readonly turned: (late_ms: number, cpu_ms: number) => void) {}

  begin(): void {
    this.running += 1;
    if (this.running > 1) return;
    this.last = performance.now();
    this.lastCpu = process.cpuUsage();
    this.timer = setInterval(() => this.turn(), TURN_MS).unref();
  }

  end(): void {
    this.running -= 1;
    if (this.running === 0) clearInterval(this.timer);
  }

  /** The longest recent block, ms. The present one counts, also before the timer sees its end. */
  get recentBlock_ms(): number {
    const now = performance.now();
    const { ms, until } = this.block;
    return Math.max(now - until < RECENT_MS ? ms : 0, now - this.last - TURN_MS);
  }

  private turn(): void {
    const now = performance.now();
    const late_ms = Math.max(0, now - this.last - TURN_MS);
    this.last = now;
    const { user, system } = process.cpuUsage(this.lastCpu);
    this.lastCpu = process.cpuUsage();
    if (late_ms >= this.block.ms || now - this.block.until >= RECENT_MS) this.block = { ms: late_ms, until: now };
    this.turned(late_ms, (user + system) / 1_000);
  }
}
