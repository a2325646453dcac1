import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import { changingFile } from "../file-lock";
import { privateFolder } from "../private-files";
import { HOW_TO_GET_KEYS, type KeyFile, NO_KEYS, newKey, readKeyFile, writeKeyFile } from "./encryption-keys";

/** What `navigator keys` does with the keys of a project (docs/encryption.md). Each function returns the new content of the file. */

interface KeyPlace {
  file: string;
  /** Begins the ids of new keys. */
  prefix: string;
}

/**
 * Makes a key. The first one encrypts from now on; a later one only stands by, until `useKey` names it: other machines need it
 * before it encrypts.
 *
 * @throws NavigatorError `invalid_input` for an id that is taken or cannot be one
 */
export function createKey(place: KeyPlace, id?: string): { made: string; content: KeyFile } {
  return madeKey(place, id, (before, made) => before.newest ?? made);
}

/** Makes a key that encrypts from now on. @throws NavigatorError as `createKey`; `encryption_key_missing` where there is none to follow */
export function rotateKey(place: KeyPlace, id?: string): { made: string; content: KeyFile } {
  return madeKey(place, id, ({ keys }, made) => {
    if (keys.length > 0) return made;
    throw new NavigatorError(
      "encryption_key_missing",
      `There is no key in ${place.file} that a new one could follow.`,
      {
        hint: HOW_TO_GET_KEYS,
      },
    );
  });
}

function madeKey(
  { file, prefix }: KeyPlace,
  id: string | undefined,
  newestOf: (before: KeyFile, made: string) => string,
): { made: string; content: KeyFile } {
  const key = newKey(prefix, id);
  const content = changed(file, (before) => {
    const taken = [...before.keys, ...before.retired].some((one) => one.id === key.id);
    if (taken)
      throw new NavigatorError("already_exists", `There is, or was, a key ${key.id}: each id stands for one key.`, {
        details: { path: key.id, kind: "key" },
      });
    return { ...before, newest: newestOf(before, key.id), keys: [...before.keys, key] };
  });
  return { made: key.id, content };
}

/** Makes this the key that encrypts all new data. @throws NavigatorError `invalid_input` */
export function useKey({ file }: KeyPlace, id: string): KeyFile {
  return changed(file, (before) => {
    known(before, id, file);
    return { ...before, newest: id };
  });
}

/**
 * Adds keys that another machine has exported, and its marks of retired ones: a key that is here and retired there stays. Its
 * newest key encrypts here, too, if it was made after the one that encrypts now.
 *
 * @param use its newest key encrypts in any case
 * @throws NavigatorError `invalid_input` if a key of the same id is another one here, or is retired here
 */
export function importKeys({ file }: KeyPlace, given: KeyFile, { use = false } = {}): KeyFile {
  return changed(file, (before) => {
    const back = given.keys.find(({ id }) => before.retired.some((one) => one.id === id));
    if (back !== undefined)
      throw new NavigatorError("invalid_input", `The key ${back.id} is retired here, and the import contains it.`, {
        hint: "Nothing was changed. Export the keys again where they are in use: navigator keys export",
        details: { path: back.id },
      });
    const here = new Map(before.keys.map((key) => [key.id, key]));
    for (const { id, secret } of given.keys) {
      const own = here.get(id);
      if (own !== undefined && own.secret !== secret)
        throw new NavigatorError(
          "invalid_input",
          `The key ${id} here is another one than the key ${id} that is imported.`,
          { hint: "Nothing was changed. Compare the fingerprints: navigator keys list", details: { path: id } },
        );
    }
    const keys = [...before.keys, ...given.keys.filter(({ id }) => !here.has(id))];
    const gone = new Set([...before.retired, ...keys].map(({ id }) => id));
    const retired = [...before.retired, ...given.retired.filter(({ id }) => !gone.has(id))];
    const madeAt = (id: string | null) => keys.find((key) => key.id === id)?.created_at ?? "";
    const isTaken = given.newest !== null && (use || madeAt(given.newest) > madeAt(before.newest));
    return { keys, retired, newest: isTaken ? given.newest : before.newest };
  });
}

/**
 * Removes a key. What was encrypted with it cannot be read any more; its id and the time stay in the file.
 *
 * @throws NavigatorError `invalid_input`; `still_running` for the key that encrypts
 */
export function retireKey({ file }: KeyPlace, id: string): KeyFile {
  return changed(file, (before) => {
    known(before, id, file);
    if (before.newest === id)
      throw new NavigatorError("still_running", `The key ${id} encrypts all new data.`, {
        hint: "Make another one first: navigator keys rotate",
      });
    const retired = [...before.retired, { id, retired_at: new Date().toISOString() }];
    return { ...before, keys: before.keys.filter((key) => key.id !== id), retired };
  });
}

function known({ keys }: KeyFile, id: string, file: string): void {
  if (keys.some((key) => key.id === id)) return;
  const there = keys.map((key) => key.id).join(", ");
  throw new NavigatorError("not_found", `${file} has no key "${id}".`, {
    hint: there === "" ? "It has none: navigator keys create" : `There are: ${there}`,
    details: { path: id, kind: "key" },
  });
}

/** A key that is lost takes with it what it encrypted: no two commands may change the file at once. */
function changed(file: string, change: (before: KeyFile) => KeyFile): KeyFile {
  privateFolder(path.dirname(file));
  return changingFile(file, () => {
    const before = readKeyFile(file);
    const content = change(before);
    writeKeyFile(file, content, before === NO_KEYS);
    return content;
  });
}
