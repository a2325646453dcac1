import { INFINITY, max, min } from "../../base/intrinsics";
import type { LispLimits } from "../../base/limits";
import { LispError } from "../values/errors";

export type FuelState = [steps: number, slice: number, bytes: number];

/** What a program may still use: steps, steps until the next effect, and bytes. */
export class Fuel {
  private stepsLeft: number;
  private sliceLeft: number;
  private bytesLeft: number;

  constructor(private readonly limits: LispLimits) {
    this.stepsLeft = limits.max_steps;
    this.sliceLeft = limits.max_steps_between_effects;
    this.bytesLeft = limits.max_bytes;
  }

  /** Bytes that may be allocated before the limit. */
  get bytes(): number {
    return this.bytesLeft;
  }

  /** What is left: steps, steps until the next effect, bytes. */
  state(): FuelState {
    return [this.stepsLeft, this.sliceLeft, this.bytesLeft];
  }

  restore([steps, slice, bytes]: FuelState): void {
    this.stepsLeft = steps;
    this.sliceLeft = slice;
    this.bytesLeft = bytes;
  }

  /** Work until `restore` is free: it was paid for before. */
  unlimited(): void {
    this.restore([INFINITY, INFINITY, INFINITY]);
  }

  /** Called when answers of tools have arrived. */
  newSlice(): void {
    this.sliceLeft = this.limits.max_steps_between_effects;
  }

  charge(steps: number): void {
    this.stepsLeft -= steps;
    this.sliceLeft -= steps;
    if (this.stepsLeft < 0 || this.sliceLeft < 0) this.outOfFuel();
  }

  /** Charges one step so many times: when there are too few, one step too many is counted, as by a loop. */
  chargeEach(times: number): void {
    this.charge(min(times, this.available() + 1));
  }

  /** Steps that the hot loop may take before it asks again. It reports them with `used`. */
  available(): number {
    // Called at every entry of a frame, so it calls no function of the host.
    if (this.sliceLeft < this.stepsLeft) return this.sliceLeft;
    return this.stepsLeft;
  }

  used(steps: number): void {
    this.stepsLeft -= steps;
    this.sliceLeft -= steps;
  }

  outOfFuel(): never {
    const { max_steps, max_steps_between_effects } = this.limits;
    const limit =
      this.stepsLeft <= this.sliceLeft
        ? `${max_steps} evaluation steps`
        : `${max_steps_between_effects} evaluation steps without a tool call`;
    throw new LispError(
      "timeout",
      "timeout",
      `the program exceeded its limit of ${limit}: do less work in one program`,
    );
  }

  allocate(bytes: number): void {
    this.bytesLeft -= bytes;
    if (this.bytesLeft < 0) this.outOfMemory();
  }

  /** Gives back bytes that were allocated for a while. */
  release(bytes: number): void {
    this.bytesLeft += bytes;
  }

  reserve(bytes: number): void {
    if (this.bytesLeft < bytes) this.outOfMemory();
  }

  private outOfMemory(): never {
    throw new LispError(
      "memory_exceeded",
      "memory_exceeded",
      `the program exceeded its memory limit of ${this.limits.max_bytes} bytes`,
    );
  }

  /** Whether nothing more can be evaluated before the next effect. */
  get spent(): boolean {
    return this.available() <= 0 || this.bytesLeft < 0;
  }

  /** Steps used so far; never more than the limit, because a refused step is not done. */
  get steps(): number {
    return this.limits.max_steps - max(0, this.stepsLeft);
  }
}
