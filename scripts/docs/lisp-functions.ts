import { BUILTINS } from "../../src/core/lisp/builtins";
import { SPECIAL_FORM_DOCS } from "../../src/core/lisp/compile/special-form-docs";
import { markdownTable } from "./markdown-table";

/** Every special form and builtin with its use, in one table for each family. */
export function lispFunctions(): string {
  const families = new Map<string, string[][]>();
  const add = (family: string, name: string, usage: readonly string[], text: string) => {
    const row = [`\`${name}\``, usage.map((form) => `\`${form}\``).join(", "), text];
    families.set(family, [...(families.get(family) ?? []), row]);
  };
  for (const [name, { usage, text }] of Object.entries(SPECIAL_FORM_DOCS)) add("special forms", name, usage, text);
  for (const { name, doc } of BUILTINS.values()) add(doc.family, name, doc.usage, doc.text);
  return [...families]
    .map(([family, rows]) => `### ${capitalized(family)}\n\n${markdownTable(["name", "use", "gives"], rows)}`)
    .join("\n\n");
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
