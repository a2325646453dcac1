import { hasRandomPart, isLikePassword } from "./random-values";

/** Secrets that are a part of a value: in addresses, headers and connection strings, whatever the variable is called. */

/** `postgres://USER:PASSWORD@HOST,HOST/DATABASE`. */
const PASSWORD_IN_ADDRESS = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#\s:]*:([^/?#\s]*)@/i;
/** `Bearer abc`, `Authorization=Basic%20dXNlcjpwYXNz`. */
const CREDENTIALS = /\b(Basic|Bearer)(?: |%20)+([\w.~+/=-]+)/gi;
/** `AccountName=a;AccountKey=...`, `host=h password=...`, `?token=...`. */
const SETTING = /(?:^|[;?&\s])([\w.-]*?(?:key|token|secret|signature|sig|password|pwd))=["']?([^;&\s"']+)/gi;

/** In each spelling that the value has: as it is written there, and without percent signs. */
export function secretParts(value: string): string[] {
  const password = PASSWORD_IN_ADDRESS.exec(value)?.[1] ?? "";
  const found = isLikePassword(decoded(password)) ? [password, ...passwordOfUrl(value)] : [];
  for (const [, scheme = "", text = ""] of value.matchAll(CREDENTIALS)) {
    if (hasRandomPart(text)) found.push(text);
    const inBasic = /^basic$/i.test(scheme)
      ? Buffer.from(text, "base64")
          .toString()
          .replace(/^[^:]*:?/, "")
      : "";
    if (isLikePassword(inBasic)) found.push(inBasic);
  }
  for (const [, name = "", text = ""] of value.matchAll(SETTING)) {
    const isSecret = /(?:password|pwd)$/i.test(name) ? isLikePassword : hasRandomPart;
    if (!/public/i.test(name) && isSecret(decoded(text))) found.push(text);
  }
  return [...new Set(found.flatMap((text) => [decoded(text), text]))];
}

const passwordOfUrl = (value: string): string[] => (URL.canParse(value) ? [new URL(value).password] : []);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A `%` that stands for itself.
    return text;
  }
}
