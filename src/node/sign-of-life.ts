import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";

/**
 * A process that listens at a socket file lives: the kernel refuses a connection as soon as it has ended, however it ended, and takes
 * one while it is suspended or busy. This also works between containers that share a folder, where pids are of no use. On another machine
 * with the same folder every connection is refused, and so is one to a copy of the file: the sign names its machine and its
 * file.
 */
export interface SignOfLife {
  /** The start of the machine. */
  boot: string;
  device: string;
  inode: string;
}

/**
 * Gives a sign of life until the process ends, or until `end`.
 *
 * @param file a new name in a folder that only this user may change
 * @returns null: this machine cannot distinguish its starts (it is no Linux)
 * @throws Error if there can be no socket
 */
export async function giveSignOfLife(file: string): Promise<{ sign: SignOfLife; end: () => void } | null> {
  const boot = startOfMachine();
  if (boot === null) return null;
  const server = createServer((asking) => asking.on("error", ignored).destroy());
  // `exclusive`: in a cluster of Node's another process would listen.
  await byShortName(file, (name) => once(server.listen({ path: name, exclusive: true }).unref(), "listening"));
  server.on("error", ignored);
  const end = () => {
    server.close();
    rmSync(file, { force: true });
  };
  return { sign: { boot, ...placeOf(file) }, end };
}

/** The known state of the process that gave this sign at this file. If nothing is known, it may live. */
export async function lifeOf(
  { boot, device, inode }: SignOfLife,
  file: string,
): Promise<"lives" | "ended" | "unknown"> {
  try {
    const found = placeOf(file);
    if (boot !== startOfMachine() || found.device !== device || found.inode !== inode) return "unknown";
    await byShortName(file, (name) => {
      const asking = connect(name);
      return once(asking, "connect").finally(() => asking.destroy());
    });
    return "lives";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "ended" : "unknown";
  }
}

/** The asking process may be gone before it has an answer. */
const ignored = (): void => undefined;

function startOfMachine(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null; // no Linux
  }
}

function placeOf(file: string): Pick<SignOfLife, "device" | "inode"> {
  const { dev, ino } = statSync(file, { bigint: true });
  return { device: String(dev), inode: String(ino) };
}

/** The name of a socket may have 107 bytes; the folder of a project may have more. */
async function byShortName<T>(file: string, use: (name: string) => Promise<T>): Promise<T> {
  const folder = openSync(path.dirname(file), "r");
  try {
    return await use(`/proc/self/fd/${folder}/${path.basename(file)}`);
  } finally {
    closeSync(folder);
  }
}
