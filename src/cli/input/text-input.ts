import { readFileSync } from "node:fs";
import { readBytes, readTextFile } from "../../node/data-file";

/** The name of standard input in messages. */
export const STDIN = "standard input";

/** A file's text, or that of standard input for `-`. @throws NavigatorError */
export function textInput(file: string): string {
  return file === "-" ? readFileSync(0, "utf8") : readTextFile(file);
}

/** A file's bytes, or those of standard input for `-`. @throws NavigatorError */
export const inputBytes = (file: string): Uint8Array => (file === "-" ? readFileSync(0) : readBytes(file));
