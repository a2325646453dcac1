// The commands of the walk: each is printed with the seconds that it took.
import { spawn, spawnSync } from "node:child_process";

const began = Date.now();

/**
 * One line of the walk.
 *
 * @param since when what it tells began, in ms since 1970
 * @param limit_s what is promised to users (docs/getting-started.md), in seconds. Twice as long is no slow machine, but a mistake.
 */
export function told(what, since, limit_s = Number.POSITIVE_INFINITY) {
  const seconds = (Date.now() - since) / 1000;
  console.log(`${seconds.toFixed(1).padStart(6)} s  ${what}`);
  if (seconds > 2 * limit_s) throw new Error(`${what} took ${seconds.toFixed(0)} s: ${limit_s} s are promised.`);
}

/** All that a user does. */
export const toldInAll = () => told("all commands of a user", began, 600);

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
