import { HostMap, max, toText } from "../../base/intrinsics";
import type { Code } from "../compile/code";

/** What stands on the operand stack: a name or a literal of the text, or something that is only called. */
export interface Item {
  text: string;
  /** It is true or false. */
  truth?: true;
  /** The name of a definition, not yet looked up. */
  global?: string;
  /** A constant that is no literal of the text. */
  constant?: unknown;
}

/** A use of a definition: how many arguments it is called with, -1 when it is not called. */
export interface LinkName {
  readonly name: string;
  readonly count: number;
}

/**
 * The evaluator's operand stack while a code is translated: what would stand on it is a name of the text. The value at
 * place 3 that was computed is in `t3`; slots (`s3`), captured values (`c[3]`) and constants (`k3`) are not copied.
 */
export class Operands {
  items: Item[] = [];
  /** Lines before the function. */
  readonly head: string[] = [];
  readonly links: LinkName[] = [];
  /** The number of places that were used. */
  highest = 0;
  /** Two ways meet with different things on the stack. */
  torn = false;
  /** What stands on the stack where a jump goes to. */
  private readonly meetings = new HostMap<number, Item[]>();
  private readonly named = new HostMap<number, string>();

  constructor(
    private readonly constants: Code["constants"],
    private readonly out: string[],
  ) {}

  get height(): number {
    return this.items.length;
  }

  get top(): Item {
    return this.items[this.items.length - 1] as Item;
  }

  push(item: Item): void {
    this.items.push(item);
  }

  drop(): void {
    this.items.pop();
  }

  pop(): string {
    const text = this.use(this.items.length - 1);
    this.items.pop();
    return text;
  }

  /** The topmost values, the lowest first. */
  popMany(count: number): string[] {
    return Array.from({ length: count }, () => this.pop()).reverse();
  }

  /** The value at a place as an expression. */
  use(place: number): string {
    const { text, global } = this.items[place] as Item;
    return global === undefined ? text : `H.global(l${this.link(global, -1)})`;
  }

  /** Computes a value onto the top of the stack. */
  compute(expression: string): void {
    const place = this.items.length;
    this.assign(place, expression);
    this.items.push({ text: `t${place}` });
  }

  assign(place: number, text: string): void {
    this.out.push(`${this.name(place)}=${text};`);
  }

  /** The variable of a place. */
  name(place: number): string {
    this.highest = max(this.highest, place + 1);
    return `t${place}`;
  }

  /** A slot gets another value: what was read from it before keeps the old one. */
  change(slot: number): void {
    this.items.forEach(({ text }, i) => {
      if (text !== `s${slot}`) return;
      this.assign(i, text);
      this.items[i] = { text: `t${i}` };
    });
  }

  /**
   * Moves every value to the place where a jump to `target` expects it.
   *
   * @param result the topmost value is what this way has come to: another way has another one
   */
  meet(target: number, result: boolean): void {
    this.settle(result);
    const other = this.meetings.get(target);
    if (other === undefined) {
      this.meetings.set(target, [...this.items]);
      return;
    }
    if (other.length !== this.items.length) this.torn = true;
    this.items.forEach((item, i) => {
      const { global, constant } = other[i] ?? item;
      if (item.global !== global) this.torn = true;
      if (item.constant !== constant) other[i] = { text: `t${i}` };
    });
  }

  /** Continues at a target. @returns whether any way leads there */
  goOn(target: number): boolean {
    const items = this.meetings.get(target);
    this.items = [...(items ?? [])];
    return items !== undefined;
  }

  /** Stores every value in the variable of its place, except definitions that are only called. */
  settle(result: boolean): void {
    this.items.forEach(({ global, constant }, i) => {
      if (global !== undefined && !(result && i === this.items.length - 1)) return;
      const text = this.use(i);
      if (text !== `t${i}`) this.assign(i, text);
      this.items[i] = { text: `t${i}`, ...(constant === undefined ? {} : { constant }) };
    });
  }

  link(name: string, count: number): number {
    const known = this.links.findIndex((link) => link.name === name && link.count === count);
    return known >= 0 ? known : this.links.push({ name, count }) - 1;
  }

  constant(index: number): Item {
    const value = this.constants[index];
    if (value === null || typeof value === "boolean") return { text: toText(value) };
    if (typeof value === "number") return { text: value < 0 ? `(${value})` : toText(value) };
    let name = this.named.get(index);
    if (name === undefined) {
      name = `k${index}`;
      this.named.set(index, name);
      this.head.push(`const ${name}=K[${index}];`);
    }
    return { text: name, constant: value };
  }
}
