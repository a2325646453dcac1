import { HostMap } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import { BUILTINS } from "../builtins";
import { makeFnil } from "../builtins/functions";
import { patternProgram } from "../builtins/regex";
import type { Code } from "../compile/code";
import { type Entry, PMap, PSet, Vec } from "../values/collections";
import { decodeValue } from "../values/encode";
import { LispError } from "../values/errors";
import type { KeyNode } from "../values/key-tree";
import { makeNative } from "../values/natives";
import { Closure, Regex, type Value, VarRef } from "../values/values";
import { CodeReader, type WrittenCode } from "./code-table";
import type { WrittenHeap } from "./heap-writer";
import type { KnownValues } from "./known-values";

type Row = [tag: string, ...parts: Json[]];
/** What a row stands for: a value, a tree node, an array, a code or definitions. */
type Made = Value | KeyNode<Value> | Value[] | Code | Map<string, Value>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads a table of values. Everything is made first and filled afterwards, so the order of the rows does not matter and
 * there is no recursion.
 */
export class HeapReader {
  private readonly made: (Made | undefined)[];
  private readonly later: (() => void)[] = [];
  private readonly codeReader = new CodeReader();

  constructor(
    private readonly heap: WrittenHeap,
    private readonly known: KnownValues,
    /** The codes of the program, by number. */
    private readonly codes: readonly Code[],
  ) {
    this.made = heap.rows.map(() => undefined);
    // Trees, arrays and codes have no parts that must be there first; functions that forms built must know theirs.
    for (let i = 0; i < heap.rows.length; i++) this.begin(i);
    for (const fill of this.later.splice(0)) fill();
    for (const [number, added, longer] of heap.grown) {
      const slots = (known.values[number] as Vec<Value>).window.slots as Value[];
      for (const one of added) slots.push(this.value(one));
      if (longer) slots.push(null);
    }
    // Sorted once before the state was written, they cost nothing more. The maps inside them come first.
    for (const number of heap.sorted) (known.values[number] as PMap<Value>).sorted();
    heap.rows.forEach((row, i) => {
      if (Array.isArray(row) && row[0] === "m" && row[1] === true) (this.made[i] as PMap<Value>).sorted();
    });
  }

  value(json: Json): Value {
    return Array.isArray(json) ? (this.at(json[0] as number) as Value) : (json as Value);
  }

  values(json: Json): Value[] {
    return (json as Json[]).map((one) => this.value(one));
  }

  array(json: Json): Value[] {
    return this.at((json as number[])[0] as number) as Value[];
  }

  globals(json: Json): Map<string, Value> {
    return this.at((json as number[])[0] as number) as Map<string, Value>;
  }

  code(json: Json): Code {
    if (typeof json === "number") return (this.codes[json] ?? this.codes[0]) as Code;
    return this.at((json as number[])[0] as number) as Code;
  }

  private at(place: number): Made {
    if (place < 0) return this.known.values[-1 - place] as Value;
    const made = this.made[place];
    if (made === undefined) throw new Error(`row ${place} of the state is missing`);
    return made;
  }

  /** Makes what a row stands for. A function of a form needs the functions in it first: a chain of them is walked with a stack. */
  private begin(first: number): void {
    const waiting = [first];
    for (let i = waiting.at(-1); i !== undefined; i = waiting.at(-1)) {
      const row = this.heap.rows[i] as string | Row;
      const missing = typeof row !== "string" && row[0] === "o" ? this.missingParts(row) : [];
      if (this.made[i] === undefined && missing.length > 0) {
        waiting.push(...missing);
        continue;
      }
      waiting.pop();
      if (this.made[i] === undefined) this.made[i] = typeof row === "string" ? row : this.make(row);
    }
  }

  private missingParts([, , literals, captured]: Row): number[] {
    return [...(literals as Json[]), ...(captured as Json[])].flatMap((part) =>
      Array.isArray(part) && (part[0] as number) >= 0 && this.made[part[0] as number] === undefined
        ? [part[0] as number]
        : [],
    );
  }

  private make([tag, ...parts]: Row): Made {
    const [one, two, three] = parts as [Json, Json, Json];
    switch (tag) {
      case "w":
      case "a": {
        const slots: Value[] = [];
        this.later.push(() => {
          for (let i = tag === "w" ? 1 : 0; i < parts.length; i++) slots.push(this.value(parts[i] as Json));
          // Somebody had added more to the array: the next one who adds must copy.
          if (tag === "w" && one === true) slots.push(null);
        });
        return slots;
      }
      case "v":
        return this.vector(one, two as number, three as number);
      case "m": {
        const entries: Entry<Value>[] = [];
        const map = PMap.onEntries(entries, (parts.length - 1) / 2);
        this.later.push(() => {
          for (let i = 1; i < parts.length; i += 2)
            entries.push([this.value(parts[i] as Json), this.value(parts[i + 1] as Json)]);
        });
        return map;
      }
      case "n":
        return this.node(parts);
      case "t":
        return PMap.onTree(this.early(one) as KeyNode<Value>, two as number, three as number);
      case "s":
        return PSet.onMap(this.early(one) as PMap<Value>);
      case "c":
        return new Closure(
          typeof one === "number" ? this.code(one) : (this.early(one) as Code),
          this.early(two) as Value[],
          three as string | null,
        );
      case "f":
        return this.codeReader.read(parts as WrittenCode);
      case "o": {
        const [literals, captured] = [this.values(two), this.values(three)] as [Value[], Value[]];
        if (one === "fnil") return makeFnil(captured[0] as Value, captured[1] as Value);
        return makeNative(one as string, literals, captured);
      }
      case "b": {
        const builtin = BUILTINS.get(one as string);
        if (builtin !== undefined) return builtin;
        throw new LispError(
          "eval_error",
          "unbound_var",
          `the program cannot continue: there is no builtin ${one} any more`,
        );
      }
      case "r":
        return new Regex(one as string, () => patternProgram(one as string));
      case "q":
        return new VarRef(one as string);
      case "g": {
        const globals = new HostMap<string, Value>();
        this.later.push(() => {
          for (let i = 0; i < parts.length; i += 2) globals.set(parts[i] as string, this.value(parts[i + 1] as Json));
        });
        return globals;
      }
      default:
        return decodeValue(one);
    }
  }

  /** Something that is made with the row that names it: its own row may come later in the table. */
  private early(json: Json): Made {
    const place = (json as number[])[0] as number;
    if (place >= 0 && this.made[place] === undefined) this.begin(place);
    return this.at(place);
  }

  private vector(array: Json, start: number, length: number): Vec<Value> {
    if (length === 0) return Vec.empty;
    const place = (array as number[])[0] as number;
    const slots =
      place < 0
        ? ((this.known.values[-1 - place] as Vec<Value>).window.slots as Value[])
        : (this.early(array) as Value[]);
    return Vec.onWindow(slots, start, length);
  }

  private node([key, value, seq, left, right, size]: Json[]): KeyNode<Value> {
    const entry: [Value, Value] = [null, null];
    const node: Mutable<KeyNode<Value>> = { entry, seq: seq as number, left: null, right: null, size: size as number };
    this.later.push(() => {
      entry[0] = this.value(key as Json);
      entry[1] = this.value(value as Json);
      if (left !== null) node.left = this.at((left as number[])[0] as number) as KeyNode<Value>;
      if (right !== null) node.right = this.at((right as number[])[0] as number) as KeyNode<Value>;
    });
    return node;
  }
}
