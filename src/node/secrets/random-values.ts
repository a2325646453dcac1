import { existsSync } from "node:fs";

/** Whether a value looks like a secret (docs/security.md, "Secrets"), and not like what stands in other texts too. */

/** A value that nobody has named secret is taken for one only if it, or its random part, is at least this long. */
const MIN_RANDOM_CHARS = 12;

/** Secrets inside of the file of encryption keys: 32 bytes in base64url. */
export const KEY_TEXT = /(?<![\w-])[\w-]{43}(?![\w-])/g;

/** Not a word, a number, a path or a text: those would be found everywhere. */
export function looksRandom(value: string): boolean {
  if (value.length < MIN_RANDOM_CHARS || isPath(value)) return false;
  return value.startsWith("{") || hasLettersAndDigits(value);
}

/** The same for what can only be a password: it is no path, and it may be a pass phrase. */
export const isLikePassword = (value: string): boolean =>
  value.length >= MIN_RANDOM_CHARS && (hasLettersAndDigits(value) || isPassPhrase(value));

/** `correct-horse-battery-staple`: four or more words of three or more letters, with the same character between them. */
export const isPassPhrase = (value: string): boolean =>
  /^[A-Za-z]{3,}([-_. ])[A-Za-z]{3,}(?:\1[A-Za-z]{3,}){2,}$/.test(value);

const hasLettersAndDigits = (value: string): boolean =>
  !/\s/.test(value) && /[A-Za-z]/.test(value) && /[0-9]/.test(value);

/** That some part of it is neither words nor numbers: `sk_live_4eC39HqLyjWDarjt`, but not `linux-node-20-build`. */
export function hasRandomPart(value: string): boolean {
  if (value.startsWith("{")) return value.match(KEY_TEXT) !== null;
  return !/\s/.test(value) && !isPath(value) && (UUID.test(value) || value.split(/[^A-Za-z0-9+]/).some(isRandom));
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
/** `report2024`, `INV20240001234`. */
const NUMBERED_WORD = /^(?:[A-Za-z]?[a-z]+|[A-Z]+)\d+$/;

function isRandom(part: string): boolean {
  if (part.length < MIN_RANDOM_CHARS || NUMBERED_WORD.test(part)) return false;
  // Letters alone are words, unless capitals stand everywhere among them.
  return /[A-Za-z]/.test(part) && (/[0-9]/.test(part) || (part.match(/[a-z][A-Z]/g) ?? []).length >= MIN_CAPITALS);
}

/** `MyServiceAccountName` has three. */
const MIN_CAPITALS = 4;

/** A path of this machine, or one that looks so: its file has an ending, or it begins where paths begin. */
function isPath(value: string): boolean {
  if (!/[/\\]/.test(value)) return false;
  if (/^(?:\.{0,2}|~|[A-Za-z]:)[/\\]/.test(value) && !value.split(/[/\\]/).some(isRandom)) return true;
  return /[\w-]\.[A-Za-z0-9]{1,5}$/.test(value) || existsSync(value);
}
