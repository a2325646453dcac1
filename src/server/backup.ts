import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { NavigatorError } from "../core/base/navigator-error";
import { PRIVATE_FILE } from "../node/private-files";
import { isGone } from "../node/processes";
import type { Config } from "../node/settings";
import {
  type BackupSummary,
  DATABASE,
  DESCRIPTION,
  type Described,
  describedFiles,
  FILES,
  summaryOf,
  tar,
} from "./backup-archive";
import { finishSwap, isSwapUnderWay } from "./database-swap";
import {
  databaseFile,
  runningServer,
  type ServerRecord,
  startingServer,
  stopToStart,
  whileServerLocked,
} from "./dev-server";
import { homeOfServerAt } from "./local-servers";
import { startAgain } from "./open-server";
import { probe } from "./probe";
import { checkCli } from "./temporal-cli";

/** The input of a command that reads or writes a backup. */
export interface BackupPlace {
  /** `home` is the folder of the embedded server's data. */
  config: Pick<Config, "home" | "cache" | "port" | "temporal">;
  file: string;
  progress: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/** How the database was copied. */
interface Copied {
  /** ISO 8601. All that was committed by then is in the copy. */
  at: string;
  /** The version of the server that was stopped for it. null: none ran. */
  server: string | null;
  /** How long no server answered, in ms. null: none ran. */
  away_ms: number | null;
}

/**
 * Copies the database of the embedded server into an archive. A server that runs is stopped for the copy alone, and started again
 * before the copy is packed.
 *
 * @throws NavigatorError `not_found`, `already_exists`, `local_server_failed`; an AbortError after the signal
 */
export async function backupServer(place: BackupPlace): Promise<BackupSummary & Pick<Copied, "away_ms">> {
  const { config, file, progress, signal } = place;
  const { home } = config;
  await refuseOtherServer(config);
  if (existsSync(file))
    throw new NavigatorError("already_exists", `${file} is there already.`, {
      hint: "Choose another name, with the date.",
      details: { path: file, kind: "file" },
    });
  const folder = path.dirname(path.resolve(file));
  const works: string[] = [];
  const workIn = (parent: string) => {
    removeOfKilled(parent);
    const work = mkdtempSync(path.join(parent, `${WORK}${process.pid}-`));
    works.push(work);
    return work;
  };
  try {
    const archive = path.join(workIn(folder), "archive");
    // In the home, whose disk may be faster than that of the archive: the server waits for the copy.
    const work = workIn(home);
    const { away_ms, ...copied } = await whileServerLocked(home, { onWait: progress, signal }, async () => {
      finishSwap(home, progress);
      signal?.throwIfAborted();
      return copyWhileStopped(config, work);
    });
    const described = await pack(work, copied, archive, signal);
    signal?.throwIfAborted();
    renameSync(archive, file);
    return { file, home, ...summaryOf(described), away_ms };
  } catch (error) {
    if (signal?.aborted || error instanceof NavigatorError) throw error;
    throw new NavigatorError("local_server_failed", `The backup could not be made: ${(error as Error).message}.`, {
      hint: `See whether ${home} and ${folder} may be written, and have space for the database and its archive. The database was not changed.`,
      cause: error,
      details: { path: file, kind: "backup" },
    });
  } finally {
    for (const work of works) rmSync(work, { recursive: true, force: true });
  }
}

async function pack(
  work: string,
  copied: Omit<Copied, "away_ms">,
  archive: string,
  signal?: AbortSignal,
): Promise<Described> {
  const files = await describedFiles(work, signal);
  const described: Described = { navigator_backup: 1, ...copied, files };
  writeFileSync(path.join(work, DESCRIPTION), `${JSON.stringify(described, null, 2)}\n`, PRIVATE_FILE);
  writeFileSync(archive, "", PRIVATE_FILE);
  await tar(["-czf", archive, "-C", work, DESCRIPTION, ...Object.keys(files)], signal);
  return described;
}

/** A server that Navigator did not start may use the database, and cannot be started again as it was. */
async function refuseOtherServer({ home, cache, port, temporal }: BackupPlace["config"]): Promise<void> {
  if (runningServer(home) !== null) return;
  const here = `127.0.0.1:${port}`;
  const isOther = homeOfServerAt(cache, port) === null && (await probe(here, PROBE_MS)).kind === "temporal";
  const address = temporal.address ?? (isOther ? here : null);
  const hint =
    "Back up the database of a cluster with the tools of that database: pg_dump, for example. Stop a server that you started, and copy its files.";
  if (address !== null)
    throw new NavigatorError("not_found", `Navigator did not start the Temporal server at ${address}.`, {
      hint: `${hint}\nTo back up ${databaseFile(home)}: stop that server, or unset TEMPORAL_ADDRESS.`,
      details: { path: address, kind: "database" },
    });
  if (!existsSync(databaseFile(home)) && !isSwapUnderWay(home))
    throw new NavigatorError("not_found", `There is no database at ${databaseFile(home)}.`, {
      hint: `Run the command in the folder of the project, or name it: --config FOLDER. ${hint}`,
      details: { path: databaseFile(home), kind: "database" },
    });
}

const PROBE_MS = 2_000;

async function copyWhileStopped(config: BackupPlace["config"], to: string): Promise<Copied> {
  const { home } = config;
  const server = runningServer(home) ?? startingServer(home);
  if (server === null) {
    const at = new Date().toISOString();
    await copyDatabase(home, to);
    return { at, server, away_ms: null };
  }
  await refuseOtherProgram(server);
  const stopped = Date.now();
  await stopToStart(home, server);
  const at = new Date().toISOString();
  try {
    await copyDatabase(home, to);
  } finally {
    // A signal must not keep the server away either.
    await startAgain(config, server);
  }
  return { at, server: server.version, away_ms: Date.now() - stopped };
}

/** A program that was removed or replaced cannot run the server as it runs now. */
async function refuseOtherProgram({ cli, address }: ServerRecord): Promise<void> {
  const now = await checkCli(cli.executable);
  if ("version" in now && now.version === cli.version) return;
  const found = "version" in now ? `it is ${now.version} now` : now.problem;
  throw new NavigatorError(
    "local_server_failed",
    `The server at ${address} was not stopped, because it cannot be started again as it runs: ${cli.executable} was ${cli.version}, and ${found}.`,
    {
      hint: "Start it with the present program: navigator server stop, then navigator server start. Then try again.",
      details: { path: cli.executable, kind: "backup" },
    },
  );
}

/** No server must run. What SQLite commits is in the write-ahead log until SQLite moves it into the database, so both are copied. */
async function copyDatabase(home: string, to: string): Promise<void> {
  for (const name of FILES) {
    const [source, copy] = [path.join(home, name), path.join(to, name)];
    if (!existsSync(source)) continue;
    await copyFile(source, copy, constants.COPYFILE_FICLONE);
    if (statSync(copy).size !== statSync(source).size) throw new Error(`the copy of ${source} is not whole`);
  }
  if (!isDatabase(path.join(to, DATABASE))) throw new Error(`${databaseFile(home)} is no SQLite database`);
}

function isDatabase(file: string): boolean {
  const begin = Buffer.alloc(16);
  const handle = openSync(file, "r");
  readSync(handle, begin, 0, begin.length, 0);
  closeSync(handle);
  return begin.toString("latin1") === "SQLite format 3\0";
}

/** Before the pid of the process whose folder it is. */
const WORK = ".navigator-backup-";

/** A process that is killed leaves its copy. */
function removeOfKilled(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(WORK) ? Number.parseInt(name.slice(WORK.length), 10) : Number.NaN;
    if (Number.isSafeInteger(pid) && isGone(pid)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}
