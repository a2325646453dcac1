import { defined } from "../../base/defined";

/** The documentation of a builtin or a special form, for `doc` in the REPL, for the docs and for the language card. */
export interface Doc {
  /** Argument lists as a reader would write them, e.g. `(take n coll)`. */
  readonly usage: readonly string[];
  readonly text: string;
  /** Where the language card names it. */
  readonly card: readonly CardPlace[];
}

/** The lists of names in the language card. */
export type CardList =
  | "forms"
  | "aggregates"
  | "sequences"
  | "maps"
  | "numbers"
  | "text"
  | "regex"
  | "tests"
  | "pairs"
  | "sets"
  | "functions";

/** Where a builtin stands on the language card (lisp reference, section 19). */
export interface CardPlace {
  readonly list: CardList;
  /** Position in the list. A new name takes the next free number, so that the other names stay where they are. */
  readonly place: number;
  /** What the card shows instead of the name. */
  readonly shown?: string;
}

/** One or two sentences. The compiler refuses an entry without a description. */
export type Sentence = `${string}.`;

/** A description, with its places in the language card if it has any. */
export type Description = Sentence | { readonly text: Sentence; readonly card: readonly CardPlace[] };

/** A description of something that the language card names too. */
export function inCard(list: CardList, place: number, description: Description, shown?: string): Description {
  const { text, card } = opened(description);
  return { text, card: [...card, { list, place, ...defined({ shown }) }] };
}

/** The documentation of a builtin, from its usage and its description. */
export function docOf(usage: string | readonly string[], description: Description): Doc {
  return { usage: typeof usage === "string" ? [usage] : usage, ...opened(description) };
}

const opened = (description: Description) =>
  typeof description === "string" ? { text: description, card: [] } : description;
