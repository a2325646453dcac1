import path from "node:path";
import { NavigatorClient } from "../../client/client";
import type { Json } from "../../core/base/json";
import { readEnvFile } from "../../node/env-file";
import { LOOPBACK_HOSTS } from "../../node/http/guard";
import { knownSecrets } from "../../node/secrets/known-secrets";
import { readConfig } from "../../project/config-file";
import type { Project } from "../../project/load";
import { serverCredentials } from "../session/http-credentials";
import { type MissionControl, onFreePort, openMissionControl } from "../session/web-session";
import { openWorker, type WorkerSession } from "../session/worker-session";
import { type ErrorReport, errorReport } from "../terminal/exit";
import { createIo } from "../terminal/io";
import { createColors } from "../terminal/render";
import { LiveLog, runningMissions } from "./live-log";
import { type FromCodeProcess, LAST_CALLS_MS, type PagePlace, type ToCodeProcess } from "./messages";
import { mayBeKilled, OpenCalls } from "./open-calls";

/**
 * The process of `navigator dev`, or in the background of `navigator mcp`, that has the project's code: a worker, the page and the log of missions. Each change of the code
 * makes a new one.
 */

/** @param sent called even if no command receives the message */
function post(message: FromCodeProcess, sent: () => void = () => {}): void {
  if (process.connected && process.send !== undefined) process.send(message, undefined, {}, sent);
  else sent();
}

const LOOK_MS = 50;
/** Longer than any call may take: the process above this one, or `endAlone`, decides when open calls are cut off. In 25 days timers end. */
const NO_LIMIT_MS = 24 * 24 * 60 * 60 * 1_000;

async function main(place: string, lastCalls_ms: number): Promise<void> {
  // Ctrl-C reaches all processes of a terminal. The command decides when this one ends.
  process.on("SIGINT", () => {});
  const calls = new OpenCalls((open, sent) => post({ type: "open_calls", calls: open }, sent));
  let stop = async (): Promise<void> => process.exit(1);
  // The command is gone, so nobody reads the messages of this process. It may end while the code is loaded.
  process.once("disconnect", () => {
    endAlone(calls, lastCalls_ms);
    void stop();
  });
  if (!process.connected) process.exit(1);
  readEnvFile(place, process.env);
  const io = createIo(process, process.env);
  const session = await openWorker(io, {
    config: place,
    start: false,
    // The process before this one may still have the address.
    servesMetrics: false,
    showsMissions: true,
    lastCalls_ms: NO_LIMIT_MS,
    openCalls: calls,
  });
  const { project } = session.loaded;
  const sources = await sourcesOf(project);
  const work = new CodeWork(session);
  stop = () => work.stop();
  process.on("message", (message: ToCodeProcess) => {
    if (message.type === "stop") void work.stop();
    else if (message.type === "log") work.log(message);
    else work.serve(message).catch(ended);
  });
  const [agents, tools] = [Object.keys(project.agents), project.tools.names()];
  post({ type: "loaded", ...sources, agents, tools, project: project.name, taskQueue: session.taskQueue });
}

/** Nobody is left who would kill this process if its open calls do not end. */
function endAlone(calls: OpenCalls, lastCalls_ms: number): void {
  const stopped_at = Date.now();
  setInterval(() => {
    if (mayBeKilled(calls.all, { stopped_at, lastCalls_ms, now: Date.now() })) process.exit(1);
  }, LOOK_MS).unref();
}

/** What runs with the project's code. */
class CodeWork {
  private control: MissionControl | undefined;
  private running: Promise<void> | undefined;
  private client: NavigatorClient | undefined;
  private liveLog: LiveLog | undefined;
  private stopped: Promise<void> | undefined;

  constructor(private readonly session: WorkerSession) {}

  /** The page comes first: if it is needed and cannot be opened, no call has begun. */
  async serve({ page }: ToCodeProcess & { type: "serve" }): Promise<void> {
    const opened = page === null ? null : await this.openPage(page);
    this.running = this.session.run();
    this.running.catch(ended);
    this.client = await clientOf(this.session);
    const running = await runningMissions(this.client).catch(() => null);
    post({ type: "serving", page: opened, running });
  }

  private async openPage(page: PagePlace & { isNeeded: boolean }) {
    try {
      this.control = await openPage(this.session, page);
      const { link, url, tokenFile } = this.control;
      return { link, port: Number(new URL(url).port), tokenFile };
    } catch (error) {
      if (page.isNeeded) throw error;
      return { error: reportOf(error) };
    }
  }

  log({ since, progress, isTerminal }: ToCodeProcess & { type: "log" }): void {
    if (this.client === undefined || this.stopped !== undefined) return;
    const color = createColors(isTerminal, process.env);
    const page = this.control === undefined ? null : new URL(this.control.url).origin;
    this.liveLog = new LiveLog(this.client, { since, progress, color, page }, (line) => post({ type: "log", line }));
    this.liveLog.begin();
  }

  stop(): Promise<void> {
    this.stopped ??= this.stopAll();
    return this.stopped;
  }

  private async stopAll(): Promise<void> {
    const { worker } = this.session;
    this.liveLog?.close();
    await this.control?.close();
    post({ type: "page_closed" });
    if (worker.getState() === "RUNNING") worker.shutdown();
    const timer = setInterval(() => {
      if (worker.getState() === "STOPPING") return;
      clearInterval(timer);
      post({ type: "drained" });
    }, LOOK_MS);
    await this.running;
    process.exit(0);
  }
}

async function clientOf({ address, worker, loaded }: WorkerSession): Promise<NavigatorClient> {
  const { config, project } = loaded;
  const { Client, Connection } = await import("@temporalio/client");
  const connection = await Connection.connect({ ...config.temporal.connectionOptions, address });
  const { namespace } = worker.options;
  const { dataConverter } = project.encoding;
  return new NavigatorClient(new Client({ connection, namespace, dataConverter }), { project: project.name });
}

async function openPage(session: WorkerSession, { port, isNamed, temporalUi }: PagePlace): Promise<MissionControl> {
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

/** The command does not know the project's secrets: they are masked here. */
const reportOf = (error: unknown): ErrorReport =>
  knownSecrets.maskJson(JSON.parse(JSON.stringify(errorReport(error))) as Json) as unknown as ErrorReport;

/** Once the message is sent, which may take a moment. */
function ended(error: unknown): void {
  post({ type: "failed", error: reportOf(error) }, () => process.exit(1));
}

const [, , place = process.cwd(), lastCalls_ms = LAST_CALLS_MS] = process.argv;
main(place, Number(lastCalls_ms)).catch(ended);
