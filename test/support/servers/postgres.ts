import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freeLowPort } from "./free-port";

/** A PostgreSQL server of a test's own, on loopback, with a database of its own. */
export interface OwnPostgres {
  url: string;
  port: number;
  /** One of its programs, as `pg_dump`, for this server. @returns what it wrote to stdout */
  run(program: string, args: string[], input?: string): string;
  /** Ends all connections in the middle, and the server; `start` brings it back with its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

export async function openPostgres(): Promise<OwnPostgres> {
  const bin = binaries();
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-postgres-"));
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? "postgres" : undefined;
  const as = (program: string, args: string[]): [string, string[]] =>
    user === undefined
      ? [path.join(bin, program), args]
      : ["setpriv", [...setpriv(user), path.join(bin, program), ...args]];
  if (user !== undefined) execFileSync("chown", [user, folder]);
  const data = path.join(folder, "data");
  const [init, initArgs] = as("initdb", ["-D", data, "-U", "navigator", "-A", "trust", "-E", "UTF8", "--locale=C"]);
  execFileSync(init, initArgs, { stdio: "ignore", cwd: folder });
  // No outgoing connection takes it, also while the server is stopped.
  const port = await freeLowPort();
  let server: ChildProcess | null = null;
  const start = async () => {
    const [program, args] = as("postgres", [
      ...["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1"],
      ...["-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "log_min_messages=fatal"],
    ]);
    server = spawn(program, args, { cwd: folder, stdio: "ignore" });
    const until = Date.now() + 60_000;
    const ready = () => {
      try {
        execFileSync(path.join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port), "-q"]);
        return true;
      } catch {
        return false;
      }
    };
    while (!ready()) {
      if (Date.now() > until) throw new Error("PostgreSQL does not start.");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const stop = async () => {
    const own = server;
    if (own === null || own.exitCode !== null) return;
    const gone = new Promise((resolve) => own.once("exit", resolve));
    own.kill("SIGQUIT");
    await gone;
    server = null;
  };
  await start();
  return {
    url: `postgres://navigator@127.0.0.1:${port}/postgres`,
    port,
    run: (program, args, input) =>
      execFileSync(path.join(bin, program), ["-h", "127.0.0.1", "-p", String(port), "-U", "navigator", ...args], {
        encoding: "utf8",
        maxBuffer: 256 * 1024 * 1024,
        stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        ...(input === undefined ? {} : { input }),
      }),
    stop,
    start,
    remove: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function setpriv(user: string): string[] {
  return [`--reuid=${user}`, `--regid=${user}`, "--init-groups"];
}

/** Debian keeps the server's programs away from the path. */
function binaries(): string {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((version) => path.join(base, version, "bin"))
    .find((bin) => existsSync(path.join(bin, "initdb")));
  if (found === undefined)
    throw new Error("There is no PostgreSQL here: install it (Debian: apt-get install postgresql).");
  return found;
}
