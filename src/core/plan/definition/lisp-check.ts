import { LISP_LIMITS } from "../../base/limits";
import { compileProgram } from "../../lisp/compile/compile";
import { Registry } from "../../lisp/compile/registry";
import { type LispError, programError } from "../../lisp/values/errors";

/** Why a text is no program: it does not read, is not well formed, or uses a name that nothing defines; null when it is one. */
export function lispProblem(source: string, tools: readonly string[] = []): string | null {
  if (source.length > LISP_LIMITS.max_source_chars)
    return `it is ${source.length} characters long; the limit is ${LISP_LIMITS.max_source_chars}`;
  try {
    compileProgram(source, new Registry(new Map(), new Map(tools.map((name) => [name, {}]))));
    return null;
  } catch (thrown) {
    const { message, place }: LispError = programError(thrown);
    return place === undefined ? message : `${message} (line ${place.line}, column ${place.column})`;
  }
}
