import { NavigatorError } from "../../core/base/navigator-error";
import { type KnownSecrets, knownSecrets, MIN_SECRET_CHARS } from "./known-secrets";
import { hasRandomPart, isLikePassword, isPassPhrase, KEY_TEXT, looksRandom } from "./random-values";

/** Which values of an environment are secrets (docs/security.md, "Secrets"). */

/** What has such a name is a secret, unless it is a path or a word. Pass phrases are secrets, too. */
const PASSWORD_NAME = /(?:^|_)(?:PASS|PASSWD|PASSPHRASE)$|PASSWORDS?$|_PWD$/i;
/** The same, but several words are more likely the name of a secret. */
const SECRET_NAME = /(?:^|_)(?:SECRETS?|CREDENTIALS?)$/i;
/** What has such a name is as often a name itself, of a cache, an object or a model: only a value with a random part is a secret. */
const KEY_NAME =
  /(?:^|_)(?:(?:API|ACCESS|PRIVATE|SECRET|SIGNING)?KEYS?|TOKENS?|PAT|DSN|AUTH|AUTHORIZATION|BEARER|COOKIE)$/i;
/** The names of settings that tools take from the environment: `npm_config__authToken`. */
const CAMEL_CASE_NAME = /[a-z](?:Key|Token|Secret|Password)$/;
const PUBLIC_NAME = /PUBLIC|PUBLISHABLE/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** The settings of a project for secrets. */
export interface SecretSettings {
  /** Environment variables with secrets, whatever they look like. */
  names: readonly string[];
  /** Environment variables without secrets, although they look so. */
  ignore: readonly string[];
}

/**
 * Adds the secrets of an environment: the variables that the project names; those with a secret's name and a value that looks
 * random; private keys; and what is secret inside of a value, such as the password in an address.
 *
 * @returns the named variables whose values are too short to be looked for
 */
export function addEnvironmentSecrets(
  secrets: KnownSecrets,
  env: NodeJS.ProcessEnv,
  { names, ignore }: SecretSettings = { names: [], ignore: [] },
): string[] {
  for (const [name, value = ""] of Object.entries(env)) {
    if (ignore.includes(name) && !names.includes(name)) continue;
    if (!names.includes(name) && isSecretVariable(name, value)) addValue(secrets, name, value);
    for (const part of secretParts(value)) secrets.add(name, part);
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

/** Whether a variable looks like a secret: by its name and its value, or because it contains a private key. */
export function isSecretVariable(name: string, given: string): boolean {
  if (PRIVATE_KEY.test(given)) return true;
  if (PUBLIC_NAME.test(name)) return false;
  const value = given.trim();
  if (PASSWORD_NAME.test(name)) return isPassPhrase(value) || looksRandom(value);
  if (SECRET_NAME.test(name)) return looksRandom(value);
  return (KEY_NAME.test(name) || CAMEL_CASE_NAME.test(name)) && hasRandomPart(value);
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
    {
      hint: "Give the service a longer secret, or take the name out of the list: then its value is not looked for.",
      details: { path: "secrets" },
    },
  );
}

/** `postgres://USER:PASSWORD@HOST,HOST/DATABASE`. */
const PASSWORD_IN_ADDRESS = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#\s:]*:([^/?#\s]*)@/i;
/** `Bearer abc`, `Authorization=Basic%20dXNlcjpwYXNz`. */
const CREDENTIALS = /\b(Basic|Bearer)(?: |%20)+([\w.~+/=-]+)/gi;
/** `AccountName=a;AccountKey=...`, `host=h password=...`, `?token=...`. */
const SETTING = /(?:^|[;?&\s])([\w.-]*?(?:key|token|secret|signature|sig|password|pwd))=["']?([^;&\s"']+)/gi;

/**
 * Secrets that are a part of a value: in addresses, headers and connection strings, whatever the variable is called. In each spelling
 * that the value has: as it is written there, and without percent signs.
 */
function secretParts(value: string): string[] {
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
