import { totalmem } from "node:os";
import type { CallMetrics } from "./call-metrics";

const EVERY_MS = 10_000;

/** Tells the memory of this process while it lives. It keeps no process alive, and one process tells it once. */
export function tellMemory(metrics: Pick<CallMetrics, "memory">): void {
  if (isTold) return;
  isTold = true;
  const tell = () => metrics.memory(process.memoryUsage.rss(), memoryLimit());
  tell();
  setInterval(tell, EVERY_MS).unref();
}

let isTold = false;

/** Bytes that this process may have. Without a limit, the system says 0 or a number that is larger than the machine. */
export function memoryLimit(
  constrained: number | undefined = process.constrainedMemory?.(),
  machine: number = totalmem(),
): number {
  return constrained === undefined || constrained <= 0 ? machine : Math.min(constrained, machine);
}
