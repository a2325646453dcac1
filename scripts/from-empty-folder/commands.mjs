// The commands of the walk: each is printed with the seconds that it took.
import { spawn, spawnSync } from "node:child_process";

const began = Date.now();

/** One line of the walk. `since`: when what it tells began, in ms since 1970. */
export function told(what, since) {
  console.log(`${((Date.now() - since) / 1000).toFixed(1).padStart(6)} s  ${what}`);
}

export const toldInAll = () => told("in all", began);

/** @returns what it printed. @throws Error with all that it said if it ends badly */
export function run(command, args, { name = `${command} ${args.join(" ")}`, ...options }) {
  const since = Date.now();
  const { status, signal, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...options,
  });
  told(name, since);
  if (status !== 0) throw new Error(`It ended with ${status ?? signal}.\n${stdout}${stderr}`);
  return stdout;
}

/** The same for a command that other commands run beside. */
export async function runBeside(command, args, { name, ...options }) {
  const since = Date.now();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], ...options });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const status = await new Promise((resolve) => child.once("close", resolve));
  told(name, since);
  if (status !== 0) throw new Error(`It ended with ${status}.\n${said}`);
  return said;
}
