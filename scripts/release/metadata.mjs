// What the registry and npm's provenance need to know of the packages.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const REQUIRED = ["name", "version", "description", "license", "engines", "files", "keywords"];

/**
 * @param isTagged whether this is to be published now. A provenance statement names the repository that was built, and the registry
 *   refuses a package that says another one: the release workflow writes its own into `repository`, so that a fork can release, too.
 */
export function metadataProblems(root, folder, isTagged) {
  const manifest = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
  const { name = folder, publishConfig, repository } = manifest;
  const missing = REQUIRED.filter((field) => manifest[field] === undefined).map((field) => `has no ${field}`);
  const wrong = [
    [manifest.private === true, "is private"],
    [publishConfig?.provenance !== true, "has no publishConfig.provenance: true"],
    [publishConfig?.access !== "public", 'has no publishConfig.access: "public"'],
    [!existsSync(path.join(root, folder, "LICENSE")), "has no LICENSE"],
    [!existsSync(path.join(root, folder, "README.md")), "has no README.md"],
    [isTagged && !/^git\+https:\/\/.+\.git$/.test(repository?.url ?? ""), "has no repository.url (git+https://….git)"],
  ];
  const told = wrong.filter(([isWrong]) => isWrong).map(([, text]) => text);
  return [...missing, ...told].map((text) => `${name}: package.json ${text}.`);
}
