import { HostMap } from "../../base/intrinsics";
import { type Code, isCode } from "../compile/code";
import { PMap, PSet, Vec } from "../values/collections";
import type { Value } from "../values/values";

/**
 * The values that a program is given anew each time it is made: `data/...`, the budget, the literals of its code. They
 * are numbered by a walk that is the same each time, so a state names them by number and does not contain them.
 */
export class KnownValues {
  /** The collections, in the order of the walk. */
  readonly values: (Vec<Value> | PMap<Value> | PSet<Value>)[] = [];
  private readonly numbers = new HostMap<unknown, number>();
  /** The number of the vector that an array belongs to. */
  private readonly arrays = new HostMap<unknown, number>();

  constructor(roots: Iterable<Value>, codes: readonly Code[]) {
    for (const root of roots) this.add(root);
    for (const { constants } of codes) for (const constant of constants) if (isCollection(constant)) this.add(constant);
    // The list grows while it is walked: there is no recursion, however deep the values are.
    for (let i = 0; i < this.values.length; i++) {
      const value = this.values[i] as Vec<Value> | PMap<Value> | PSet<Value>;
      if (value instanceof Vec) for (const item of value) this.add(item);
      else if (value instanceof PSet) this.add(value.map);
      else
        for (const [key, item] of value.entries()) {
          this.add(key);
          this.add(item);
        }
    }
  }

  number(value: unknown): number | undefined {
    return this.numbers.get(value);
  }

  /** The number of the known vector whose elements are in this array. */
  ownerOf(slots: unknown): number | undefined {
    return this.arrays.get(slots);
  }

  private add(value: Value): void {
    // The empty collections are one object everywhere.
    if (!isCollection(value) || sizeOf(value) === 0 || this.numbers.has(value)) return;
    const number = this.values.push(value) - 1;
    this.numbers.set(value, number);
    if (value instanceof Vec && !this.arrays.has(value.window.slots)) this.arrays.set(value.window.slots, number);
  }
}

const isCollection = (value: unknown): value is Vec<Value> | PMap<Value> | PSet<Value> =>
  value instanceof Vec || value instanceof PMap || value instanceof PSet;

const sizeOf = (value: Vec<Value> | PMap<Value> | PSet<Value>) => (value instanceof Vec ? value.length : value.size);

/** All codes of a program, numbered by a walk from the outermost. */
export function codesOf(main: Code): Code[] {
  const codes = [main];
  for (let i = 0; i < codes.length; i++)
    for (const constant of (codes[i] as Code).constants) if (isCode(constant)) codes.push(constant);
  return codes;
}
