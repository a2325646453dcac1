import { printValue, type Value } from "../../core/lisp";
import { BUILTINS, CONSTANTS } from "../../core/lisp/builtins";
import { Registry } from "../../core/lisp/compile/registry";
import { SPECIAL_FORMS } from "../../core/lisp/compile/special-forms";
import { Closure } from "../../core/lisp/values/values";

/** The name in `(doc name)` or `doc name`, when that is all of the input. */
export function docRequest(source: string): string | undefined {
  const text = source.trim().replace(/^\((.*)\)$/s, "$1");
  return /^\s*doc\s+"?([^\s()[\]{}"]+)"?\s*$/.exec(text)?.[1];
}

/**
 * How to use a name: a builtin, a special form, or what the session defined.
 *
 * @param memory the definitions of the session
 */
export function describeName(name: string, memory: ReadonlyMap<string, Value> = new Map()): string {
  const slash = name.indexOf("/");
  const registry = new Registry(memory, new Map());
  const plain = slash > 0 ? registry.qualified(name.slice(0, slash), name.slice(slash + 1)) : BUILTINS.get(name);
  if (typeof plain === "object" && plain !== null && plain.tag === "builtin")
    return told(plain.doc.usage, plain.doc.text);
  const form = SPECIAL_FORMS.get(name);
  if (form) return told(form.doc.usage, form.doc.text);
  const value = memory.get(name) ?? plain ?? CONSTANTS.get(name);
  if (value instanceof Closure) return told([`(${[name, ...value.paramNames].join(" ")})`], value.doc ?? "");
  if (value !== undefined) return `${name} is ${printValue(value, { items: 5, chars: 200 })}`;
  return registry.hint(name) || `There is no ${name}.`;
}

const told = (usage: readonly string[], text: string): string =>
  [...usage, ...(text === "" ? [] : [`  ${text}`])].join("\n");
