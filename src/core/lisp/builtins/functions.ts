import { inCard } from "../values/doc";
import { printlnValue } from "../values/print";
import { NATIVE } from "../values/sizes";
import type { CallRequest, Native, Value } from "../values/values";
import { invalidArgument, typeError } from "./builtin-errors";
import { isCallable } from "./callable";
import { family, MANY } from "./define";
import { elements } from "./sequence";
import { joinTexts } from "./strings";

const { plain, higher } = family("functions");

/**
 * The function that `(fnil f fallback)` gives: a nil first argument is replaced. Reading stored definitions uses it
 * too.
 */
export function makeFnil(fn: Value, fallback: Value): Native {
  return {
    tag: "native",
    name: "fnil",
    arity: { min: 1, max: MANY },
    *call(args): Generator<CallRequest, Value, Value> {
      return yield { fn, args: [args[0] ?? fallback, ...args.slice(1)] };
    },
    origin: { form: "fnil", captured: [fn, fallback] },
  };
}

/** Functions and logic (lisp reference, section 11.7). */
export const FUNCTIONS = [
  plain("identity", 1, "(identity x)", inCard("functions", 2, "x itself."), ([x]) => x),
  plain(
    "fnil",
    2,
    "(fnil f default)",
    inCard("functions", 3, "f, with a nil first argument replaced by the default."),
    ([fn, fallback], ctx) => {
      if (!isCallable(fn)) throw invalidArgument("fnil", "the first argument must be a function");
      ctx.allocate(NATIVE);
      return makeFnil(fn, fallback);
    },
  ),
  higher(
    "apply",
    [2, MANY],
    "(apply f a b args)",
    inCard("functions", 1, "Calls f with the elements of the last argument."),
    function* (args, ctx) {
      const [fn] = args;
      if (!isCallable(fn)) throw typeError("apply", args, "the first argument must be a function");
      const last = args[args.length - 1]!;
      if (last === null) throw typeError("apply", args);
      const rest = elements("apply", args, last, "vmt", ctx);
      return yield { fn, args: [...args.slice(1, -1), ...rest] };
    },
  ),
  plain(
    "println",
    [0, MANY],
    "(println & values)",
    "Prints the values, separated by blanks; gives nil.",
    (args, ctx) => {
      const charge = (steps: number) => ctx.charge(steps);
      const parts = args.map((arg) => printlnValue(arg, charge));
      ctx.print(joinTexts(parts, " ", ctx));
      return null;
    },
  ),
];
