import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { asNavigatorError, NavigatorError } from "../../core/base/navigator-error";
import { builtAppFolder } from "../../mcp/apps/app-folder";
import { identityOverHttp, identityOverStdio } from "../../mcp/context/identity";
import { stateSeal } from "../../mcp/context/sealed-state";
import type { ServerContext } from "../../mcp/server";
import { withoutEnvFile } from "../../node/env-file";
import { checkedName, loggedIn, serviceKey } from "../../node/identity/key-store";
import { peopleFileOf, readPeople } from "../../node/identity/people-on-disk";
import { createLogger, type Logger } from "../../node/log";
import { packageVersion } from "../../node/package-version";
import { type Config, loadConfig } from "../../node/settings";
import { findConfig } from "../../project/config-file";
import { loadProject, type Project } from "../../project/load";
import { type LazyBackend, lazyBackend } from "../../server/backend/lazy-backend";
import { Background } from "../../server/background/background";
import { backgroundPlace } from "../../server/background/place";
import { splitAddress } from "../../server/probe";
import { modelOf } from "../input/model-name";
import { badUsage } from "../terminal/exit";
import { processTelemetry } from "./process-telemetry";
import { atProject } from "./project-home";

/** How an MCP server was asked to work, by either transport. */
export interface McpSessionOptions {
  config?: string;
  tools: string;
  primaryStore?: string;
  /** false: `--no-embedded`. */
  embedded: boolean;
  /** A worker is wanted also where the server is not an embedded one. */
  worker?: boolean;
  service: string;
  may: string[];
}

export interface McpSession {
  parts: ServerContext;
  project: Project;
  config: Config;
  /** Begins to start what the first call needs, if this is a project. A folder where nobody calls anything stays as it is. */
  startEarly(): void;
  close(): Promise<unknown>;
}

/** The script of the background process, or the one in dist if this file runs from the sources. */
const BACKGROUND_MAIN = [
  path.join(__dirname, "../background/main.js"),
  path.join(__dirname, "../../../dist/cli/background/main.js"),
].find(existsSync);

/**
 * Builds the parts of an MCP server for the project of this folder, or of `config`. Over stdio a project with mistakes does not end the
 * session: each call returns the mistake, and works once it is corrected.
 *
 * @throws NavigatorError for wrong options, and over HTTP for a project that cannot be loaded
 */
export async function openMcp(options: McpSessionOptions, transport: "stdio" | "http"): Promise<McpSession> {
  checkOptions(options);
  const place = path.resolve(options.config ?? process.cwd());
  const configFile = findConfig(place);
  // The same for every session of the project, wherever its client has started it.
  const { config: given, folder, project: named } = atProject(loadConfig(), place);
  const config = { ...given, mcpWorker: given.mcpWorker || options.worker === true };
  const log = createLogger(config.logLevel);
  const isNobodys = configFile === null && [homedir(), path.parse(folder).root].includes(folder);
  // Other people's missions may be on a server that was named. Their calls would be made with the code of this folder as it is now.
  const isOthers = config.temporal.address !== null && !config.mcpWorker;
  const background =
    options.embedded && !isNobodys && !isOthers ? backgroundOf(config, { folder, project: named }) : null;
  const closing: (() => Promise<unknown>)[] = [async () => background?.close()];
  const parts = {} as ServerContext;
  let project: Project | undefined;

  const fill = async () => {
    const loaded = await loadProject(place, { log });
    const model = modelOf({ config }, loaded.models, false);
    const running = await processTelemetry(loaded.telemetry, log);
    const lazy =
      options.embedded && isNobodys
        ? noProject(folder)
        : embeddedBackend(config, { project: loaded, model, log, background });
    closing.push(() => Promise.all([lazy.close(), loaded.close(), running.stop()]));
    project = loaded;
    Object.assign(parts, common(options, transport, log), {
      ...{ backend: lazy.backend, project: loaded, model, pageUrl: loaded.notify.page_url },
      waitsFor: () => background?.step ?? null,
      primaryStore: options.primaryStore?.trim() || loaded.primaryStore,
      identity: identityFor(transport, loaded, options.service),
      seal: stateSeal(config, loaded.name),
    } satisfies Partial<ServerContext>);
  };
  try {
    await fill();
  } catch (error) {
    if (transport === "http" || !(error instanceof NavigatorError)) throw error;
    log.warn("project_not_loaded", { code: error.code, error: error.message });
    Object.assign(parts, common(options, transport, log), {
      ...{ project: { folder, agents: {}, definitions: null }, model: "scripted" },
      primaryStore: options.primaryStore?.trim(),
      backend: whenCorrected(fill, { folder, parts }),
      seal: stateSeal(config, null),
    } satisfies Partial<ServerContext>);
  }
  return {
    parts,
    project: project as Project,
    config,
    startEarly: () => {
      if (background === null || project === undefined) return;
      if (configFile === null && !existsSync(config.home)) return;
      // The first call reports the mistake.
      background.ready().catch((error: Error) => log.warn("background_not_ready", { error: error.message }));
    },
    close: () => Promise.all(closing.map((close) => close())),
  };
}

function checkOptions({ tools, may, embedded, worker }: McpSessionOptions): void {
  if (worker === true && !embedded)
    throw badUsage("--worker", "--worker starts a worker, and --no-embedded starts none: give one of them.");
  if (tools !== "all" && tools !== "core") throw badUsage("--tools", `--tools must be all or core, got "${tools}".`);
  const unknown = may.find((what) => what !== "decide");
  if (unknown !== undefined) throw badUsage("--may", `--may must be decide, got "${unknown}".`);
}

/** What does not depend on the project. */
const common = ({ tools, may }: McpSessionOptions, transport: "stdio" | "http", log: Logger) => ({
  log,
  version: packageVersion(),
  files: transport === "stdio",
  tools: tools as "core" | "all",
  mayDecide: may.includes("decide"),
  appFolder: builtAppFolder(),
});

function backgroundOf(config: Config, where: { folder: string; project: string }): Background {
  if (BACKGROUND_MAIN === undefined)
    throw new NavigatorError("internal_error", "The built background process of navigator mcp is missing.");
  return new Background(backgroundPlace(config, where, process.env), {
    main: BACKGROUND_MAIN,
    version: packageVersion(),
    env: { ...withoutEnvFile(process.env), ...(config.mcpWorker ? { NAVIGATOR_MCP_WORKER: "1" } : {}) },
  });
}

/** A backend whose server and worker are started when a call needs them; `background` null: by somebody else. */
function embeddedBackend(
  config: Config,
  { background, ...options }: Parameters<typeof lazyBackend>[1] & { background: Background | null },
): LazyBackend {
  if (background === null) return lazyBackend(config, options);
  let open: { address: string | null; lazy: LazyBackend } | null = null;
  const at = async (address: string | null): Promise<LazyBackend> => {
    if (open?.address === address) return open.lazy;
    const before = open;
    // The embedded server of another folder may have the usual port.
    const port = address === null || config.temporal.address !== null ? config.port : splitAddress(address).port;
    open = { address, lazy: lazyBackend({ ...config, port }, options) };
    await before?.lazy.close();
    return open.lazy;
  };
  return {
    backend: async () => {
      const { address } = await background.ready();
      return (await at(address)).backend();
    },
    close: async () => void (await open?.lazy.close()),
  };
}

/** Clients start servers there if nobody names a folder: to keep missions there would be an accident. */
const noProject = (folder: string): LazyBackend => ({
  backend: async () => {
    throw new NavigatorError("not_found", `${folder} is no project: the client has started Navigator there.`, {
      hint: "Name the folder of the project in the client's configuration: navigator mcp --config /path/to/project",
      details: { path: folder, kind: "project" },
    });
  },
  close: async () => {},
});

/** Loads the project again, until it has no mistakes; then the parts are as they would have been. */
function whenCorrected(fill: () => Promise<void>, { folder, parts }: { folder: string; parts: ServerContext }) {
  let loading: Promise<void> | undefined;
  const load = async () => {
    forgetModules(folder);
    try {
      await fill();
    } catch (error) {
      if (!(error instanceof NavigatorError)) throw error;
      const { code: reason, message, hint, details } = error;
      const after = `Correct it, and call again; the session continues. (A file that ends in .mjs is only read again by a new session.)`;
      throw asNavigatorError({ reason, message, details }, { hint: hint === undefined ? after : `${hint}\n${after}` });
    }
  };
  return async (): ReturnType<ServerContext["backend"]> => {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    await loading;
    return parts.backend();
  };
}

/** A module that was loaded once is not read again otherwise. */
function forgetModules(folder: string): void {
  const inside = folder + path.sep;
  for (const file of Object.keys(require.cache))
    if (file.startsWith(inside) && !file.includes(`${path.sep}node_modules${path.sep}`)) delete require.cache[file];
}

function identityFor(transport: "stdio" | "http", { folder, name }: Project, service: string) {
  const people = readPeople(peopleFileOf(folder));
  return transport === "stdio"
    ? identityOverStdio(people, () => loggedIn(name))
    : identityOverHttp(people, checkedName(service), () => serviceKey(service));
}
