import { isSymbol } from "../read/form";
import { read } from "../read/reader";
import { LispError } from "../values/errors";
import type { Code } from "./code";
import { Op } from "./code";
import { CompileLimit } from "./compile-limit";
import { Compiler } from "./compiler";
import type { Registry } from "./registry";
import { FunctionScope } from "./scope";

/** Reads, checks and compiles a program. @throws LispError with the mistakes that are found before a program runs */
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
 * The code of one function that was stored with `formText`. When the closure is made, its captured values come in the
 * order of `captured`.
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
