import { failed, ok, type Result } from "../../base/failure";

/** Where to look for a file that a definition names (graph reference, section 9.7). */
export interface ContextPath {
  /** `definition`: the definition's own folder; `project`: the project's folder. */
  root: "definition" | "project";
  /** Relative to the root, with `/` between names; it never leaves the root. */
  path: string;
}

/**
 * Parses a path of a definition: with `./` it belongs to the definition's folder, otherwise to the project.
 * Placeholders such as `{repository}` are ordinary names.
 *
 * Fails with `invalid_input`: the path is absolute, in a home folder, or has more `..` than folders before them. The caller
 * that opens the file must check symbolic links.
 */
export function contextPath(text: string): Result<ContextPath> {
  // A backslash separates on Windows, and a colon after the first letter names a drive there.
  const plain = text.trim().replaceAll("\\", "/");
  const wrong = (why: string) =>
    failed("invalid_input", `"${text}" ${why}: name a file below the definition's folder (./...) or the project.`, {
      path: text,
    });
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

/** Not after a letter, a dot or a slash: `../x` and `a/./b` mean something else. */
const IN_PROSE = /(?<![\w./\\-])\.\/[^\s"'`<>()[\],;]*[^\s"'`<>()[\],;.:!?]/g;

/** Text in which `./` paths are relative to the definition's folder. A path that would leave it stays as it is. */
export function proseWithFolder(prose: string, folder: string): string {
  return prose.replace(IN_PROSE, (text) => {
    const read = contextPath(text);
    return read.ok ? `${folder}/${read.value.path}` : text;
  });
}
