import { userInfo } from "node:os";

/** A text as one word of a shell command: ids and choices may contain blanks. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Who runs the command, as a word of a shell, for commands that name a person. In a container nobody may have a name: then `you`. */
export function ownName(): string {
  try {
    return shellWord(userInfo().username);
  } catch {
    return "you";
  }
}
