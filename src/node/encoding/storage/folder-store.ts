import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, utimes } from "node:fs/promises";
import path from "node:path";
import type { BlobStore } from "./blob-store";

/** Files in a folder that all processes of the project can reach: `ab/abcd...`. Only their user can read them. */
export class FolderStore implements BlobStore {
  readonly type = "navigator.folder";

  /** @param place absolute */
  constructor(readonly place: string) {}

  async write(key: string, bytes: Uint8Array): Promise<void> {
    const file = this.fileOf(key);
    if (await isTouched(file)) return;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const fresh = `${file}.${randomUUID()}.new`;
    try {
      const handle = await open(fresh, "wx", 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(fresh, file);
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }

  async get(key: string): Promise<Uint8Array | null> {
    try {
      const bytes = await readFile(this.fileOf(key));
      // A process that may only read the folder cannot refresh the time; the bytes are good.
      await isTouched(this.fileOf(key)).catch(() => false);
      return bytes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  private readonly fileOf = (key: string): string => path.join(this.place, key.slice(0, 2), key);
}

/** Makes a used file count as new, so that nobody deletes it as old. false: there is none. */
async function isTouched(file: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(file, now, now);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
