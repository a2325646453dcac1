import { randomBytes, randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { NavigatorError } from "../core/base/navigator-error";

/**
 * Folders and files that only their user may read: what missions did is in them. On Windows a file has the rights of its
 * folder, and these functions change nothing.
 */
const FOLDER = 0o700;
const FILE = 0o600;

/** The rights of a private file that is written. */
export const PRIVATE_FILE = { mode: FILE };

/**
 * Makes a folder private, and these files in it, also where they exist with wider rights.
 *
 * @param report gets one line if others could read something until now
 */
export function privateFolder(
  folder: string,
  files: readonly string[] = [],
  report: (line: string) => void = () => {},
) {
  mkdirSync(folder, { recursive: true, mode: FOLDER });
  const places = [folder, ...files.map((file) => path.join(folder, file)).filter((file) => existsSync(file))];
  const narrowed = places.filter((place) => narrow(place, place === folder ? FOLDER : FILE));
  if (narrowed.length > 0)
    report(`Other users of this machine could read ${narrowed.join(", ")}: now only you can (docs/operations.md).`);
}

/** Whether the place had wider rights. Another user's place stays as it is. */
function narrow(place: string, mode: number): boolean {
  if (process.platform === "win32" || (statSync(place).mode & 0o077) === 0) return false;
  try {
    chmodSync(place, mode);
    return true;
  } catch {
    return false;
  }
}

/** What `start` creates, a program's files included, has private rights. */
export function withPrivateRights<T>(start: () => T): T {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/**
 * The text of a file that only this user can read; null: there is no such file. The file that is checked is the one that is read.
 *
 * @param options.remake what to do if somebody may have copied it
 * @param options.folder the setting that names a folder of one's own
 * @param options.group whether the file's group may read it, as in a container's mounted secret
 * @throws NavigatorError `invalid_input`, `file_error`
 */
export function privateText(file: string, options: { remake: string; folder: string; group?: boolean }): string | null {
  let open: number;
  try {
    open = openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new NavigatorError("file_error", `${file} cannot be read: ${(error as Error).message}`, {
      details: { path: file },
    });
  }
  try {
    const { mode, uid } = fstatSync(open);
    if (process.platform !== "win32") {
      if ((mode & (options.group ? 0o027 : 0o077)) !== 0)
        throw new NavigatorError("invalid_input", `Other users of this machine can read or change ${file}.`, {
          hint: `Somebody may have copied the key. ${options.remake} If nobody did: chmod 600 ${file}`,
          details: { path: file },
        });
      if (uid !== process.getuid?.() && uid !== 0)
        throw new NavigatorError("invalid_input", `${file} belongs to another user of this machine.`, {
          hint: `Name a folder of your own: ${options.folder}`,
          details: { path: file },
        });
    }
    return readFileSync(open, "utf8");
  } finally {
    closeSync(open);
  }
}

/**
 * Writes a private file into the folder of `file`, and returns its path. A folder that is made here is private. One that was there, such as a
 * NAVIGATOR_IDENTITY that contains other things, stays as it is unless it is narrowed.
 *
 * @throws NavigatorError `file_error`
 */
export function freshPrivateFile(file: string, content: object, narrow: (folder: string) => void = () => {}): string {
  const folder = path.dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER });
    narrow(folder);
    const fresh = path.join(folder, `.${randomUUID()}.new`);
    writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { ...PRIVATE_FILE, flag: "wx" });
    return fresh;
  } catch (error) {
    throw new NavigatorError("file_error", `${file} cannot be written: ${(error as Error).message}`, {
      details: { path: file },
    });
  }
}

/** A random text in a private file, which is made when it is first needed. */
export function keptSecret(folder: string, name: string): string {
  privateFolder(folder);
  const file = path.join(folder, name);
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const own = `${file}.${process.pid}`;
  writeFileSync(own, `${randomBytes(32).toString("base64url")}\n`, PRIVATE_FILE);
  try {
    linkSync(own, file);
  } catch (error) {
    // Another server was faster, and its secret counts.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return readFileSync(file, "utf8").trim();
}
