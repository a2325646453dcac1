import { graphemes } from "../text/graphemes";
import { Vec } from "./collections";
import type { BuiltinContext } from "./context";
import { LispError } from "./errors";
import { typeWord } from "./order";
import { GROWTH, SLOT, VECTOR } from "./sizes";
import type { Value } from "./values";

/** A collection as a vector to iterate over: maps give `[key value]` pairs, texts their characters, nil nothing. */
export function seqOf(value: Value, who: string, ctx: Pick<BuiltinContext, "charge" | "allocate">): Vec<Value> {
  if (value === null) return Vec.empty;
  if (typeof value === "string") {
    ctx.charge(value.length);
    ctx.allocate(GROWTH * value.length);
    return Vec.from(graphemes(value));
  }
  if (typeof value === "object") {
    if (value.tag === "vector") return value;
    if (value.tag === "map" || value.tag === "set") {
      ctx.charge(2 * value.size);
      ctx.allocate((value.tag === "map" ? VECTOR + SLOT : SLOT) * value.size);
    }
    if (value.tag === "map") return Vec.from(value.entries().map(([k, v]) => Vec.of(k, v)));
    if (value.tag === "set") return Vec.from(value.values());
  }
  throw new LispError("eval_error", "type_error", `${who}: a collection is expected, got ${typeWord(value)}`);
}
