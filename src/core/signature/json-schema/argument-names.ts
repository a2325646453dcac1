import { wireName } from "../parse";

/** An argument: as programs write it, and as the tool knows it. */
export interface ArgumentName {
  /** A field name of signatures. */
  name: string;
  key: string;
}

const FIELD_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;

/**
 * A name for each key that programs can write as a keyword: `filter[from]` becomes `filter_from`. On the wire `-` and
 * `_` are one, so a number distinguishes keys that differ in nothing else: the key with `_` keeps its name.
 */
export function argumentNames(keys: readonly string[]): ArgumentName[] {
  // A key that needs no change keeps its name, wherever it stands.
  const plain = new Set(keys.filter((key) => FIELD_NAME.test(key)).map(wireName));
  const exact = new Set(keys.filter((key) => FIELD_NAME.test(key) && key === wireName(key)));
  const taken = new Set<string>();
  return keys.map((key) => {
    const isOthers = (wire: string, changed: boolean) => (changed ? plain : exact).has(wire) && wire !== key;
    const name = free(key, (one) => taken.has(wireName(one)) || isOthers(wireName(one), one !== key));
    taken.add(wireName(name));
    return { name, key };
  });
}

function free(key: string, isTaken: (name: string) => boolean): string {
  const name = FIELD_NAME.test(key) ? key : callable(key);
  if (!isTaken(name)) return name;
  for (let n = 2; ; n++) if (!isTaken(`${name}_${n}`)) return `${name}_${n}`;
}

/** A text as a name: each run of other characters becomes `_`. */
export function callable(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+(?=.)|_+$/g, "");
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}
