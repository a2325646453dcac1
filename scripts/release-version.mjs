// Writes the version of package.json into every other place, and makes its section of the changelog. `npm version minor` runs it
// after it has written package.json, and commits all of it.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { releaseNotes } from "./release/changelog.mjs";
import { versionOf, writeVersions } from "./release/version-places.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const version = versionOf(root);
const files = [...writeVersions(root), "CHANGELOG.md"];
releaseNotes(root, version, new Date().toISOString().slice(0, 10));
if (process.env.npm_lifecycle_event === "version")
  execFileSync("git", ["add", "package.json", ...files], { cwd: root, stdio: "inherit" });
console.log(`Version ${version}: ${files.join(", ")}`);
