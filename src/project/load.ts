import path from "node:path";
import type { NotifySettings } from "../activities/notify/settings";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { agentAdvice, type EffectAdvice, toolAdvice } from "../core/agent/tools/effect-advice";
import { withToolSpecs } from "../core/agent/tools/with-specs";
import type { ProjectName } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import { type ChunkListeners, createModels, type ModelResolver, parseScript } from "../models";
import { isModelRegistry } from "../models/model-source";
import type { PriceTable } from "../models/prices";
import type { OidcSettings } from "../node/identity/oidc";
import type { Logger } from "../node/log";
import type { TelemetryInput } from "../node/telemetry/settings";
import type { WorkerCapacity } from "../node/worker-capacity";
import {
  isAiSdkTool,
  isToolMap,
  type LeftOut,
  type OpenedSource,
  type Tool,
  ToolRegistry,
  type ToolSource,
  toolNamed,
  toolsOf,
} from "../tools";
import { existingFolder, findAgent, readAgents } from "./agents";
import { type ConfigFile, findConfig, isFunctionOf, readConfig } from "./config-file";
import { type ProjectEncoding, projectEncoding } from "./encoding";
import type { HookSettings } from "./hooks";
import { loadModule } from "./load-module";
import { projectName } from "./name";
import { makeSources } from "./tool-sources";

/**
 * A project: a folder with a `navigator.config` file that lists the tools, models and agents.
 *
 *     module.exports = {
 *       project: "shop",                                  // its name on the server; default: the package's or the folder's
 *       tools: [defineTool({...}), "./tools/shop.cjs"],   // a path is a module that exports tools
 *       mcp: { files: { command: "...", args: [...] } },  // tools of MCP servers
 *       http: { shop: { openapi: "./shop.yaml" } },       // tools of HTTP services
 *       models: { "acme/house": { complete } },           // models of one's own, by name
 *       onChunk: { screen: (chunk) => { ... } },          // listeners of streamed answers, by name
 *       agents: "./agents",                               // a folder, or a list of files and objects
 *       primaryStore: "GitHub issues",                    // MCP: answers remind of moves that it has not confirmed
 *       oidc: { issuer: "https://login.example.com", audience: "navigator" }, // over HTTP: whose tokens stand for people
 *       definitions: "./graphs",                          // the folder of workflow definitions
 *       codec: "aes-gcm",                                 // encrypts what the server keeps; or a codec of one's own
 *       script: "./script.json",                          // what the model `scripted` replays
 *       prices: { "acme/house": { input: 1, output: 4 } }, // US dollars for a million tokens, added to the built-in ones
 *       modelSettings: { "acme/house": { temperature: 0 } }, // of models, where agents have no model_settings
 *       notify: { webhook: { url: "https://..." } },       // how people are notified of reviews, alerts and tickets
 *       telemetry: { otlp: "http://localhost:4318" },      // where spans and metrics go (docs/observability.md)
 *       escalations: { alert: "page_oncall", ticket: "file_issue" } // tools that a task's end with alert or ticket calls
 *     };
 */
export interface Project {
  /** Its name on the server: the first part of its workflow ids, and of its task queue. null = none (NAVIGATOR_PROJECT=none). */
  name: ProjectName;
  /** Absolute. Paths in the configuration start here. */
  folder: string;
  /** Absolute path of the configuration; null = there is none, the project is empty. */
  configFile: string | null;
  /** The tools, with those of the agents in code. After `openTools` they include those of `sources`. */
  tools: ToolRegistry;
  /** MCP servers and OpenAPI documents. Loading a project starts none of them. */
  sources: readonly ToolSource[];
  models: ModelResolver;
  /** Listeners that runs name with `on_chunk`. */
  onChunk: ChunkListeners;
  /** Every agent of the project by name (a file's own name when it gives none), checked, with the specs of its tools. */
  agents: { [name: string]: AgentDefinition };
  /** Settings about effects, of tools and of agents, that do nothing or are missing. After `openTools` also of `sources`. */
  advice(): EffectAdvice[];
  /** Names of the tools that a task's end with `alert` or `ticket` calls. */
  escalations: { alert?: string | undefined; ticket?: string | undefined };
  /** Whether its workers run programs to make several calls in one activity. */
  sequences: boolean;
  /** Whether its workers keep stacks of promises. */
  promiseStacks: boolean;
  /** How much a worker does at the same time. */
  worker: WorkerCapacity;
  /** How people are notified of reviews, without the secrets, which `notifyOptions` takes from the environment. */
  notify: NotifySettings;
  /** Senders of events that wake missions (web reference, section 15). */
  hooks?: HookSettings;
  /** The reports to OpenTelemetry that the configuration sets; the environment may add more. */
  telemetry: TelemetryInput;
  /** Absolute folder of the workflow definitions; null = none. */
  definitions: string | null;
  /** The store that the orchestrator's tasks come from, e.g. `GitHub issues`; undefined = none, and nobody is reminded of it. */
  primaryStore?: string | undefined;
  /** The issuer whose tokens stand for people, for MCP over HTTP and Mission Control (approvals reference, section 1); undefined = none. */
  oidc?: OidcSettings | undefined;
  /** How what it gives to the server is encoded: for every client and worker. */
  encoding: ProjectEncoding;
  /**
   * An agent by its name in the project, or by the path of a file (from the current folder, or the project's).
   *
   * @throws NavigatorError that names what is wrong and where, or which agents there are.
   */
  agent(nameOrPath: string): Promise<AgentDefinition>;
  /**
   * Opens one source and adds its tools.
   *
   * @throws NavigatorError, or NavigatorError when another tool has one of the names
   */
  openSource(source: ToolSource): Promise<LeftOut[]>;
  /**
   * Opens all sources, for callers that call or list tools. Returns the parts that could not become a tool. If one source
   * fails, the others are closed again.
   *
   * @throws as `openSource`
   */
  openTools(): Promise<(LeftOut & { source: string })[]>;
  /** Closes all opened sources. */
  close(): Promise<void>;
}

/**
 * Loads the project of a folder, or of a configuration file.
 *
 * A folder without a configuration is an empty project if it is the current one (a single agent file needs none), and
 * a mistake otherwise.
 *
 * @throws NavigatorError, NavigatorError or ModelError: what is wrong, in which file, and where in it.
 */
export async function loadProject(
  folderOrFile: string = process.cwd(),
  options: { env?: NodeJS.ProcessEnv; log?: Logger } = {},
): Promise<Project> {
  const configFile = findConfig(path.resolve(folderOrFile));
  const folder = configFile === null ? path.resolve(folderOrFile) : path.dirname(configFile);
  const config = await readConfig(configFile);
  const env = options.env ?? process.env;

  const tools = await toolsOfConfig(config, folder, configFile);
  const sources = makeSources(config, { folder, env, log: options.log });

  const agents = readAgents(config.agents, folder, configFile);
  named(configFile, () => tools.addToolsOf(Object.values(agents)));
  const models = modelsOfConfig(config, { env, agents: Object.values(agents), folder }, configFile);
  const written = Object.entries(agents);
  const describeAgents = () => {
    for (const [name, agent] of written) agents[name] = withToolSpecs(agent, tools.specs());
  };
  describeAgents();

  const addTools = (source: ToolSource, opened: OpenedSource): LeftOut[] => {
    for (const tool of opened.tools) named(configFile, () => tools.add(tool, source.name));
    source.onChange((changed) => tools.replace(source.name, changed));
    for (const one of opened.left_out) options.log?.info("tool_left_out", { source: source.name, ...one });
    return opened.left_out;
  };
  const close = async () => void (await Promise.all(sources.map((source) => source.close())));
  const openTools = async () => {
    const all = await Promise.allSettled(sources.map((source) => source.open()));
    try {
      // In the order of the configuration, whichever source was opened first.
      const leftOut = sources.flatMap((source, i) =>
        addTools(source, settledValue(all[i] as PromiseSettledResult<OpenedSource>)).map((one) => ({
          source: source.name,
          ...one,
        })),
      );
      describeAgents();
      checkEscalations(config, tools, configFile);
      return leftOut;
    } catch (error) {
      await close();
      throw error;
    }
  };
  const name = await projectName(env, configFile ?? folder);
  const encoding = await projectEncoding(config, { folder, env, project: name });
  return {
    name,
    encoding,
    folder,
    configFile,
    tools,
    sources,
    models,
    onChunk: config.onChunk,
    agents,
    advice: () => [
      ...tools.specs().flatMap((spec) => toolAdvice(spec, !sources.some(({ name }) => name === tools.from(spec.name)))),
      ...written.flatMap(([, agent]) => agentAdvice(agent, tools.specs())),
    ],
    escalations: config.escalations,
    sequences: config.sequences,
    promiseStacks: config.promiseStacks,
    worker: config.worker,
    hooks: config.hooks,
    notify: config.notify,
    telemetry: config.telemetry ?? {},
    primaryStore: config.primaryStore,
    oidc: config.oidc,
    definitions: config.definitions === undefined ? null : existingFolder(folder, config.definitions, "definitions"),
    agent: async (nameOrPath) => withToolSpecs(findAgent(nameOrPath, agents, folder), tools.specs()),
    openSource: async (source) => addTools(source, await source.open()),
    openTools,
    close,
  };
}

async function toolsOfConfig(config: ConfigFile, folder: string, configFile: string | null): Promise<ToolRegistry> {
  const tools = new ToolRegistry();
  for (const tool of config.tools) {
    const [given, from] =
      typeof tool === "string"
        ? [await toolModule(path.resolve(folder, tool)), path.normalize(tool)]
        : [named(configFile, () => toolsOf([tool]))];
    for (const one of given) named(configFile, () => tools.add(one, from));
  }
  return tools;
}

/** @throws NavigatorError `bad_project` for a tool that the project does not have */
function checkEscalations({ escalations }: ConfigFile, tools: ToolRegistry, configFile: string | null): void {
  for (const [kind, name] of Object.entries(escalations))
    if (name !== undefined && !tools.get(name))
      throw new NavigatorError(
        "bad_project",
        `${configFile}: escalations.${kind}: there is no tool "${name}". Tools: ${tools.names().join(", ") || "none"}.`,
        { details: { path: `escalations.${kind}` } },
      );
}

function modelsOfConfig(
  { models, prices, modelSettings, script }: ConfigFile,
  given: { env: NodeJS.ProcessEnv; agents: AgentDefinition[]; folder: string },
  configFile: string | null,
) {
  return createModels({
    ...given,
    ...(isModelRegistry(models) ? { registry: models } : { models }),
    ...(prices === undefined ? {} : { prices: prices as PriceTable }),
    ...(modelSettings === undefined ? {} : { settings: modelSettings }),
    ...(script === undefined ? {} : { script: scriptOf(script, given.folder, configFile) }),
  });
}

function settledValue<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

/** The tools that a module exports: a list, or tools by any name. Those of the AI SDK have the name of their export. */
async function toolModule(file: string): Promise<Tool[]> {
  const exported = await loadModule(file);
  const all = Array.isArray(exported) ? exported.map((one) => ["", one] as const) : Object.entries(exported as object);
  const tools = all.flatMap(([name, one]): Tool[] => {
    if (isAiSdkTool(one)) return [named(file, () => toolNamed(name, one))];
    return [one].flat().flatMap((each: unknown) => {
      if (isFunctionOf("run")(each)) return [each as Tool];
      return isToolMap(each) ? named(file, () => toolsOf(each)) : [];
    });
  });
  if (tools.length === 0)
    throw new NavigatorError("bad_project", `${file} exports no tools made with defineTool, or tool() of the AI SDK.`, {
      details: { path: file },
    });
  return tools;
}

function scriptOf(raw: unknown, folder: string, configFile: string | null) {
  if (typeof raw === "string") return path.resolve(folder, raw);
  return parseScript(raw, `${configFile}: script`);
}

/** The message of a mistake in a tool names the file that registers it. */
function named<T>(file: string | null, register: () => T): T {
  try {
    return register();
  } catch (error) {
    if (error instanceof Error) error.message = `${file}: ${error.message}`;
    throw error;
  }
}
