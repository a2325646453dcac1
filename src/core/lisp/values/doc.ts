/** What people and models are told of a builtin or a special form: by `doc` in the REPL, in the docs and in the language card. */
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

export interface CardPlace {
  readonly list: CardList;
  /** Lists are in the order of these numbers; a new name takes the next one, so that the others stay where models saw them. */
  readonly place: number;
  /** What the card shows instead of the name. */
  readonly shown?: string;
}

/** What a builtin or form does, in a sentence or two: the compiler refuses an entry without one. */
export type Sentence = `${string}.`;

/** A description, with its places in the language card if it has any. */
export type Description = Sentence | { readonly text: Sentence; readonly card: readonly CardPlace[] };

/** A description that the language card names too. */
export function inCard(list: CardList, place: number, description: Description, shown?: string): Description {
  const { text, card } = opened(description);
  return { text, card: [...card, { list, place, ...(shown === undefined ? {} : { shown }) }] };
}

export function docOf(usage: string | readonly string[], description: Description): Doc {
  return { usage: typeof usage === "string" ? [usage] : usage, ...opened(description) };
}

const opened = (description: Description) =>
  typeof description === "string" ? { text: description, card: [] } : description;
