import { isObject } from "../core/base/is-object";
import type { Json } from "../core/base/json";

/** Keeps secrets out of messages: providers like to repeat the key they refuse. */

const MAX_CHARS = 500;
const KEY_SHAPES = /\b(?:sk|pk|rk|gsk|xai|key)-[\w*.-]{4,}|\bAIza[\w*-]{6,}|\bBearer\s+[\w.*~+/=-]+/g;
const URL_SECRETS = /(\bhttps?:\/\/)[^\s/@]+@|([?&](?:key|api_key|apikey|token)=)[^\s&"']+/gi;

/** The text without what is shaped like a key. */
export const withoutSecrets = (text: string): string =>
  text.replace(KEY_SHAPES, "[secret]").replace(URL_SECRETS, "$1$2[secret]");

/** The value without texts that are shaped like a key, at any depth. */
export function valueWithoutSecrets(value: Json): Json {
  if (typeof value === "string") return withoutSecrets(value);
  if (Array.isArray(value)) return value.map(valueWithoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, valueWithoutSecrets(part as Json)]));
}

/** The text with known secrets and everything shaped like one replaced, at most 500 characters. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  // A short "secret" such as "x" would blank ordinary words.
  for (const secret of secrets) if (secret.length >= 6) clean = clean.replaceAll(secret, "[secret]");
  clean = withoutSecrets(clean);
  return clean.length > MAX_CHARS ? `${clean.slice(0, MAX_CHARS)}...` : clean;
}
