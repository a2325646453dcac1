import type { BuiltinContext } from "../values/context";
import type { CallRequest, HigherOrderBuiltin, PlainBuiltin, Value } from "../values/values";

/** Arguments of a builtin whose count has been checked against its arity; optional ones may be missing at the end. */
export type Args = readonly [Value, Value, Value, Value, ...Value[]];
export type Calls = Generator<CallRequest, Value, Value>;
/** One number, or inclusive limits. */
export type Arity = number | readonly [number, number];

export const MANY = Number.POSITIVE_INFINITY;

/** Makers of the definitions of one family: builtins that stand together in lisp reference, section 11. */
export function family(familyName: string) {
  const base = (name: string, arity: Arity, usage: string | string[], text: string) => ({
    tag: "builtin" as const,
    name,
    arity: typeof arity === "number" ? { min: arity, max: arity } : { min: arity[0], max: arity[1] },
    doc: { usage: typeof usage === "string" ? [usage] : usage, text, family: familyName },
  });
  return {
    plain(
      name: string,
      arity: Arity,
      usage: string | string[],
      text: string,
      call: (args: Args, ctx: BuiltinContext) => Value,
    ): PlainBuiltin {
      return { ...base(name, arity, usage, text), kind: "plain", call: call as unknown as PlainBuiltin["call"] };
    },
    higher(
      name: string,
      arity: Arity,
      usage: string | string[],
      text: string,
      call: (args: Args, ctx: BuiltinContext) => Calls,
    ): HigherOrderBuiltin {
      return {
        ...base(name, arity, usage, text),
        kind: "higher-order",
        call: call as unknown as HigherOrderBuiltin["call"],
      };
    },
  };
}

/** The same function under a second name. */
export function alias<T extends PlainBuiltin | HigherOrderBuiltin>(builtin: T, name: string): T {
  const usage = builtin.doc.usage.map((text) => text.replace(`(${builtin.name}`, `(${name}`));
  return { ...builtin, name, doc: { ...builtin.doc, usage } };
}
