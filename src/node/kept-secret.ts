import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PRIVATE_FILE, privateFolder } from "./private-files";

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
