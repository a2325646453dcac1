import { readFileSync } from "node:fs";
import path from "node:path";

/** Of this package. */
export function packageVersion(): string {
  // The same place from src/node and from dist/node.
  const text = readFileSync(path.join(__dirname, "../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
