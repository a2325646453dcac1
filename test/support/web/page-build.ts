import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";

const root = path.join(__dirname, "../../..");

/** The page as its sources are now, built once for all tests: a folder with `index.html`. */
export function builtPage(): string {
  const kept = path.join(root, "node_modules", ".cache", "navigator-page");
  const folder = path.join(kept, fingerprint());
  if (existsSync(folder)) return folder;
  mkdirSync(kept, { recursive: true });
  const making = `${folder}.${process.pid}`;
  const vite = path.join(root, "node_modules", "vite", "bin", "vite.js");
  const args = [vite, "build", "page", "--config", "page/vite.config.mts", "--outDir", making, "--logLevel", "error"];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`The page is not built.\n${stdout}\n${stderr}`);
  try {
    renameSync(making, folder);
  } catch (error) {
    // Another test file was faster, and made the same.
    if (!existsSync(folder)) throw error;
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

function fingerprint(): string {
  const hash = createHash("sha256");
  for (const below of ["page", "src/core"])
    for (const name of readdirSync(path.join(root, below), { recursive: true, encoding: "utf8" }).sort()) {
      const file = path.join(root, below, name);
      if (statSync(file).isFile()) hash.update(`${name}\0`).update(readFileSync(file));
    }
  return hash.digest("hex").slice(0, 20);
}
