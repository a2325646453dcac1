import { defined } from "../../base/defined";
import type { BuiltinContext } from "../values/context";
import { type CardPlace, type Description, docOf } from "../values/doc";
import type { CallRequest, HigherOrderBuiltin, PlainBuiltin, Value } from "../values/values";

/** Arguments of a builtin whose count has been checked against its arity; optional ones may be missing at the end. */
export type Args = readonly [Value, Value, Value, Value, ...Value[]];
export type Calls = Generator<CallRequest, Value, Value>;
/** One number, or inclusive limits. */
export type Arity = number | readonly [number, number];

export const MANY = Number.POSITIVE_INFINITY;

/** The functions that define the builtins of one family: a section of lisp reference, section 11. */
export function family(familyName: string) {
  const base = (name: string, arity: Arity, usage: string | string[], description: Description) => ({
    tag: "builtin" as const,
    name,
    arity: typeof arity === "number" ? { min: arity, max: arity } : { min: arity[0], max: arity[1] },
    doc: { ...docOf(usage, description), family: familyName },
  });
  return {
    plain(
      name: string,
      arity: Arity,
      usage: string | string[],
      description: Description,
      call: (args: Args, ctx: BuiltinContext) => Value,
    ): PlainBuiltin {
      return { ...base(name, arity, usage, description), kind: "plain", call: call as unknown as PlainBuiltin["call"] };
    },
    higher(
      name: string,
      arity: Arity,
      usage: string | string[],
      description: Description,
      call: (args: Args, ctx: BuiltinContext) => Calls,
      onward?: HigherOrderBuiltin["onward"],
    ): HigherOrderBuiltin {
      return {
        ...base(name, arity, usage, description),
        kind: "higher-order",
        call: call as unknown as HigherOrderBuiltin["call"],
        ...defined({ onward }),
      };
    },
  };
}

/** The same function under a second name, with separate places in the language card. */
export function alias<T extends PlainBuiltin | HigherOrderBuiltin>(
  builtin: T,
  name: string,
  card: readonly CardPlace[] = [],
): T {
  const usage = builtin.doc.usage.map((text) => text.replace(`(${builtin.name}`, `(${name}`));
  return { ...builtin, name, doc: { ...builtin.doc, usage, card } };
}
