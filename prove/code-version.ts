import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { CodeVersion } from "./all";

/** From prove, from dist/prove, and from the package navigator-agents-prove. */
const ROOT = [path.join(__dirname, ".."), path.join(__dirname, "..", "..")].find((folder) =>
  existsSync(path.join(folder, "package.json")),
) as string;

/** The version of this package, and its commit when it is in a separate repository. */
export function codeVersion(): CodeVersion {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { version: string };
  // Not the repository of somebody who has installed the package.
  return { version, commit: existsSync(path.join(ROOT, ".git")) ? commitOf() : null };
}

function commitOf(): string | null {
  try {
    const git = (...args: string[]) => execFileSync("git", ["-C", ROOT, ...args], { encoding: "utf8", stdio: "pipe" });
    const changed = git("status", "--porcelain", "--untracked-files=no").trim() !== "";
    return `${git("rev-parse", "--short=10", "HEAD").trim()}${changed ? "+" : ""}`;
  } catch {
    return null; // no git here: the version alone identifies the code
  }
}
