import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { headerLine } from "../../src/worker/lost-work/calls-file";

/** The start of this machine. */
export const BOOT = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

/**
 * The files of a worker that listened at its sign of life and was killed.
 *
 * @param text of its calls, below the header
 * @returns the path of its files without their ending
 */
export async function killedWorkerIn(
  folder: string,
  text: string,
  { namespace_id, boot = BOOT }: { namespace_id: string; boot?: string },
): Promise<string> {
  const base = path.join(folder, randomUUID());
  const program = 'require("net").createServer().listen(process.argv[1], () => console.log("listens"))';
  const child: ChildProcess = spawn(process.execPath, ["-e", program, `${base}.alive`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout as NodeJS.ReadableStream, "data");
  const { dev, ino } = statSync(`${base}.alive`, { bigint: true });
  child.kill("SIGKILL");
  await once(child, "exit");
  const sign = { boot, device: String(dev), inode: String(ino) };
  writeFileSync(`${base}.calls`, headerLine({ sign, namespace_id }) + text);
  return base;
}
