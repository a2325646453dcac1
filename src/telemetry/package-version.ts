import { readFileSync } from "node:fs";
import path from "node:path";

/** The version of this package, as the scope of its spans has it. */
export function packageVersion(): string {
  // The same place from src/telemetry and from dist/telemetry.
  const text = readFileSync(path.join(__dirname, "../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
