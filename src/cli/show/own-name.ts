import { userInfo } from "node:os";
import { shellWord } from "../../node/shell-word";

/** Who runs the command, as a word of a shell, for commands that name a person. In a container nobody may have a name: then `you`. */
export function ownName(): string {
  try {
    return shellWord(userInfo().username);
  } catch {
    return "you";
  }
}
