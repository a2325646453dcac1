import { NavigatorError } from "../../core/base/navigator-error";
import { HistoryFormatError } from "../../core/history/read/decode-events";
import { parseJson } from "../../node/data-file";
import { STDIN, textInput } from "./text-input";

/**
 * What `read` makes of an exported history in a file; `-` reads standard input.
 *
 * @throws NavigatorError `invalid_input` when it is none
 */
export function fromHistoryFile<T>(file: string, read: (history: unknown, name: string) => T): T {
  return historyIn(textInput(file), file, read);
}

/** The same for the text of a file. */
export function historyIn<T>(text: string, file: string, read: (history: unknown, name: string) => T): T {
  const name = file === "-" ? STDIN : file;
  const history = parseJson(text, name);
  try {
    return read(history, name);
  } catch (error) {
    if (!(error instanceof HistoryFormatError)) throw error;
    throw new NavigatorError("invalid_input", `${name} is not an exported history: ${error.message}`, {
      hint: "Export one with `temporal workflow show --workflow-id ID --output json` or from the Web UI.",
      details: { path: name },
    });
  }
}
