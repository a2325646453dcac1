import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";

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
 * @param tell gets one line if others could read something until now
 */
export function privateFolder(folder: string, files: readonly string[] = [], tell: (line: string) => void = () => {}) {
  mkdirSync(folder, { recursive: true, mode: FOLDER });
  const places = [folder, ...files.map((file) => path.join(folder, file)).filter((file) => existsSync(file))];
  const narrowed = places.filter((place) => narrow(place, place === folder ? FOLDER : FILE));
  if (narrowed.length > 0)
    tell(`Other users of this machine could read ${narrowed.join(", ")}: now only you can (docs/operations.md).`);
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
