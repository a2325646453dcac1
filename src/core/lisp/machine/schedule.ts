import type { Fiber } from "./fiber";

/** Which fiber goes on next: of those that are ready always the one that started first, so every replay goes the same way. */
export class Schedule {
  /** Latest start first, so that the next one is taken from the end. */
  private readonly ready: Fiber[] = [];

  /** A fiber that has just been made, or that waited, may go on. */
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

  next(): Fiber | undefined {
    return this.ready.pop();
  }
}
