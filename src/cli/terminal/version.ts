import { readFileSync } from "node:fs";
import path from "node:path";

/** Of this package. */
export function version(): string {
  // The same place from src/cli/terminal and from dist/cli/terminal.
  const text = readFileSync(path.join(__dirname, "../../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
