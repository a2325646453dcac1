import { isObject } from "../core/base/is-object";
import type { Json } from "../core/base/json";
import { MIN_PATTERN_BYTES, PatternFinder } from "./find-patterns";
import { formsOf } from "./secret-forms";

/** A shorter value occurs by chance, so it cannot be looked for. */
export const MIN_SECRET_CHARS = MIN_PATTERN_BYTES;

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
    this.names.set(value, printable(name));
    this.isFresh = false;
    return true;
  }

  get isEmpty(): boolean {
    return this.names.size === 0;
  }

  /** How many bytes at the end may be the beginning of a secret that goes on. */
  openEnd(bytes: Uint8Array): number {
    return this.isEmpty ? 0 : this.ready().openEnd(bytes);
  }

  /** The name of the first secret in it; null = there is none. */
  findIn(content: string | Uint8Array): string | null {
    if (this.isEmpty) return null;
    const found = this.ready().next(bytesOf(content));
    return found === null ? null : (this.owners[found.pattern] as string);
  }

  /** The bytes with `[secret NAME]` in place of each secret; the same bytes if there is none. */
  maskBytes(bytes: Uint8Array): Uint8Array {
    if (this.isEmpty) return bytes;
    const finder = this.ready();
    const parts: Uint8Array[] = [];
    let done = 0;
    for (let found = finder.next(bytes); found !== null; found = finder.next(bytes, done)) {
      parts.push(bytes.subarray(done, found.at), Buffer.from(maskOf(this.owners[found.pattern] as string)));
      done = found.at + found.length;
    }
    return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(done)]);
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
    return Object.fromEntries(Object.entries(json).map(([key, item]) => [this.mask(key), this.maskJson(item as Json)]));
  }

  /** The same error; its message and stack, and those of its causes, are masked. Details of Temporal's failures too. */
  maskError<E>(error: E): E {
    if (this.isEmpty) return error;
    // Not by class: errors of Node's own code may come from another realm.
    let at = error as (Error & { details?: unknown }) | undefined;
    for (let depth = 0; typeof at?.message === "string" && depth < 10; depth++) {
      const { message, stack, details } = at;
      // Not assigned: some errors have their message behind a getter.
      set(at, "message", message, this.mask(message));
      if (typeof stack === "string") set(at, "stack", stack, this.mask(stack));
      if (details !== undefined && details !== null) set(at, "details", details, this.maskJson(details as Json));
      at = at.cause as typeof at;
    }
    return error;
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
 * The secrets of this process: those of its environment, and those that tool sources read. A log line or a payload may hold any of
 * them, whichever project it belongs to.
 */
export const knownSecrets = new KnownSecrets();

/** What stands in the place of a secret. */
export const maskOf = (name: string): string => `[secret ${printable(name)}]`;

const printable = (name: string): string => name.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 60);

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : content;

function set(error: object, key: string, before: unknown, value: unknown): void {
  if (value !== before) Object.defineProperty(error, key, { value, configurable: true, writable: true });
}
