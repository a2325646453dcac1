import { userInfo } from "node:os";

/**
 * A text as one word of a shell command. Other people choose ids, choices and file names, so a command that somebody
 * copies must not run code of theirs. A word that begins with `=` is a command's path in zsh.
 */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Who runs the command, as a word of a shell, for commands that name a person. In a container nobody may have a name: then `you`. */
export function ownName(): string {
  try {
    return shellWord(userInfo().username);
  } catch {
    return "you";
  }
}
