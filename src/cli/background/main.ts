import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "@temporalio/client";
import { startableProject, taskQueueOf } from "../../core/base/input/project";
import { readEnvFile, withoutEnvFile } from "../../node/env-file";
import { loadConfig } from "../../node/settings";
import { projectFolder, projectName } from "../../project/name";
import { placeOfRecord } from "../../server/background/place";
import { type BackgroundRecord, readRecord, writeRecord } from "../../server/background/record";
import { ensureSearchAttributes } from "../../server/search-attributes";
import { Reloader } from "../dev/reloader";
import { type ErrorReport, errorReport } from "../terminal/exit";
import { type CommandIo, createIo } from "../terminal/io";
import { Keeper } from "./keeper";

/**
 * The background process of MCP sessions: `main.js RECORD PROJECT`, started by the first of them. What it prints is its log. The
 * project's code runs in another process (src/cli/dev), which is replaced when a file changes that the project was loaded from.
 */

/** A machine may be busy. A session keeps its lock for at most this time. */
const RECORD_MS = 5_000;

/**
 * How long open calls of models and reads may continue in code that was replaced: as long as the longest of them by default. Calls with
 * an effect have until their own time limit.
 */
const LAST_CALLS_MS = 10 * 60_000;

const logLine = (line: string) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

async function main(file: string, project: string): Promise<void> {
  // A terminal sends Ctrl-C to its whole process group, but only the client should end.
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
  const inherited = await ownRecord(file);
  let keeper: Keeper | undefined;
  try {
    keeper = await keeperOf(file, project, inherited);
    // A second one ends the process.
    process.once("SIGTERM", () => keeper?.stop());
    await keeper.run();
  } catch (error) {
    const report = errorReport(error);
    logLine(`${report.code}: ${report.message}`);
    await keeper?.giveUp().catch((failure: unknown) => logLine(String(failure)));
    const last = readRecord(file) ?? inherited;
    writeRecord(file, { ...last, state: "failed", step: "It failed.", worker: null, error: report });
    process.exitCode = 1;
  }
  process.exit();
}

/** The session that has started this process writes it just after. */
async function ownRecord(file: string): Promise<BackgroundRecord> {
  for (const until = Date.now() + RECORD_MS; ; await sleep(20)) {
    const record = readRecord(file);
    if (record?.pid === process.pid) return record;
    if (Date.now() >= until) throw new Error(`${file} is not the record of this process.`);
  }
}

async function keeperOf(file: string, project: string, inherited: BackgroundRecord): Promise<Keeper> {
  readEnvFile(project, process.env);
  const config = loadConfig();
  const name = await projectName(process.env, project);
  const folder = projectFolder(project);
  const env = withoutEnvFile(process.env);
  const io = { ...createIo(process, {}), json: true };
  const onEvent: CommandIo["event"] = (value, render) => {
    io.event(value, render);
    follow(keeper, value as Event);
  };
  const code = { place: project, folder, env, page: null, watchesOnlySources: true, isLogged: false };
  const keeper: Keeper = new Keeper(
    {
      place: placeOfRecord(file, { home: config.home, folder, project }),
      config,
      project: name,
      taskQueue: config.taskQueue ?? taskQueueOf(startableProject(name)),
      logLine,
      connect: async (address, namespace) => {
        const connection = await Connection.connect({ ...config.temporal.connectionOptions, address });
        await ensureSearchAttributes(connection, namespace);
        return connection;
      },
      worker: () => new Reloader({ ...io, event: onEvent }, { ...code, lastCalls_ms: LAST_CALLS_MS }),
    },
    inherited,
  );
  return keeper;
}

type Event = { event: string; error?: ErrorReport; how?: string | null; is_restarted?: boolean; pid?: number };

function follow(keeper: Keeper, { event, error, how, is_restarted, pid }: Event): void {
  if (event === "reload_failed" && error !== undefined) keeper.refused(error);
  if (event === "reloaded" && pid !== undefined) keeper.reloaded(pid);
  if (event === "worker_ended" && is_restarted === false)
    keeper.fail({
      code: "no_worker",
      message: `The process with the project's code ended again: ${how}.`,
      hint: "Start a worker again: the run continues.",
    });
}

const [, , file, project] = process.argv;
void main(file ?? "", project ?? process.cwd());
