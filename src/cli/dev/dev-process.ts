import path from "node:path";
import { LOOPBACK_HOSTS } from "../../http/guard";
import { readEnvFile } from "../../node/env-file";
import { readConfig } from "../../project/config-file";
import type { Project } from "../../project/load";
import { serverCredentials } from "../session/http-credentials";
import { type MissionControl, onFreePort, openMissionControl } from "../session/web-session";
import { openWorker, type WorkerSession } from "../session/worker-session";
import { errorReport } from "../terminal/exit";
import { createIo } from "../terminal/io";
import { type FromDevProcess, LAST_CALLS_MS, type ToDevProcess } from "./messages";

/** The process of `navigator dev` that has the project's code: a worker and the page. Each change of the code makes a new one. */

const tell = (message: FromDevProcess): void => void process.send?.(message);
const LOOK_MS = 50;

async function main(place: string): Promise<void> {
  // Ctrl-C reaches all processes of a terminal. The command decides when this one ends.
  process.on("SIGINT", () => {});
  readEnvFile(place, process.env);
  const io = createIo(process, process.env);
  const session = await openWorker(io, {
    config: place,
    start: false,
    // The process before this one may still have the address.
    servesMetrics: false,
    lastCalls_ms: LAST_CALLS_MS,
  });
  const { project } = session.loaded;
  let control: MissionControl | undefined;
  let running: Promise<void> | undefined;
  const stop = async () => {
    await control?.close();
    tell({ type: "page_closed" });
    if (session.worker.getState() === "RUNNING") session.worker.shutdown();
    const timer = setInterval(() => {
      if (session.worker.getState() === "STOPPING") return;
      clearInterval(timer);
      tell({ type: "drained" });
    }, LOOK_MS);
    await running;
    process.exit(0);
  };
  process.on("message", (message: ToDevProcess) => {
    if (message.type === "stop") return void stop();
    running ??= session.run();
    running.catch(ended);
    openPage(session, message).then((page) => {
      control = page;
      tell({ type: "serving", link: page.link, port: Number(new URL(page.url).port) });
    }, ended);
  });
  // The command is gone: nobody reads what this process says.
  process.once("disconnect", () => void stop());
  const [agents, tools] = [Object.keys(project.agents), project.tools.names()];
  tell({ type: "loaded", ...(await sourcesOf(project)), agents, tools, taskQueue: session.taskQueue });
}

async function openPage(
  session: WorkerSession,
  { port, isNamed, temporalUi }: ToDevProcess & { type: "serve" },
): Promise<MissionControl> {
  const { project } = session.loaded;
  const credentials = await serverCredentials(project, null);
  const open = (at: number) =>
    openMissionControl(session.loaded, {
      ...credentials,
      host: "127.0.0.1",
      port: at,
      hosts: LOOPBACK_HOSTS,
      origins: [],
      anonymous: false,
      service: "mcp",
      isSecure: false,
      publicUrl: null,
      temporalUi,
    });
  return onFreePort(isNamed ? port : undefined, open, port);
}

/** The files that the project's code came from, without those of packages, and the folders that are read as a whole. */
async function sourcesOf(project: Project): Promise<{ files: string[]; folders: string[] }> {
  const own = path.join(__dirname, "..", "..");
  const modules = Object.keys(require.cache).filter(
    (file) => !file.includes(`${path.sep}node_modules${path.sep}`) && !file.startsWith(own),
  );
  const { agents, script } = await readConfig(project.configFile);
  const at = (name: unknown) => (typeof name === "string" ? [path.resolve(project.folder, name)] : []);
  const named = Array.isArray(agents) ? agents.flatMap(at) : [];
  return {
    files: [...modules, ...(project.configFile === null ? [] : [project.configFile]), ...named, ...at(script)],
    folders: [...at(agents), ...(project.definitions === null ? [] : [project.definitions])],
  };
}

function ended(error: unknown): void {
  tell({ type: "failed", error: errorReport(error) });
  process.exit(1);
}

main(process.argv[2] ?? process.cwd()).catch(ended);
