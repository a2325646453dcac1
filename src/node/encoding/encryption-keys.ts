import { createHash, randomBytes } from "node:crypto";
import { linkSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { NavigatorError } from "../../core/base/navigator-error";
import { freshPrivateFile, privateFolder, privateText } from "../private-files";

/**
 * The encryption keys of a project (docs/encryption.md): one file, or a setting with the same text. They are secrets that all
 * processes of a project share, and have nothing to do with the keys by which people sign decisions (`navigator login`).
 */

/** One key: 32 random bytes with a name. */
export interface EncryptionKey {
  id: string;
  secret: Buffer;
  /** ISO time. */
  created_at: string;
}

/** The keys that a process has. */
export interface EncryptionKeys {
  /** Where they are kept, in words for people: a path, or the name of a setting. */
  readonly place: string;
  /** The key that encrypts; undefined: there is none. */
  newest(): EncryptionKey | undefined;
  /** The key of an id. A file is read again for one that is not known yet. */
  byId(id: string): EncryptionKey | undefined;
  /** Every key, in the order in which they were made. */
  all(): readonly EncryptionKey[];
  /** Keys that were taken away, with the time. */
  retired(): readonly { id: string; retired_at: string }[];
}

const KEY_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** How long a key file is taken as it was read, in ms, before its time of change is looked at again. */
const LOOK_AGAIN_MS = 1_000;
/** What a process has encrypted is on the server by then, in ms after its last look. */
const SENT_MS = 1_000;

/** In how many ms every process of this machine has seen the last change of a key file, and sent what it encrypted before. */
export const msUntilSeen = (file: string, now = Date.now()): number =>
  Math.max(0, (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) + LOOK_AGAIN_MS + SENT_MS - now);

/** The content of a key file, which `navigator keys export` prints. */
export const KeyFile = z
  .strictObject({
    newest: z.string().nullable(),
    keys: z.array(
      z.strictObject({
        id: z.string().regex(KEY_ID, "must be letters, digits, '.', '_' and '-', at most 64"),
        secret: z.string().regex(SECRET, "must be 32 bytes in base64url"),
        created_at: z.string(),
      }),
    ),
    retired: z.array(z.strictObject({ id: z.string(), retired_at: z.string() })).default([]),
  })
  .refine(({ keys }) => new Set(keys.map(({ id }) => id)).size === keys.length, "has two keys with one id")
  .refine(
    ({ keys, newest }) => (newest === null ? keys.length === 0 : keys.some(({ id }) => id === newest)),
    "names a newest key that it does not have",
  );
export type KeyFile = z.output<typeof KeyFile>;

/** A new key. @param prefix of its id: the project's name */
export function newKey(prefix: string, id?: string): KeyFile["keys"][number] {
  const created_at = new Date().toISOString();
  const made = id ?? `${prefix}-${created_at.slice(0, 10)}-${randomBytes(3).toString("hex")}`;
  if (!KEY_ID.test(made))
    throw new NavigatorError(
      "invalid_input",
      `"${made}" cannot be the id of a key: it is letters, digits, ".", "_" and "-".`,
      { details: { path: "id" } },
    );
  return { id: made, secret: randomBytes(KEY_BYTES).toString("base64url"), created_at };
}

/** A digest that distinguishes two keys without showing either. */
export const keyFingerprint = (secret: Buffer): string =>
  createHash("sha256").update("navigator encryption key\n").update(secret).digest("hex").slice(0, 12);

/**
 * The keys of a project: those of the setting NAVIGATOR_ENCRYPTION_KEYS (a path, or the text of a key file), else those of the file
 * that `navigator keys` writes.
 *
 * @param setting null: it is not set
 * @throws NavigatorError `invalid_input`, `file_error`
 */
export function openKeys({ file, setting }: { file: string; setting: string | null }): EncryptionKeys {
  if (setting?.startsWith("{")) {
    const given = parseKeyFile(setting, "NAVIGATOR_ENCRYPTION_KEYS");
    return keysOf("NAVIGATOR_ENCRYPTION_KEYS", () => given);
  }
  if (setting !== null && statSync(setting, { throwIfNoEntry: false }) === undefined)
    throw new NavigatorError(
      "not_found",
      `There is no file ${path.resolve(setting)}, which NAVIGATOR_ENCRYPTION_KEYS names.`,
      { details: { path: path.resolve(setting), kind: "file" } },
    );
  const place = setting === null ? file : path.resolve(setting);
  return keysOf(place, readerOf(place, setting !== null));
}

/** Where `navigator keys` keeps the keys of a project. @param identity the folder of this user's keys */
export const keyFileOf = (identity: string, project: string | null): string =>
  path.join(identity, "encryption", `${project ?? "none"}.json`);

/** What to do where a project has no key. What another key has encrypted stays unreadable with a new one. */
export const HOW_TO_GET_KEYS =
  "Bring the project's keys: navigator keys import FILE. Only a project that has never had one makes its first: navigator keys create";

/** @throws NavigatorError `invalid_input`, `file_error` */
export function readKeyFile(file: string, mounted = false): KeyFile {
  const text = privateText(file, {
    remake: "Make a new one and use it from now on: navigator keys rotate.",
    folder: mounted ? "NAVIGATOR_ENCRYPTION_KEYS" : "NAVIGATOR_IDENTITY",
    group: mounted,
  });
  return text === null ? NO_KEYS : parseKeyFile(text, file);
}

/** What is read of a file that is not there. */
export const NO_KEYS: KeyFile = { newest: null, keys: [], retired: [] };

/** Writes the keys of a project. @throws NavigatorError `file_error` */
export function writeKeyFile(file: string, content: KeyFile, isNew: boolean): void {
  const fresh = freshPrivateFile(file, content, privateFolder);
  if (!isNew) return renameSync(fresh, file);
  // A link, and not a rename, which would replace the keys of the process that was first.
  try {
    linkSync(fresh, file);
  } catch (error) {
    throw new NavigatorError("file_error", `${file} cannot be made: ${(error as Error).message}.`, {
      details: { path: file },
    });
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** The keys in the text of a key file. @param place its name in messages @throws NavigatorError `invalid_input` */
export function parseKeyFile(text: string, place: string): KeyFile {
  const parsed = KeyFile.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  // Never the value: it may be a key.
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.map(String).join(".")}`;
  throw new NavigatorError(
    "invalid_input",
    `${place} contains no encryption keys${where}: it ${issue?.message ?? ""}.`,
    {
      hint: "navigator keys export prints such a text. To list the keys here: navigator keys list",
      details: { path: place },
    },
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function keysOf(place: string, read: (missing: boolean) => KeyFile): EncryptionKeys {
  const known = new Map<string, EncryptionKey>();
  const asKey = ({ id, secret, created_at }: KeyFile["keys"][number]): EncryptionKey => {
    const same = known.get(id);
    if (same?.created_at === created_at) return same;
    const key = { id, secret: Buffer.from(secret, "base64url"), created_at };
    known.set(id, key);
    return key;
  };
  const byId = (missing: boolean, id: string | null) => {
    const found = read(missing).keys.find((key) => key.id === id);
    return found && asKey(found);
  };
  return {
    place,
    newest: () => byId(false, read(false).newest),
    byId: (id) => byId(false, id) ?? byId(true, id),
    all: () => read(false).keys.map(asKey),
    retired: () => read(false).retired,
  };
}

/** Reads a file again after it has changed. What is wrong with it later does not take away the keys that were read. */
function readerOf(file: string, mounted: boolean): (now: boolean) => KeyFile {
  let content = readKeyFile(file, mounted);
  let changed = changedAt(file);
  let looked = Date.now();
  return (now) => {
    if (!now && Date.now() - looked < LOOK_AGAIN_MS) return content;
    looked = Date.now();
    const at = changedAt(file);
    if (at === changed || at === GONE) return content;
    try {
      content = readKeyFile(file, mounted);
      changed = at;
    } catch {
      // Read again at the next look: a file may be seen half written, and its keys stay good until then.
    }
    return content;
  };
}

const GONE = "";

function changedAt(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? GONE : `${found.mtimeNs} ${found.ino}`;
}
