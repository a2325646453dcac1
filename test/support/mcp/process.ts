import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Answer } from "./client";

/** `navigator mcp` as a process, spoken to by hand or by the Inspector's command line. */

const ROOT = path.join(__dirname, "../../..");
/** As it was built, for those who have a server and a worker. What a client would start has no option: background.test.ts. */
export const BUILT = [path.join(ROOT, "dist", "cli", "main.js"), "mcp", "--no-embedded"];
/** From the sources, for whoever brings a server and a worker, or needs none. */
export const FROM_SOURCES = [
  "-r",
  path.join(ROOT, "scripts", "register-ts.cjs"),
  path.join(ROOT, "src", "cli", "main.ts"),
  "mcp",
  "--no-embedded",
];
const INSPECTOR = path.join(ROOT, "node_modules", "@modelcontextprotocol", "inspector-cli", "build", "cli.js");

/** Every line on stdout, parsed; what is no JSON-RPC message is in `broken`. */
export function linesOf(child: ChildProcessWithoutNullStreams) {
  const lines: Answer[] = [];
  const broken: string[] = [];
  const input = createInterface({ input: child.stdout });
  input.on("line", (line) => {
    try {
      const message = JSON.parse(line);
      if (message.jsonrpc === "2.0") lines.push(message);
      else broken.push(line);
    } catch {
      broken.push(line);
    }
  });
  const answer = async (id: number): Promise<Answer> => {
    while (!lines.some((line) => line.id === id)) await new Promise((resolve) => input.once("line", resolve));
    return lines.find((line) => line.id === id);
  };
  return { lines, broken, answer };
}

export const say = (child: ChildProcessWithoutNullStreams, message: object) =>
  void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

export function begin(child: ChildProcessWithoutNullStreams): void {
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  say(child, { id: 1, method: "initialize", params });
  say(child, { method: "notifications/initialized" });
}

export const ended = (child: ChildProcessWithoutNullStreams) =>
  new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));

/** One run of the Inspector's command line: a client that is not ours, one process for each question. */
export async function inspect(
  target: { url: string } | { env: { [name: string]: string }; cwd: string },
  args: string[],
): Promise<Answer> {
  const server =
    "url" in target
      ? [target.url, "--transport", "http"]
      : [
          ...Object.entries(target.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
          process.execPath,
          ...BUILT,
        ];
  const child = spawn(process.execPath, [INSPECTOR, "--cli", ...server, ...args], {
    cwd: "cwd" in target ? target.cwd : ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.end();
  const code = await ended(child as ChildProcessWithoutNullStreams);
  if (code !== 0) throw new Error(`The Inspector ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}
