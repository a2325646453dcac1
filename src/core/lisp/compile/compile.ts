import { isSymbol } from "../read/form";
import { read } from "../read/reader";
import { LispError } from "../values/errors";
import type { Code } from "./code";
import { Op } from "./code";
import { CompileLimit } from "./compile-limit";
import { Compiler } from "./compiler";
import type { Registry } from "./registry";
import { FunctionScope } from "./scope";

/** A whole program, read, checked and compiled. @throws LispError of the phases before the first effect. */
export function compileProgram(source: string, registry: Registry): Code {
  const forms = read(source);
  const scope = new FunctionScope(null, null, new CompileLimit(source));
  const compiler = new Compiler(registry, scope);
  compiler.body(forms, forms[0]?.at ?? { line: 1, column: 1 }, false);
  scope.emit(undefined, Op.RETURN);
  compiler.checkNames();
  return scope.code;
}

/**
 * The code of one function that was written down with `formText`. Its captured values come in the order of
 * `captured` when the closure is made.
 */
export function compileClosure(source: string, captured: readonly string[], registry: Registry): Code {
  const [form] = read(source);
  if (form?.kind !== "shortfn" && !(form?.kind === "list" && isSymbol(form.items[0], "fn")))
    throw new LispError("eval_error", "type_error", "the text of a function is none");
  const outer = new FunctionScope(null, null, new CompileLimit(source));
  const compiler = new Compiler(registry, outer, captured);
  compiler.form(form);
  return outer.code.constants.at(-1) as Code;
}
