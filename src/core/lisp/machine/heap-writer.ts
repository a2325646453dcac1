import { HostMap } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import type { Code } from "../compile/code";
import { type PMap, PSet, Vec } from "../values/collections";
import { encodeValue } from "../values/encode";
import type { KeyNode } from "../values/key-tree";
import type { Value } from "../values/values";
import { writtenCode } from "./code-table";
import type { KnownValues } from "./known-values";

/**
 * The values of a machine as a table of rows. What is referenced several times is one row, a row names its parts by
 * `[row]`, and nothing is nested: the table is as large as the values are in memory, and no depth can overflow the
 * host's stack. Vectors keep the arrays that they share, and maps their trees, because the cost of later work
 * depends on them.
 *
 *   reference  a scalar itself | `[row]` | `[-1 - number]` of a known value
 *   row        `"text"` | `["v", array, start, length]` | `["w", longer, ...]` array of vectors | `["m", sorted, k, v, ...]`
 *              `["t", tree, size, nextSeq]` | `["n", key, value, seq, left, right, size]` tree node | `["s", map]`
 *              `["c", code, array, doc]` closure | `["f", text, names, name, mark]` code | `["o", form, literals, captured]`
 *              `["b", name]` builtin | `["r", source]` | `["q", name]` | `["j", value]` other scalars
 *              `["a", ...]` other arrays | `["g", name, value, ...]` definitions
 */
export interface WrittenHeap {
  rows: Json[];
  /** Known vectors whose arrays have grown: number, elements that were added, whether there are more. */
  grown: [number, Json[], boolean][];
  /** Known maps whose keys are in order already. */
  sorted: number[];
}

/** The part of a shared array that vectors show. */
interface SharedArray {
  slots: readonly Value[];
  /** Null for the array of a known vector. */
  row: Json[] | null;
  place: Json;
  /** Rows of the vectors on it: their starts are counted from the first element that any of them shows. */
  vectors: Json[][];
  from: number;
  to: number;
  written: Map<number, Json>;
}

/** Shorter texts are written where they are. */
const SHARED_TEXT = 24;

type Item =
  | { kind: "value"; at: Exclude<Value, null | boolean | number | string> }
  | { kind: "node"; at: KeyNode<Value> }
  | { kind: "array"; at: readonly Value[] }
  | { kind: "code"; at: Code }
  | { kind: "globals"; at: ReadonlyMap<string, Value> };

/** Writes the values of a machine as rows of JSON, each shared value once. */
export class HeapWriter {
  private readonly rows: Json[] = [];
  private readonly places = new HostMap<unknown, number>();
  private readonly arrays = new HostMap<unknown, SharedArray>();
  private readonly waiting: [Json[], Item][] = [];

  constructor(
    private readonly known: KnownValues,
    /** The number of each code of the program. */
    private readonly codes: ReadonlyMap<Code, number>,
  ) {
    // The state marks a grown array even if no value shows it: a vector on a grown array is copied when it grows itself.
    known.values.forEach((value) => {
      if (value instanceof Vec && value.window.slots.length > value.window.start + value.length) this.cover(value);
    });
  }

  value(value: Value): Json {
    if (value === null || typeof value === "boolean" || typeof value === "number") return value;
    if (typeof value === "string") {
      if (value.length < SHARED_TEXT) return value;
      const place = this.places.get(value);
      if (place !== undefined) return [place];
      this.places.set(value, this.rows.length);
      return [this.rows.push(value) - 1];
    }
    const number = this.known.number(value);
    return number === undefined ? this.place({ kind: "value", at: value }) : [-1 - number];
  }

  values(values: Iterable<Value>): Json[] {
    return Array.from(values, (value) => this.value(value));
  }

  /** An array that nobody changes. */
  array(at: readonly Value[]): Json {
    return this.place({ kind: "array", at });
  }

  globals(at: ReadonlyMap<string, Value>): Json {
    return this.place({ kind: "globals", at });
  }

  code(at: Code): Json {
    return this.codes.get(at) ?? this.place({ kind: "code", at });
  }

  /** Everything that was asked for, and what it refers to. Nothing may be asked for afterwards. */
  finish(): WrittenHeap {
    for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) this.write(...next);
    const grown: WrittenHeap["grown"] = [];
    for (const { slots, row, vectors, from, to, written } of this.arrays.values()) {
      const owner = this.known.ownerOf(slots);
      const begin = owner === undefined ? from : 0;
      for (const vector of vectors) vector[2] = (vector[2] as number) - begin;
      const added = Array.from({ length: to - from }, (_, i) => written.get(from + i) as Json);
      if (owner === undefined) row?.push(slots.length > to, ...added);
      else grown.push([owner, added, slots.length > to]);
    }
    const sorted: number[] = [];
    this.known.values.forEach((value, number) => {
      if (!(value instanceof Vec) && !(value instanceof PSet) && value.form.sorted) sorted.push(number);
    });
    return { rows: this.rows, grown, sorted };
  }

  private place(item: Item): Json {
    const known = this.places.get(item.at);
    if (known !== undefined) return [known];
    const row: Json[] = [];
    const place = this.rows.push(row) - 1;
    this.places.set(item.at, place);
    this.waiting.push([row, item]);
    return [place];
  }

  private write(row: Json[], item: Item): void {
    switch (item.kind) {
      case "node": {
        const { entry, seq, left, right, size } = item.at;
        row.push("n", this.value(entry[0]), this.value(entry[1]), seq, this.node(left), this.node(right), size);
        return;
      }
      case "array":
        row.push("a", ...this.values(item.at));
        return;
      case "code":
        row.push("f", ...writtenCode(item.at));
        return;
      case "globals":
        row.push("g");
        for (const [name, value] of item.at) row.push(name, this.value(value));
        return;
      case "value":
        return this.writeValue(row, item.at);
    }
  }

  private node(node: KeyNode<Value> | null): Json {
    return node === null ? null : this.place({ kind: "node", at: node });
  }

  private writeValue(row: Json[], value: Exclude<Value, null | boolean | number | string>): void {
    if (typeof value === "bigint") return void row.push("j", encodeValue(value));
    switch (value.tag) {
      case "vector":
        row.push("v", null, value.window.start, value.length);
        if (value.length > 0) row[1] = this.cover(value, row);
        return;
      case "map":
        return this.writeMap(row, value);
      case "set":
        return void row.push("s", this.value(value.map as PMap<Value>));
      case "closure":
        return void row.push("c", this.code(value.code as Code), this.array(value.captured), value.doc);
      case "native": {
        const { form, literals = [], captured } = value.origin;
        return void row.push("o", form, this.values(literals), this.values(captured));
      }
      case "builtin":
        return void row.push("b", value.name);
      case "regex":
        return void row.push("r", value.source);
      case "var":
        return void row.push("q", value.name);
      default:
        row.push("j", encodeValue(value, { exact: true }));
    }
  }

  private writeMap(row: Json[], map: PMap<Value>): void {
    const { tree, nextSeq, sorted } = map.form;
    if (tree !== null) return void row.push("t", this.node(tree), map.size, nextSeq);
    row.push("m", sorted);
    for (const [key, value] of map.entries()) row.push(this.value(key), this.value(value));
  }

  /** Writes the part of its array that a vector shows. @returns the array's place */
  private cover(vector: Vec<Value>, row?: Json[]): Json {
    const { slots, start, length } = vector.window;
    let shared = this.arrays.get(slots);
    const owner = this.known.ownerOf(slots);
    if (shared === undefined) {
      // The elements that a known vector shows itself are known.
      const first = owner === undefined ? start : lengthOf(this.known.values[owner] as Vec<Value>);
      const own: Json[] | null = owner === undefined ? ["w"] : null;
      const place: Json = [owner === undefined ? this.rows.push(own) - 1 : -1 - owner];
      shared = { slots, row: own, place, vectors: [], from: first, to: first, written: new HostMap() };
      this.arrays.set(slots, shared);
    }
    if (row) shared.vectors.push(row);
    const end = start + length;
    if (owner === undefined) {
      for (let i = start; i < shared.from; i++) shared.written.set(i, this.value(slots[i] as Value));
      if (start < shared.from) shared.from = start;
    }
    for (let i = shared.to; i < end; i++) shared.written.set(i, this.value(slots[i] as Value));
    if (end > shared.to) shared.to = end;
    return shared.place;
  }
}

const lengthOf = (vector: Vec<Value>) => vector.window.start + vector.length;
