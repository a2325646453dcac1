import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";

const root = path.join(__dirname, "../../..");

/** The views as their sources are now, built once for all tests: a folder with `inbox.html` and `mission.html`. */
export function builtViews(): string {
  const kept = path.join(root, "node_modules", ".cache", "navigator-views");
  const folder = path.join(kept, fingerprint());
  if (existsSync(folder)) return folder;
  mkdirSync(kept, { recursive: true });
  const making = `${folder}.${process.pid}`;
  const script = path.join(root, "scripts", "build-mcp-app.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, making], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`The views are not built.\n${stderr}`);
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
  for (const below of ["page/src", "src/core", "scripts/build-mcp-app.mjs"]) {
    const place = path.join(root, below);
    const names = statSync(place).isFile() ? [""] : readdirSync(place, { recursive: true, encoding: "utf8" }).sort();
    for (const name of names) {
      const file = path.join(place, name);
      if (statSync(file).isFile()) hash.update(`${name}\0`).update(readFileSync(file));
    }
  }
  return hash.digest("hex").slice(0, 20);
}
