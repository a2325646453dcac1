import { writeFileSync } from "node:fs";
import { NavigatorError } from "../../core/base/navigator-error";

/**
 * Writes what `--out` names. A file that exists keeps its rights.
 *
 * @param what names it in messages: `trace`
 * @param mode of a new file; without it, as the user's other files
 * @throws NavigatorError `file_error`
 */
export function writeOutput(file: string, what: string, text: string, mode?: number): void {
  try {
    writeFileSync(file, text, mode === undefined ? {} : { mode });
  } catch (error) {
    throw new NavigatorError("file_error", `The ${what} cannot be written to ${file}: ${(error as Error).message}`, {
      hint: "Name a file in an existing folder; - writes to standard output.",
      details: { path: file },
    });
  }
}
