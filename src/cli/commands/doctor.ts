import { Client, Connection } from "@temporalio/client";
import { isServed, readOfOtherVersions } from "../../client/blocked";
import { taskQueueOf } from "../../core/base/input/project";
import { IDENTITY_ADVICE, lacksIdentity } from "../../core/effects/effect-settings";
import { type Config, loadConfig } from "../../node/settings";
import { shellWord } from "../../node/shell-word";
import { loadProject, type Project } from "../../project/load";
import { backgroundText } from "../../server/background/background-text";
import { backgroundsOf } from "../../server/background/record";
import { checkWorker } from "../../server/check-worker";
import { type Check, type Diagnosis, diagnose } from "../../server/diagnose";
import type { ToolSource } from "../../tools";
import { checkModels } from "../input/check-models";
import { withSession } from "../session/session";
import type { TopCommands } from "../terminal/command";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { renderTable } from "../terminal/render";

/**
 * `navigator doctor`: reports what is installed, what is missing and how to fix it. Exit code 3 if no server is
 * available, 2 if the project cannot be loaded.
 */
export const doctorCommands: TopCommands = {
  doctor: {
    options: [["--worker", "only check that a worker of this machine serves the project (for health checks)"]],
    examples: ["navigator doctor --json | jq .checks"],
    run: async (io: CommandIo, options: { worker?: boolean }) => {
      if (options.worker) return workerCheck(io);
      const config = loadConfig();
      const report = await diagnose(config, process.env);
      const loaded = await loadedProject();
      // The project's own tools: a check of its sources adds those of servers, and closes it.
      const queues = "project" in loaded ? queuesOf(loaded.project) : [];
      const ofProject = await checkProject(config, loaded);
      const checks = [
        ...report.checks,
        ...(await checkBackground(config)),
        ...ofProject,
        ...(await checkQueues(config, report, queues)),
        ...(await checkVersions(config, report)),
      ];
      const sign = { ok: io.color.green("ok"), note: io.color.yellow("note"), missing: io.color.red("missing") };
      const isLoaded = "project" in loaded;
      const ready = report.ready && isLoaded;
      const problems = [
        ...(report.ready ? [] : ["No Temporal server is available yet."]),
        ...(isLoaded ? [] : ["The project cannot be loaded: no worker can serve it."]),
      ];
      io.result({ ready, checks }, () =>
        [
          renderTable(checks.map((check) => [sign[check.state], check.name, check.found])),
          ...checks.filter((check) => check.hint).map((check) => `\n${io.color.bold(check.name)}: ${check.hint}`),
          `\n${ready ? io.color.green("Ready.") : io.color.red(problems.join(" "))}`,
        ].join("\n"),
      );
      if (!ready) process.exitCode = report.ready ? EXIT.usage : EXIT.noServer;
    },
  },
};

/** The background processes of MCP sessions. Nothing if there are none. */
async function checkBackground({ home }: Config): Promise<Check[]> {
  return backgroundsOf(home).map((record): Check => {
    const state = record.isLive && record.error === undefined ? "ok" : "note";
    return { name: "MCP background", state, found: backgroundText(record) };
  });
}

/** Exit code 3 if no worker serves the project's task queue. */
function workerCheck(io: CommandIo): Promise<void> {
  return withSession(io, "ask", async ({ client, namespace }) => {
    const { temporal, taskQueue } = client;
    const check = await checkWorker(temporal.connection as Connection, { namespace, taskQueue });
    io.result(check, () => `${check.state === "ok" ? "ok" : "missing"}  ${check.found}`);
    return check.state === "ok" ? EXIT.done : EXIT.noServer;
  });
}

/** The project of this folder, or why it cannot be loaded. */
type LoadedProject = { project: Project } | { error: unknown };

async function loadedProject(): Promise<LoadedProject> {
  return loadProject().then(
    (project) => ({ project }),
    (error: unknown) => ({ error }),
  );
}

/** The task queues that tools of the project name, besides its own, each with a tool. */
const queuesOf = ({ tools }: Project): [queue: string, tool: string][] => [
  ...new Map(tools.specs().flatMap(({ name, task_queue }) => (task_queue ? [[task_queue, name] as const] : []))),
];

/** A call waits on a task queue that nobody serves. */
async function checkQueues(
  config: Config,
  { server }: Diagnosis,
  queues: readonly [queue: string, tool: string][],
): Promise<Check[]> {
  if (server === null || queues.length === 0) return [];
  const { address, namespace } = server;
  const connection = await Connection.connect({ ...config.temporal.connectionOptions, address });
  try {
    const client = new Client({ connection, namespace });
    const checks: Check[] = [];
    for (const [queue, tool] of queues) {
      const name = `Task queue ${queue}`;
      if (await isServed(client, queue)) checks.push({ name, state: "ok", found: `served, for the tool ${tool}` });
      else
        checks.push({
          name,
          state: "note",
          found: `no worker serves it; calls of the tool ${tool} wait`,
          hint: `Start a worker with this tool: navigator worker --task-queue ${shellWord(queue)}`,
        });
    }
    return checks;
  } finally {
    await connection.close();
  }
}

/** Ids that a check names. */
const NAMED = 10;

/** Open runs that another version of Navigator started, and whose conventions this one does not know. */
async function checkVersions(config: Config, { server, checks }: Diagnosis): Promise<Check[]> {
  // A server refuses to look for a search attribute that it does not know. Then no run has it, either.
  const hasAttributes = checks.some(({ name, state }) => name === "Search attributes" && state === "ok");
  if (server === null || !hasAttributes) return [];
  const { address, namespace } = server;
  const connection = await Connection.connect({ ...config.temporal.connectionOptions, address });
  try {
    const runs = await readOfOtherVersions(new Client({ connection, namespace }));
    const name = "Open runs";
    const [first] = runs;
    if (first === undefined) return [{ name, state: "ok", found: "this version knows the run format of all" }];
    const ids = runs.slice(0, NAMED).map(({ workflow_id }) => workflow_id);
    const more = runs.length > NAMED ? ", ..." : "";
    return [
      {
        name,
        state: "note",
        found: `${runs.length} of another version of Navigator: ${ids.join(", ")}${more}`,
        hint: first.help,
      },
    ];
  } finally {
    await connection.close();
  }
}

/** The project of this folder and its models. */
async function checkProject(config: Config, loaded: LoadedProject): Promise<Check[]> {
  const name = "Project";
  try {
    if ("error" in loaded) throw loaded.error;
    const { project } = loaded;
    const { configFile, agents, tools } = project;
    const names = Object.keys(agents);
    const count = (many: number, what: string) => `${many} ${what}${many === 1 ? "" : "s"}`;
    const has = `${count(names.length, "agent")}${names.length === 0 ? "" : ` (${names.join(", ")})`}, ${count(tools.specs().length, "tool")}`;
    const serves: Check = {
      name: "Project name",
      state: "ok",
      found:
        project.name === null
          ? "none (NAVIGATOR_PROJECT=none): ids and task queue have no project in them"
          : `${project.name}: workers serve the task queue ${config.taskQueue ?? taskQueueOf(project.name)}, ids begin with ${project.name}:`,
    };
    const found = configFile === null ? "none in this folder; examples/order is one" : `${configFile}: ${has}`;
    const sources = await checkSources(project);
    const encryption = checkEncryption(project);
    const unnamed = checkIdentities(project);
    return [
      serves,
      { name, state: "ok", found },
      encryption,
      ...sources,
      ...unnamed,
      ...checkModels(config, project, process.env),
    ];
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    const problem = hint ?? "Correct it: commands that need the project fail until then.";
    const state = "error" in loaded ? "missing" : "note";
    return [{ name, state, found: message, hint: problem }, ...checkModels(config, null, process.env)];
  }
}

/** Irreversible tools that do not declare which arguments make their effect. */
function checkIdentities({ tools }: Project): Check[] {
  const names = tools.specs().flatMap((spec) => (lacksIdentity(spec) ? [spec.name] : []));
  if (names.length === 0) return [];
  const hint = names.map((name) => `${name}: ${IDENTITY_ADVICE}.`).join("\n");
  return [{ name: "Identities", state: "note", found: `missing for ${names.join(", ")}`, hint }];
}

/** Which codec encodes what the server keeps, and which keys are here (docs/encryption.md). */
function checkEncryption({ encoding: { codecs, keys, checkWritable } }: Project): Check {
  const name = "Encryption";
  const all = keys.all();
  const newest = keys.newest();
  const here =
    all.length === 0 ? `no keys in ${keys.place}` : `keys in ${keys.place}: ${all.map(({ id }) => id).join(", ")}`;
  try {
    checkWritable();
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return { name, state: "note", found: message, ...(hint === undefined ? {} : { hint }) };
  }
  if (codecs.length === 0) return { name, state: "ok", found: `none: what the server keeps is in the clear; ${here}` };
  const encrypts = codecs.includes("aes-gcm") && newest !== undefined ? `${newest.id} encrypts; ` : "";
  return { name, state: "ok", found: `codec ${codecs.join(", ")}; ${encrypts}${here}` };
}

/** Starts each MCP server and reads each document once, as a worker would. */
async function checkSources(project: Project): Promise<Check[]> {
  const checks: Check[] = [];
  try {
    for (const source of project.sources) checks.push(await checkSource(project, source));
  } finally {
    await project.close();
  }
  return checks;
}

async function checkSource(project: Project, source: ToolSource): Promise<Check> {
  const name = `Tools: ${source.name}`;
  const before = project.tools.names().length;
  try {
    const leftOut = await project.openSource(source);
    const found = `${project.tools.names().length - before} tools`;
    if (leftOut.length === 0) return { name, state: "ok", found };
    const hint = leftOut.map((one) => `${one.name}: ${one.reason}`).join("\n");
    return { name, state: "note", found: `${found}; left out: ${leftOut.map((one) => one.name).join(", ")}`, hint };
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return { name, state: "note", found: message, hint: hint ?? "Workers of this project cannot start without it." };
  }
}
