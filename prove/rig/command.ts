import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import type { Json } from "../../src/core/base/json";

const HERE = require.resolve("../../src/cli/main");
/** The built command, also when this file runs from the sources. */
const MAIN = HERE.endsWith(".ts") ? path.join(__dirname, "..", "..", "dist", "cli", "main.js") : HERE;

/** Where a command runs. */
export interface CommandPlace {
  env: NodeJS.ProcessEnv;
  folder: string;
}

/** `navigator ARGS` as a separate process. @throws Error where nothing was built */
export function startCommand(args: readonly string[], { env, folder }: CommandPlace) {
  if (!existsSync(MAIN)) throw new Error("There is no built command: run `npm run build` first.");
  return spawn(process.execPath, [MAIN, ...args], { env, cwd: folder });
}

/** What a command printed with --json: its result, or the code of its error. */
export async function runCommand(
  args: readonly string[],
  place: CommandPlace,
): Promise<{ code: string | null; result: Json }> {
  const child = startCommand([...args, "--json"], place);
  child.stdin.end();
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [exit] = (await once(child, "close")) as [number | null];
  if (exit === 0) return { code: null, result: JSON.parse(stdout) as Json };
  const errorLine = stderr.split("\n").find((line) => line.startsWith('{"error"'));
  if (errorLine === undefined) throw new Error(`navigator ${args.join(" ")} ended with ${exit}: ${stderr}`);
  return { code: (JSON.parse(errorLine) as { error: { code: string } }).error.code, result: null };
}
