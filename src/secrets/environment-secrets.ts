import { existsSync } from "node:fs";
import { NavigatorError } from "../core/base/navigator-error";
import { type KnownSecrets, knownSecrets, MIN_SECRET_CHARS } from "./known-secrets";

/** Which values of an environment are secrets (docs/security.md, "Secrets"). */

/** What has such a name is a secret, unless it is a path or a word. */
const SECRET_NAME = /(?:^|_)(?:SECRETS?|PASS|PASSWD|PASSPHRASE|CREDENTIALS?)$|PASSWORDS?$|_PWD$/i;
/** What has such a name is as often a name itself, of a cache, an object or a model: only a value with a random part is a secret. */
const KEY_NAME =
  /(?:^|_)(?:(?:API|ACCESS|PRIVATE|SECRET|SIGNING)?KEYS?|TOKENS?|PAT|DSN|AUTH|AUTHORIZATION|BEARER|COOKIE)$/i;
/** The names of settings that tools take from the environment: `npm_config__authToken`. */
const CAMEL_CASE_NAME = /[a-z](?:Key|Token|Secret|Password)$/;
const PUBLIC_NAME = /PUBLIC|PUBLISHABLE/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
/** Secrets inside of the file of encryption keys: 32 bytes in base64url. */
const KEY_TEXT = /(?<![\w-])[\w-]{43}(?![\w-])/g;

/** A value that nobody has named secret is taken for one only if it, or its random part, is at least this long. */
const MIN_RANDOM_CHARS = 12;

/** What a project says about secrets. */
export interface SecretSettings {
  /** Environment variables that hold secrets, whatever they look like. */
  names: readonly string[];
  /** Environment variables that hold none, although they look so. */
  ignore: readonly string[];
}

/**
 * Adds the secrets of an environment: the variables that the project names; those with a secret's name and a value that looks
 * random; private keys; and passwords in addresses.
 *
 * @returns the named variables whose values are too short to be looked for
 */
export function addEnvironmentSecrets(
  secrets: KnownSecrets,
  env: NodeJS.ProcessEnv,
  { names, ignore }: SecretSettings = { names: [], ignore: [] },
): string[] {
  for (const [name, value = ""] of Object.entries(env)) {
    if (ignore.includes(name) || names.includes(name)) continue;
    if (isSecretVariable(name, value)) addValue(secrets, name, value);
    const password = passwordIn(value);
    if (password !== null && looksRandom(password)) secrets.add(name, password);
  }
  return names.filter((name) => {
    const value = env[name]?.trim() ?? "";
    if (value === "") return false;
    addValue(secrets, name, value);
    return value.length < MIN_SECRET_CHARS;
  });
}

function addValue(secrets: KnownSecrets, name: string, value: string): void {
  secrets.add(name, value.trim());
  if (value.trim().startsWith("{")) for (const [key] of value.matchAll(KEY_TEXT)) secrets.add(name, key);
}

/** Whether a variable looks like a secret: by its name and its value, or because it holds a private key. */
export function isSecretVariable(name: string, given: string): boolean {
  if (PRIVATE_KEY.test(given)) return true;
  if (PUBLIC_NAME.test(name)) return false;
  const value = given.trim();
  if (SECRET_NAME.test(name)) return looksRandom(value);
  return (KEY_NAME.test(name) || CAMEL_CASE_NAME.test(name)) && hasRandomPart(value);
}

/** Not a word, a number, a path or a text: those would be found everywhere. */
function looksRandom(value: string): boolean {
  if (value.length < MIN_RANDOM_CHARS || isPath(value)) return false;
  if (value.startsWith("{")) return true;
  return !/\s/.test(value) && /[A-Za-z]/.test(value) && /[0-9]/.test(value);
}

/** That some part of it is neither words nor numbers: `sk_live_4eC39HqLyjWDarjt`, but not `linux-node-20-build`. */
function hasRandomPart(value: string): boolean {
  if (value.startsWith("{")) return value.match(KEY_TEXT) !== null;
  return !/\s/.test(value) && !isPath(value) && (UUID.test(value) || value.split(/[^A-Za-z0-9+]/).some(isRandom));
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
/** `report2024`. */
const NUMBERED_WORD = /^[A-Za-z]?[a-z]+\d{1,4}$/;

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

/** The password of an address such as `postgres://USER:PASSWORD@HOST/DATABASE`. */
function passwordIn(value: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/\s]*@/i.test(value) || !URL.canParse(value)) return null;
  const { password } = new URL(value);
  try {
    return decodeURIComponent(password) || null;
  } catch {
    return password;
  }
}

/**
 * The process knows the secrets of this environment from now on.
 *
 * @throws NavigatorError `bad_project` for a named variable whose value is too short to be looked for
 */
export function learnSecrets(env: NodeJS.ProcessEnv, settings: SecretSettings): void {
  const [short] = addEnvironmentSecrets(knownSecrets, env, settings);
  if (short === undefined) return;
  throw new NavigatorError(
    "bad_project",
    `secrets: ${short} has a value of fewer than ${MIN_SECRET_CHARS} characters, which would be found in other texts by chance.`,
    { hint: "Give the service a longer secret, or take the name out of the list: then its value is not looked for." },
  );
}
