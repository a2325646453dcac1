import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { maskOf, printableName } from "../../core/calls/secret-mask";
import { type Match, MIN_PATTERN_BYTES, PatternFinder } from "./find-patterns";
import { formsOf } from "./secret-forms";
import { unfolded } from "./unfolded";

/** A shorter value occurs by chance, so it cannot be looked for. */
export const MIN_SECRET_CHARS = MIN_PATTERN_BYTES;

const NOTHING = new Uint8Array();

/** Secrets by name, and texts and bytes without them. */
export class KnownSecrets {
  private readonly names = new Map<string, string>();
  private finder = new PatternFinder([]);
  private owners: string[] = [];
  private isFresh = true;

  /**
   * Adds a secret. One value keeps the name under which it was added first.
   *
   * @returns whether it is looked for: a value of fewer than MIN_SECRET_CHARS characters is not
   */
  add(name: string, value: string): boolean {
    if (value.length < MIN_SECRET_CHARS) return false;
    if (this.names.has(value)) return true;
    this.names.set(value, printableName(name));
    this.isFresh = false;
    return true;
  }

  get isEmpty(): boolean {
    return this.names.size === 0;
  }

  /** The name of the first secret in it; null = there is none. */
  findIn(content: string | Uint8Array): string | null {
    if (this.isEmpty) return null;
    const bytes = bytesOf(content);
    const finder = this.ready();
    const found = finder.next(bytes) ?? finder.next(unfolded(bytes)?.bytes ?? NOTHING);
    return found === null ? null : (this.owners[found.pattern] as string);
  }

  /** The names of all secrets in it. */
  namesIn(bytes: Uint8Array): Set<string> {
    const names = new Set<string>();
    const finder = this.ready();
    for (const part of [bytes, unfolded(bytes)?.bytes ?? NOTHING])
      for (let found = finder.next(part); found !== null; found = finder.next(part, found.at + found.length))
        names.add(this.owners[found.pattern] as string);
    return names;
  }

  /**
   * The bytes with `[secret NAME]` in place of each secret; the same bytes if there is none.
   *
   * @param keepsLength the mask is cut, or filled with `*`, to the length of what was there: binary data stays readable
   */
  maskBytes(bytes: Uint8Array, keepsLength = false): Uint8Array {
    if (this.isEmpty) return bytes;
    const clean = this.masked({ bytes, places: null }, bytes, keepsLength);
    const plain = unfolded(clean);
    return plain === null ? clean : this.masked(plain, clean, keepsLength);
  }

  /** @param seen the bytes as they are searched, and their places in `bytes`; null: the same places */
  private masked(seen: { bytes: Uint8Array; places: Uint32Array | null }, bytes: Uint8Array, keepsLength: boolean) {
    const finder = this.ready();
    const placeOf = (at: number) => seen.places?.[at] ?? at;
    const parts: Uint8Array[] = [];
    let done = 0;
    for (let found = finder.next(seen.bytes); found !== null; found = finder.next(seen.bytes, done)) {
      const [from, to] = [placeOf(found.at), placeOf(found.at + found.length)];
      parts.push(bytes.subarray(placeOf(done), from), this.maskAt({ ...found, length: to - from }, keepsLength));
      done = found.at + found.length;
    }
    return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(placeOf(done))]);
  }

  /**
   * Masks the first part of bytes whose rest follows. What may be the beginning of a secret is left as it is: `open`, at the end. So is a
   * secret that a longer one begins with.
   */
  maskUntilOpen(bytes: Uint8Array, keepsLength = false): { clean: Uint8Array; open: Uint8Array } {
    if (this.isEmpty) return { clean: bytes, open: bytes.subarray(bytes.length) };
    const finder = this.ready();
    const parts: Uint8Array[] = [];
    let done = 0;
    let open = bytes.length - finder.openEnd(bytes);
    for (let found = finder.next(bytes); found !== null && found.at < open; found = finder.next(bytes, done)) {
      parts.push(bytes.subarray(done, found.at), this.maskAt(found, keepsLength));
      done = found.at + found.length;
      if (done > open) open = bytes.length - finder.openEnd(bytes.subarray(done));
    }
    const rest = bytes.subarray(done, open);
    return { clean: parts.length === 0 ? rest : Buffer.concat([...parts, rest]), open: bytes.subarray(open) };
  }

  /** The text with `[secret NAME]` in place of each secret. */
  mask(text: string): string {
    if (this.isEmpty || text.length < MIN_PATTERN_BYTES) return text;
    const bytes = Buffer.from(text);
    const clean = this.maskBytes(bytes);
    return clean === bytes ? text : Buffer.from(clean).toString("utf8");
  }

  /** The value with its texts masked, at any depth: keys too. A number that is a secret becomes a text. */
  maskJson(json: Json): Json {
    if (this.isEmpty) return json;
    if (typeof json === "string") return this.mask(json);
    if (typeof json === "number") return this.findIn(String(json)) === null ? json : this.mask(String(json));
    if (Array.isArray(json)) return json.map((item) => this.maskJson(item));
    if (!isObject(json)) return json;
    return withMaskedKeys(
      json,
      (key) => this.mask(key),
      (item) => this.maskJson(item),
    );
  }

  /** The same error; its message and stack, and those of its causes, are masked. Details of Temporal's failures too. */
  maskError<E>(error: E): E {
    if (this.isEmpty) return error;
    // Not by class: errors of Node's own code may come from another realm.
    let at = error as (Error & { details?: unknown }) | undefined;
    for (let depth = 0; typeof at?.message === "string" && depth < 10; depth++) {
      const { message, stack, details } = at;
      // Not assigned: some errors have their message in a getter.
      set(at, "message", message, this.mask(message));
      if (typeof stack === "string") set(at, "stack", stack, this.mask(stack));
      if (details !== undefined && details !== null) set(at, "details", details, this.maskJson(details as Json));
      at = at.cause as typeof at;
    }
    return error;
  }

  private maskAt({ pattern, length }: Match, keepsLength: boolean): Uint8Array {
    const mask = maskOf(this.owners[pattern] as string);
    return Buffer.from(keepsLength ? mask.slice(0, length).padEnd(length, "*") : mask);
  }

  private ready(): PatternFinder {
    if (this.isFresh) return this.finder;
    const forms = [...this.names].flatMap(([value, name]) => formsOf(value).map((form) => ({ name, form })));
    this.owners = forms.map(({ name }) => name);
    this.finder = new PatternFinder(forms.map(({ form }) => Buffer.from(form)));
    this.isFresh = true;
    return this.finder;
  }
}

/**
 * The secrets of this process: those of its environment, and those that tool sources read. A log line or a payload may contain any of
 * them, whichever project it belongs to.
 */
export const knownSecrets = new KnownSecrets();

/** An object with other keys and values. A number distinguishes two keys that become one: no value is lost. */
export function withMaskedKeys(
  json: { [key: string]: Json },
  mask: (key: string) => string,
  value: (item: Json) => Json,
): { [key: string]: Json } {
  const taken = new Set(Object.keys(json));
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => {
      const clean = mask(key);
      let name = clean;
      for (let n = 2; name !== key && taken.has(name); n++) name = `${clean} (${n})`;
      taken.add(name);
      return [name, value(item)];
    }),
  );
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : content;

function set(error: object, key: string, before: unknown, value: unknown): void {
  if (value !== before) Object.defineProperty(error, key, { value, configurable: true, writable: true });
}
