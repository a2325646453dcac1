import { failed, ok, type Result } from "../../base/failure";

/** Where a file that a definition names is to be looked for (graph reference, section 9.7). */
export interface ContextPath {
  /** `definition`: the folder of the definition itself; `project`: the one that is worked on. */
  root: "definition" | "project";
  /** Relative to the root, with `/` between names; nothing in it leads out of the root. */
  path: string;
}

/**
 * A path as a definition writes it: with `./` it belongs to the definition's folder, otherwise to the project.
 * Placeholders such as `{repository}` are names like any other.
 *
 * Fails with `invalid_path`: absolute, of a home folder, or with more `..` than folders before them. Links are for
 * whoever opens the file to look through.
 */
export function contextPath(text: string): Result<ContextPath> {
  // A backslash separates on Windows, and a colon after the first letter names a drive there.
  const plain = text.trim().replaceAll("\\", "/");
  const wrong = (why: string) =>
    failed("invalid_path", `"${text}" ${why}: name a file below the definition's folder (./...) or the project.`);
  if (plain === "" || plain.includes("\0")) return wrong("is not a path");
  if (plain.startsWith("/") || /^[a-z]:/i.test(plain)) return wrong("is absolute");
  if (/^~[^/]*(\/|$)/.test(plain)) return wrong("is in a home folder");

  const names: string[] = [];
  for (const name of plain.split("/"))
    if (name === "..") {
      if (names.pop() === undefined) return wrong("leaves its root");
    } else if (name !== "" && name !== ".") names.push(name);
  if (names.length === 0) return wrong("names no file");
  return ok({ root: plain.startsWith("./") ? "definition" : "project", path: names.join("/") });
}

/** Not after a letter, a dot or a slash: `../x` and `a/./b` are other things. */
const IN_PROSE = /(?<![\w./\\-])\.\/[^\s"'`<>()[\],;]*[^\s"'`<>()[\],;.:!?]/g;

/** Prose whose `./` paths are told from the definition's folder; what would lead out of it stays as it is written. */
export function proseWithFolder(prose: string, folder: string): string {
  return prose.replace(IN_PROSE, (text) => {
    const read = contextPath(text);
    return read.ok ? `${folder}/${read.value.path}` : text;
  });
}
