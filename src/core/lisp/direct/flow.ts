import { HostMap, HostSet, max } from "../../base/intrinsics";
import { OPERANDS, TARGET } from "./instructions";

/** Where the jumps of a code come from and go to. */
export class Flow {
  /** Where a jump forwards goes to. */
  readonly targets = new HostSet<number>();
  /** Where a jump back goes to, with the end of that loop: after its last jump back. */
  readonly loops = new HostMap<number, number>();
  /** Where a block of instructions begins that are always taken together. */
  readonly blocks = new HostSet<number>([0]);

  constructor(private readonly ops: readonly number[]) {
    for (let pc = 0; pc < ops.length; ) {
      const next = this.next(pc);
      const operand = TARGET[ops[pc] as number];
      if (operand !== undefined) {
        const target = ops[pc + operand] as number;
        if (target > pc) this.targets.add(target);
        else this.loops.set(target, max(next, this.loops.get(target) ?? 0));
        this.blocks.add(target);
        this.blocks.add(next);
      }
      pc = next;
    }
  }

  /** The instruction after the one at `pc`. */
  next(pc: number): number {
    return pc + 1 + (OPERANDS[this.ops[pc] as number] ?? 0);
  }

  /** The number of instructions of the block that begins at `pc`. */
  steps(pc: number): number {
    let steps = 1;
    for (let at = this.next(pc); at < this.ops.length && !this.blocks.has(at); at = this.next(at)) steps += 1;
    return steps;
  }

  /** Where the block that begins at `pc` ends. */
  end(pc: number): number {
    let at = this.next(pc);
    while (at < this.ops.length && !this.blocks.has(at)) at = this.next(at);
    return at;
  }

  /** The targets between two places, the last one first, without those inside a loop that begins between them. */
  targetsBetween(start: number, end: number): number[] {
    const loops = [...this.loops].filter(([from]) => from > start && from < end);
    return [...this.targets]
      .filter((target) => target > start && target < end)
      .filter((target) => !loops.some(([from, to]) => target > from && target < to))
      .sort((a, b) => b - a);
  }
}
