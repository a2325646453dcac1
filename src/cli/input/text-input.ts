import { readFileSync } from "node:fs";
import { readTextFile } from "../../node/data-file";

/** What a message calls standard input. */
export const STDIN = "standard input";

/** A file's text, or that of standard input for `-`. @throws NavigatorError */
export function textInput(file: string): string {
  return file === "-" ? readFileSync(0, "utf8") : readTextFile(file);
}
