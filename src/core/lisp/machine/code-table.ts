import { HostMap, INFINITY } from "../../base/intrinsics";
import { fnv } from "../../base/text-hash";
import type { Code } from "../compile/code";
import { compileClosure } from "../compile/compile";
import { Registry } from "../compile/registry";
import { formText } from "../read/form-text";
import { LispError } from "../values/errors";

/** Functions of earlier turns are written as their text, and compiled again. */

/** `[text, names of what it captures, its own name, its mark]`. */
export type WrittenCode = [string, string[], string | null, string];

/** A short text that differs when instructions differ: a frame can continue only in the same instructions. */
export function markOf(codes: readonly Code[]): string {
  return fnv(codes.map(({ ops, slots }) => `${slots}:${ops.join(",")}`).join(";"));
}

/** The program continues only in the instructions in which it stopped; another version may compile other ones. */
export const compiledOtherwise = (): LispError =>
  new LispError(
    "eval_error",
    "execution_error",
    "the program cannot continue: this version of Navigator compiles it to other instructions than the version that began it. What its tasks recorded stands; the rest must be done by a new program",
  );

/** Writes the code of a function as its source and the names that it captures. */
export function writtenCode(code: Code): WrittenCode {
  if (code.form === null) throw new LispError("eval_error", "type_error", "a function without source cannot be kept");
  code.formText ??= formText(code.form);
  return [code.formText, code.captures.map(({ name }) => name), code.name ?? null, markOf([code])];
}

/** Reads codes that `writtenCode` wrote. */
export class CodeReader {
  private readonly registry = new Registry(new HostMap(), new HostMap(), INFINITY);

  read([text, names, name, mark]: WrittenCode): Code {
    const code = compileClosure(text, names, this.registry);
    if (name !== null) code.name = name;
    if (markOf([code]) !== mark) throw compiledOtherwise();
    return code;
  }
}
