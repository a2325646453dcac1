/** Shorter blocks are usual on a busy machine, ms. */
const REPORTED_MS = 1_000;

/** The longest part of a tool without a wait since the main thread turned last. */
let longest = { tool: "", ms: 0 };

/** Runs the part of a tool up to its first wait, and measures it. */
export function untilFirstWait<T>(tool: string, run: () => T): T {
  const began = performance.now();
  try {
    return run();
  } finally {
    const ms = performance.now() - began;
    if (ms > longest.ms) longest = { tool, ms };
  }
}

interface RunningCall {
  tool: string;
  /** ms of this process; undefined: it runs. */
  ended?: number;
}

/** A block of the main thread, and the tools that may have caused it; one, if it is known. */
export interface Block {
  blocked_ms: number;
  tools: string[];
}

type Listener = (block: Block) => void;
const listeners = new Set<Listener>();

/** Receives the blocks of all workers of this process from now on. */
export function onBlock(listener: Listener): void {
  listeners.add(listener);
}

/** Finds out which tool kept the main thread of a worker from its other work. */
export class BlockingTools {
  private readonly calls = new Set<RunningCall>();

  async during<T>(tool: string, call: () => Promise<T>): Promise<T> {
    const running: RunningCall = { tool };
    this.calls.add(running);
    try {
      return await call();
    } finally {
      running.ended = performance.now();
    }
  }

  /**
   * The main thread turns again after `late_ms`. Of a process that had not half of the time, the machine was busy, not the tool.
   *
   * @param cpu_ms the processor time of the process in this time
   */
  turned(late_ms: number, cpu_ms: number): Block | null {
    const one = longest;
    longest = { tool: "", ms: 0 };
    const from = performance.now() - late_ms;
    const candidates = [...this.calls].filter(({ ended = from }) => ended >= from);
    for (const call of this.calls) if (call.ended !== undefined) this.calls.delete(call);
    if (late_ms < REPORTED_MS || cpu_ms < late_ms / 2 || candidates.length === 0) return null;
    const isKnown = one.ms >= late_ms / 2;
    const tools = isKnown ? [one.tool] : [...new Set(candidates.map(({ tool }) => tool))].sort();
    const block = { blocked_ms: Math.round(late_ms), tools };
    for (const listener of listeners) listener(block);
    return block;
  }
}
