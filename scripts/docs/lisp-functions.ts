import { BUILTINS } from "../../src/core/lisp/builtins";
import { SPECIAL_FORMS } from "../../src/core/lisp/compile/special-forms";
import type { Doc } from "../../src/core/lisp/values/doc";

/** Every special form and builtin with its use, in one list for each family. */
export function lispFunctions(): string {
  const families = new Map<string, string[]>();
  const first = new Map<string, string>();
  const add = (family: string, name: string, { usage, text }: Doc) => {
    const same = first.get(text);
    if (same === undefined) first.set(text, name);
    const row = `- ${usage.map((form) => `\`${form}\``).join(", ")}: ${same === undefined ? text : `As \`${same}\`.`}`;
    families.set(family, [...(families.get(family) ?? []), row]);
  };
  for (const { name, doc } of SPECIAL_FORMS.values()) add("special forms", name, doc);
  for (const { name, doc } of BUILTINS.values()) add(doc.family, name, doc);
  return [...families].map(([family, rows]) => `### ${capitalized(family)}\n\n${rows.join("\n")}`).join("\n\n");
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
