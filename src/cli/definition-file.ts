import { definitionIn, type ReadDefinition, readDefinition as readFile } from "../catalog";
import { STDIN, textInput } from "./text-input";

/** A workflow definition from a file (JSON or YAML) or from standard input (`-`); every mistake is named with its line. */
export function readDefinition(file: string, id?: string): ReadDefinition {
  const options = id === undefined ? {} : { id };
  return file === "-" ? definitionIn(textInput(file), STDIN, options) : readFile(file, options);
}
