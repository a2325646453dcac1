import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";

/** Keys of providers and passwords in addresses, by their shape: they stay out of what is shown. */

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
