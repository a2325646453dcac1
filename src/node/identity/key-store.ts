import { existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { ProjectName } from "../../core/base/ids";
import { startableProject } from "../../core/base/input/project";
import { NavigatorError } from "../../core/base/navigator-error";
import { keyId } from "../../core/review/people/key-id";
import { principalNameProblem } from "../../core/review/people/people-file";
import { isReservedName } from "../../core/review/people/principal";
import { freshPrivateFile, privateFolder, privateText } from "../private-files";
import { loadConfig } from "../settings";
import { shellWord } from "../shell-word";
import { newPrivateKey, type PrivateKey } from "./keys";

/**
 * The private keys of this user (approvals reference, section 2): in the folder NAVIGATOR_IDENTITY, one file for each
 * person (`people/anna.json`) and for each service (`services/page.json`), and `current.json` with the person that the
 * user is in each project. Nothing else of Navigator reads or writes them.
 */

/** Who the user of this machine is in a project, with the private key. */
export interface LoggedIn {
  person: string;
  key: PrivateKey;
}

const identityFolder = (): string => loadConfig().identity;

/**
 * The person who is logged in to a project on this machine (`navigator login`), with the private key; null for nobody.
 *
 * @param folder of the keys; default: NAVIGATOR_IDENTITY, else `~/.config/navigator`
 * @throws NavigatorError `invalid_input` for a key that others can read, `invalid_input`, `not_logged_in` if the key is gone
 */
export function loggedIn(project: ProjectName, folder: string = identityFolder()): LoggedIn | null {
  const person = currentPerson(project, folder);
  if (person === undefined) return null;
  const key = readKey(keyFile(folder, "people", person));
  if (key !== null) return { person, key };
  throw new NavigatorError("not_logged_in", `The key of "${person}" is not in ${folder} any more.`, {
    hint: `Make a new one: navigator login --as ${shellWord(person)}`,
  });
}

/** The name of the person who is logged in to a project; undefined for nobody. */
export const currentPerson = (project: ProjectName, folder: string = identityFolder()): string | undefined =>
  currentIn(folder).get(wordOf(project));

/**
 * Makes a person the one who acts in a project. The key is made if there is none, or if `fresh` asks for a new one.
 *
 * @throws NavigatorError `invalid_input` for a name that nobody can have, `invalid_input`
 */
export function logIn(
  project: ProjectName,
  person: string,
  { fresh = false, folder = identityFolder() }: { fresh?: boolean; folder?: string } = {},
): LoggedIn & { made: boolean } {
  startableProject(project);
  const file = keyFile(folder, "people", checkedName(person));
  const there = fresh ? null : readKey(file);
  const key = there ?? madeKey(file, fresh);
  writeCurrent(folder, currentIn(folder).set(wordOf(project), person));
  return { person, key, made: there === null };
}

/** Nobody acts in the project any more; the key stays. Gives who it was. */
export function logOut(project: ProjectName, folder: string = identityFolder()): string | null {
  const current = currentIn(folder);
  const person = current.get(wordOf(project));
  if (person === undefined) return null;
  current.delete(wordOf(project));
  writeCurrent(folder, current);
  return person;
}

/**
 * The key of a service on this machine, such as a worker or the page. It is made when it is asked for the first time,
 * once also if several processes ask at the same time.
 *
 * @throws NavigatorError as `logIn`
 */
export function serviceKey(name: string, folder: string = identityFolder()): PrivateKey {
  const file = keyFile(folder, "services", checkedName(name));
  // In a container a mounted secret belongs to root and the group of the pod.
  return readKey(file, { group: true }) ?? madeKey(file);
}

/**
 * A name that a person, a group or a service can have.
 *
 * @throws NavigatorError `invalid_input`
 */
export function checkedName(name: string): string {
  if (isReservedName(name))
    throw new NavigatorError("invalid_input", `"${name}" is a name of the system: nobody can have it.`, {
      hint: "Choose another name.",
      details: { path: "name" },
    });
  const problem = principalNameProblem(name);
  if (problem === undefined) return name;
  throw new NavigatorError("invalid_input", `The name "${name}" ${problem}.`, { details: { path: "name" } });
}

const keyFile = (folder: string, kind: "people" | "services", name: string): string =>
  path.join(folder, kind, `${name}.json`);

/** No project can have this name. */
const wordOf = (project: ProjectName): string => project ?? "none";

const KeyFile = z
  .object({ kid: z.string(), x: z.string().length(43), d: z.string().length(43) })
  .refine(({ kid, x }) => kid === keyId(x));

/** null: there is no such file. */
function readKey(file: string, { group = false } = {}): PrivateKey | null {
  const remake = "Make a new one: navigator login --new.";
  const text = privateText(file, { remake, folder: "NAVIGATOR_IDENTITY", group });
  if (text === null) return null;
  const parsed = KeyFile.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw new NavigatorError("invalid_input", `${file} is not a key that navigator login has made.`, {
    hint: "Bring it back from a copy, or move it away and log in again: navigator login",
    details: { path: file },
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Makes the key in a file, unless another process has made it during that time. @param over a key that is there is replaced */
function madeKey(file: string, over = false): PrivateKey {
  const key = newPrivateKey();
  const fresh = freshPrivateFile(file, key, privateFolder);
  if (over) renameSync(fresh, file);
  else {
    // A link, and not a rename, which would replace the key of the process that was first.
    try {
      linkSync(fresh, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      return readKey(file) as PrivateKey;
    } finally {
      rmSync(fresh, { force: true });
    }
  }
  return key;
}

const Current = z.record(z.string(), z.string());

const currentFile = (folder: string): string => path.join(folder, "current.json");

/** The person in each project. */
function currentIn(folder: string): Map<string, string> {
  const file = currentFile(folder);
  if (!existsSync(file)) return new Map();
  const parsed = Current.safeParse(parsedJson(readFileSync(file, "utf8")));
  if (parsed.success) return new Map(Object.entries(parsed.data));
  throw new NavigatorError("invalid_input", `${file} does not name who is logged in.`, {
    hint: "Remove it, and log in again: navigator login",
    details: { path: file },
  });
}

function writeCurrent(folder: string, current: ReadonlyMap<string, string>): void {
  renameSync(freshPrivateFile(currentFile(folder), Object.fromEntries(current)), currentFile(folder));
}
