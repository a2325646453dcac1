import { BUILTINS } from "../../src/core/lisp/builtins";
import { SPECIAL_FORMS } from "../../src/core/lisp/compile/special-forms";
import type { Doc } from "../../src/core/lisp/values/doc";

/** Every special form and builtin with its use, in one list for each family. */
export function lispFunctions(): string {
  const families = new Map<string, string[]>();
  const add = (family: string, { usage, text }: Doc) => {
    const row = `- ${usage.map((form) => `\`${form}\``).join(", ")}: ${text}`;
    families.set(family, [...(families.get(family) ?? []), row]);
  };
  for (const { doc } of SPECIAL_FORMS.values()) add("special forms", doc);
  for (const { doc } of BUILTINS.values()) add(doc.family, doc);
  return [...families].map(([family, rows]) => `### ${capitalized(family)}\n\n${rows.join("\n")}`).join("\n\n");
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
