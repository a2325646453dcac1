import { isObject } from "../core/base/is-object";
import type { Json } from "../core/base/json";
import { maskOf } from "../core/calls/secret-mask";
import { isSecretVariable } from "../node/secrets/environment-secrets";
import { knownSecrets, withMaskedKeys } from "../node/secrets/known-secrets";
import { badSetting } from "./source";

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const SECRET_NAME = /key|token|secret|pass|pwd|credential|auth|cookie|private|bearer|dsn|webhook/i;

/** Shorter ones are words that occur by chance. */
const MIN_CHARS = 6;

/**
 * Settings may name variables of the worker's environment, `"Bearer ${SHOP_TOKEN}"`: the value stays in the worker. A
 * value whose variable or setting has a secret's name is also removed from everything that leaves the tool: results
 * (they go into the history), messages and logs. The whole process looks for it too (docs/security.md, "Secrets").
 */
export class Secrets {
  /** With the text in their place. Longest first: one may be a part of another. */
  private values: { value: string; mask: string }[] = [];

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  /** @param place of the text in the configuration. @throws NavigatorError for a variable that is not set */
  expand(text: string, place: string): string {
    const setting = place.split(".").at(-1) as string;
    const value = text.replace(REFERENCE, (_, name: string) => {
      const value = this.env[name];
      if (value === undefined || value === "") throw badSetting(place, `the environment variable ${name} is not set`);
      if (SECRET_NAME.test(name) || SECRET_NAME.test(setting)) this.keep(value, name);
      return value;
    });
    // A secret that stands in the configuration itself: `Bearer abc...`.
    const last = value.split(" ").at(-1) as string;
    if (value === text && isSecretVariable(setting.replaceAll("-", "_"), last)) this.keep(last, place);
    return value;
  }

  expandAll(texts: { [key: string]: string }, place: string): { [key: string]: string } {
    return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, this.expand(text, `${place}.${key}`)]));
  }

  /**
   * A secret in all its encodings.
   *
   * @param name under which it is hidden
   * @param everywhere whether the whole process hides it, or only this source
   */
  keep(value: string, name: string, everywhere = true): void {
    if (everywhere) knownSecrets.add(name, value);
    if (value.length < MIN_CHARS) return;
    const forms = new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);
    const known = new Set(this.values.map((one) => one.value));
    const fresh = [...forms].filter((form) => !known.has(form)).map((form) => ({ value: form, mask: maskOf(name) }));
    this.values = [...this.values, ...fresh].sort((a, b) => b.value.length - a.value.length);
  }

  hide(text: string): string {
    let clean = text;
    for (const { value, mask } of this.values) clean = clean.replaceAll(value, mask);
    return clean;
  }

  hideIn(json: Json): Json {
    if (this.values.length === 0) return json;
    if (typeof json === "string") return this.hide(json);
    if (Array.isArray(json)) return json.map((item) => this.hideIn(item));
    if (!isObject(json)) return json;
    return withMaskedKeys(
      json,
      (key) => this.hide(key),
      (item) => this.hideIn(item),
    );
  }

  /** The same error, its message and those of its causes as they may be shown. */
  hideFrom(error: unknown): unknown {
    if (this.values.length === 0) return error;
    // Not by class: errors of Node's own code may come from another realm.
    let at = error as Error | undefined;
    for (let depth = 0; typeof at?.message === "string" && depth < 5; depth++) {
      const message = this.hide(at.message);
      // Not assigned: some errors have their message in a getter.
      if (message !== at.message) Object.defineProperty(at, "message", { value: message, configurable: true });
      at = at.cause as typeof at;
    }
    return error;
  }
}
