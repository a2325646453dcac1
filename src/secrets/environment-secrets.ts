import { existsSync } from "node:fs";
import { NavigatorError } from "../core/base/navigator-error";
import { type KnownSecrets, knownSecrets, MIN_SECRET_CHARS } from "./known-secrets";

/** Which values of an environment are secrets (docs/security.md, "Secrets"). */

const SECRET_NAME =
  /(?:^|_)(?:(?:API|ACCESS|PRIVATE|SECRET|SIGNING)?KEYS?|TOKENS?|SECRETS?|PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|CREDENTIALS?|DSN|AUTH|AUTHORIZATION|BEARER|COOKIE)$/i;
const PUBLIC_NAME = /PUBLIC|PUBLISHABLE/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
/** Secrets inside of the file of encryption keys: 32 bytes in base64url. */
const KEY_TEXT = /(?<![\w-])[\w-]{43}(?![\w-])/g;

/** A value that nobody has named secret is taken for one only if it is at least this long, and looks random. */
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
export const isSecretVariable = (name: string, value: string): boolean =>
  PRIVATE_KEY.test(value) || (SECRET_NAME.test(name) && !PUBLIC_NAME.test(name) && looksRandom(value.trim()));

/** Not a word, a number, a path or a text: those would be found everywhere. */
function looksRandom(value: string): boolean {
  if (value.length < MIN_RANDOM_CHARS) return false;
  if (value.startsWith("{")) return true;
  if (/\s/.test(value) || !/[A-Za-z]/.test(value) || !/[0-9]/.test(value)) return false;
  return !(/[/\\]/.test(value) && existsSync(value));
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
