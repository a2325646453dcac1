import type { Place } from "../values/errors";
import type { Value } from "../values/values";

/** What the reader makes of a text: a tree without any meaning yet. */
export type Form =
  | { kind: "literal"; value: Value; at: Place }
  | { kind: "regex"; source: string; at: Place }
  | { kind: "symbol"; name: string; at: Place }
  | { kind: "var"; name: string; at: Place }
  | { kind: "list"; items: Form[]; at: Place }
  | { kind: "vector"; items: Form[]; at: Place }
  | { kind: "set"; items: Form[]; at: Place }
  /** Keys and values in turn. */
  | { kind: "map"; items: Form[]; at: Place }
  /** `#(...)`, placeholders still inside. */
  | { kind: "shortfn"; items: Form[]; at: Place };

/** A list form: `( ... )`. */
export type ListForm = Extract<Form, { kind: "list" }>;
/** A symbol form. */
export type SymbolForm = Extract<Form, { kind: "symbol" }>;

/** A symbol form at a place of the source. */
export const symbol = (name: string, at: Place): SymbolForm => ({ kind: "symbol", name, at });
/** A list form at a place of the source. */
export const list = (items: Form[], at: Place): ListForm => ({ kind: "list", items, at });

/** Whether a name is neither namespaced, nor of the turn history, nor a placeholder. */
export const isPlainName = (name: string): boolean => !/^.+\/|^\*[123]$|^%[0-9]*$/.test(name);

/** Whether the form is a symbol, and the one of this name if a name is given. */
export function isSymbol(form: Form | undefined, name?: string): form is SymbolForm {
  return form?.kind === "symbol" && (name === undefined || form.name === name);
}
