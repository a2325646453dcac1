import type { Fiber } from "./fiber";

/** Chooses the next fiber: always the ready one that started first, so that every replay takes the same course. */
export class Schedule {
  /** Sorted by start, latest first: the next one is taken from the end. */
  private readonly ready: Fiber[] = [];

  /** Makes a fiber ready that is new or that waited. */
  wake(fiber: Fiber): void {
    fiber.state = "ready";
    let low = 0;
    let high = this.ready.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ready[middle] as Fiber).number > fiber.number) low = middle + 1;
      else high = middle;
    }
    this.ready.splice(low, 0, fiber);
  }

  /** Nobody is ready any more. */
  clear(): void {
    this.ready.length = 0;
  }

  next(): Fiber | undefined {
    return this.ready.pop();
  }
}
