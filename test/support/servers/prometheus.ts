import { existsSync } from "node:fs";
import path from "node:path";
import { loadConfig } from "../../../src/node/settings";

/** A program of Prometheus: on PATH, or where scripts/test-programs.mjs has unpacked it. */
export function prometheusProgram(name: "promtool" | "prometheus"): string {
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), `${loadConfig().cache}/prometheus/usr/bin`];
  const found = folders.map((folder) => path.join(folder, name)).find(existsSync);
  if (found === undefined) throw new Error(`There is no ${name} here: node scripts/test-programs.mjs --deep`);
  return found;
}
