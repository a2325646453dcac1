import { HostMap, HostSet } from "../../base/intrinsics";
import type { Form } from "../read/form";
import type { Place } from "../values/errors";
import type { Value } from "../values/values";
import type { Code } from "./code";
import type { CompileLimit } from "./compile-limit";

/** A function being compiled: its instructions, its local slots, and its captures from the function around it. */
export class FunctionScope {
  readonly code: Code;
  /** The index of each captured name among the captures. */
  private readonly capturedAt = new Map<string, number>();
  /** The index of each simple constant. */
  private readonly constants = new HostMap<unknown, number>();
  private readonly blocks: Map<string, number>[] = [new HostMap()];
  /** All local names of the program, for hints. */
  readonly names: Set<string>;

  constructor(
    readonly parent: FunctionScope | null,
    form: Form | null,
    readonly limit: CompileLimit,
    /** Names whose values are given when the closure is made (deserialised closures). */
    given: readonly string[] = [],
  ) {
    this.names = parent?.names ?? new HostSet();
    this.code = {
      ops: [],
      constants: [],
      places: [],
      parameters: [],
      arity: 0,
      variadic: false,
      slots: 0,
      captures: [],
      form,
      text: parent ? parent.code.text : {},
      direct: null,
      calls: 0,
    };
    given.forEach((name, index) => {
      this.capture({ name, from: "captured", index });
    });
  }

  newSlot(): number {
    return this.code.slots++;
  }
  bind(name: string, slot: number): void {
    (this.blocks.at(-1) as Map<string, number>).set(name, slot);
    this.names.add(name);
  }
  enter(): void {
    this.blocks.push(new HostMap());
  }
  leave(): void {
    this.blocks.pop();
  }

  local(name: string): number | undefined {
    for (let i = this.blocks.length - 1; i >= 0; i--) {
      const slot = this.blocks[i]?.get(name);
      if (slot !== undefined) return slot;
    }
    return undefined;
  }

  /** Index among this function's captured values; undefined when no function around it has the name. */
  captured(name: string): number | undefined {
    const known = this.capturedAt.get(name);
    if (known !== undefined) return known;
    if (!this.parent) return undefined;
    const local = this.parent.local(name);
    const source: { from: "local" | "captured"; index: number } | undefined =
      local !== undefined ? { from: "local", index: local } : capturedOf(this.parent.captured(name));
    if (!source) return undefined;
    return this.capture({ name, ...source });
  }

  private capture(capture: Code["captures"][number]): number {
    this.limit.spend(this.code.form?.at);
    const index = this.code.captures.push(capture) - 1;
    this.capturedAt.set(capture.name, index);
    return index;
  }

  emit(at: Place | undefined, ...ops: number[]): number {
    const start = this.code.ops.length;
    this.code.ops.push(...ops);
    this.code.places[start] = at;
    return start;
  }
  constant(value: Value | Code | Form[]): number {
    const known = this.constants.get(value);
    if (known !== undefined) return known;
    const index = this.code.constants.push(value) - 1;
    if (typeof value !== "object" || value === null) this.constants.set(value, index);
    return index;
  }
  get here(): number {
    return this.code.ops.length;
  }
  /** Fills in the target of a jump emitted before. */
  patch(operand: number): void {
    this.code.ops[operand] = this.here;
  }
}

const capturedOf = (index: number | undefined) =>
  index === undefined ? undefined : { from: "captured" as const, index };
