import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type ExportedHistory, HISTORIES } from "./replay";

/** With NAVIGATOR_RECORD=1 histories are kept in test/histories: from then on every later version of the code has to replay them. */
export const RECORDING = process.env.NAVIGATOR_RECORD === "1";

/** `index`: which of the workflows that one scenario leaves behind. */
export function keepHistory(name: string, index: number, history: ExportedHistory): void {
  if (!RECORDING) return;
  mkdirSync(HISTORIES, { recursive: true });
  // Without what tells about the machine: worker identities and stack traces.
  const lines = history.events.map((event) =>
    JSON.stringify(event, (key, value) => (key === "identity" ? "worker" : key === "stackTrace" ? "" : value)),
  );
  const file = `${name}${index === 0 ? "" : `-${index + 1}`}.json`;
  writeFileSync(path.join(HISTORIES, file), `{"events":[\n${lines.join(",\n")}\n]}\n`);
}
