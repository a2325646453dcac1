import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { AgentDefinition } from "./core/agent/definition";
import { parseAgent } from "./core/agent/parse-agent";
import { withToolSpecs } from "./core/agent/tools/with-specs";
import { FileError, parseData, readDataFile, readTextFile } from "./data-file";
import { type Issue, mistakesText, type PlacedIssue, placed } from "./file-mistakes";
import { loadModule } from "./load-module";
import { createModels, type Model, type ModelResolver, parseScript } from "./models";
import { Prices, type Prices as PriceTable } from "./models/prices";
import { type Tool, ToolRegistry } from "./tools";

/**
 * A project: a folder with a `navigator.config` file that says which tools, models and agents there are.
 *
 *     module.exports = {
 *       tools: [defineTool({...}), "./tools/shop.cjs"],   // a path is a module that exports tools
 *       models: { "acme/house": { complete } },           // models of one's own, by name
 *       agents: "./agents",                               // a folder, or a list of files and objects
 *       definitions: "./graphs",                          // the folder of workflow definitions
 *       script: "./script.json",                          // what the model `scripted` replays
 *       prices: { "acme/house": { input: 1, output: 4 } } // US dollars for a million tokens, beside the built-in ones
 *     };
 */
export interface Project {
  /** Absolute. Paths in the configuration start here. */
  folder: string;
  /** Absolute path of the configuration; null = there is none, the project is empty. */
  configFile: string | null;
  tools: ToolRegistry;
  models: ModelResolver;
  /** Every agent of the project by name (a file's own name when it gives none), checked, with the specs of its tools. */
  agents: { [name: string]: AgentDefinition };
  /** Absolute folder of the workflow definitions; null = none. */
  definitions: string | null;
  /**
   * An agent by its name in the project, or by the path of a file (from the current folder, or the project's).
   *
   * @throws FileError that names what is wrong and where, or which agents there are.
   */
  agent(nameOrPath: string): Promise<AgentDefinition>;
}

export const CONFIG_NAMES = ["json", "js", "cjs", "mjs"].map((ending) => `navigator.config.${ending}`);
const AGENT_ENDINGS = [".yaml", ".yml", ".json"];

const isFunctionOf = (key: string) => (value: unknown) =>
  typeof value === "object" && value !== null && typeof (value as { [key: string]: unknown })[key] === "function";

const ConfigFile = z.strictObject({
  tools: z
    .array(
      z.union(
        [z.string().min(1), z.custom<Tool>(isFunctionOf("run"))],
        "must be what defineTool gives, or the path of a module that exports such",
      ),
    )
    .default([]),
  models: z
    .record(z.string().min(1), z.custom<Model>(isFunctionOf("complete"), "must have a function `complete`"))
    .default({}),
  agents: z
    .union(
      [z.string().min(1), z.array(z.union([z.string().min(1), z.record(z.string(), z.unknown())]))],
      "must be a folder, or a list of files and agents",
    )
    .optional(),
  definitions: z.string("must be a folder").min(1).optional(),
  script: z.union([z.string().min(1), z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
  prices: Prices.optional(),
});

/**
 * Loads the project of a folder, or of a configuration file.
 *
 * A folder without a configuration is an empty project if it is the current one (a single agent file needs none), and
 * a mistake otherwise.
 *
 * @throws FileError, ToolDefinitionError or ModelError: what is wrong, in which file, and where in it.
 */
export async function loadProject(
  folderOrFile: string = process.cwd(),
  options: { env?: NodeJS.ProcessEnv } = {},
): Promise<Project> {
  const configFile = findConfig(path.resolve(folderOrFile));
  const folder = configFile === null ? path.resolve(folderOrFile) : path.dirname(configFile);
  const config = ConfigFile.parse(configFile === null ? {} : await readConfig(configFile));
  const env = options.env ?? process.env;

  const tools = new ToolRegistry();
  for (const tool of config.tools)
    for (const one of typeof tool === "string" ? await toolModule(path.resolve(folder, tool)) : [tool])
      named(configFile, () => tools.add(one));

  const agents = readAgents(config.agents, folder, configFile, tools);
  const models = createModels({
    env,
    models: config.models,
    folder,
    ...(config.prices === undefined ? {} : { prices: config.prices as PriceTable }),
    ...(config.script === undefined ? {} : { script: script(config.script, folder, configFile) }),
  });
  return {
    folder,
    configFile,
    tools,
    models,
    agents,
    definitions: config.definitions === undefined ? null : existingFolder(folder, config.definitions, "definitions"),
    agent: async (nameOrPath) => findAgent(nameOrPath, agents, folder, tools),
  };
}

function findConfig(place: string): string | null {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found) throw new FileError("file_not_found", `There is no folder or file ${place}.`);
  if (!found.isDirectory()) {
    if (CONFIG_NAMES.some((name) => path.extname(name) === path.extname(place))) return place;
    throw new FileError("no_project", `${place} is no configuration: that is a file like ${CONFIG_NAMES.join(", ")}.`);
  }
  const files = CONFIG_NAMES.map((name) => path.join(place, name)).filter((file) => existsSync(file));
  if (files.length > 1)
    throw new FileError(
      "two_configurations",
      `${place} has ${files.map((file) => path.basename(file)).join(" and ")}: keep one.`,
    );
  if (files[0]) return files[0];
  if (place === process.cwd()) return null;
  throw new FileError("no_project", `${place} has none of ${CONFIG_NAMES.join(", ")}.`);
}

async function readConfig(file: string): Promise<unknown> {
  const raw = path.extname(file) === ".json" ? readDataFile(file) : await loadModule(file);
  const parsed = ConfigFile.safeParse(raw);
  if (parsed.success) return raw;
  const issues = parsed.error.issues.map((issue) => {
    const at = issue.path.map(String).join(".");
    const message =
      issue.code === "unrecognized_keys"
        ? `unknown setting ${issue.keys.map((key) => `"${key}"`).join(", ")}; there are ${Object.keys(ConfigFile.shape).join(", ")}`
        : issue.message;
    return { path: at, message };
  });
  const list = issues.map(({ path: at, message }) => (at === "" ? message : `${at}: ${message}`)).join("; ");
  throw new FileError("bad_project", `${file}: ${list}.`, undefined, issues);
}

/** The tools that a module exports: a list, or tools by any name. */
async function toolModule(file: string): Promise<Tool[]> {
  const exported = await loadModule(file);
  const all = Array.isArray(exported) ? exported : Object.values(exported as object).flat();
  const tools = all.filter(isFunctionOf("run")) as Tool[];
  if (tools.length === 0) throw new FileError("bad_project", `${file} exports no tools made with defineTool.`);
  return tools;
}

function script(raw: unknown, folder: string, configFile: string | null) {
  if (typeof raw === "string") return path.resolve(folder, raw);
  return parseScript(raw, `${configFile}: script`);
}

function existingFolder(folder: string, name: string, setting: string): string {
  const place = path.resolve(folder, name);
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new FileError("bad_project", `${setting}: there is no folder ${place}.`);
  return place;
}

/** Mistakes in a tool are told with the file that registers it. */
function named(file: string | null, register: () => void): void {
  try {
    register();
  } catch (error) {
    if (error instanceof Error) error.message = `${file}: ${error.message}`;
    throw error;
  }
}

function readAgents(
  setting: z.output<typeof ConfigFile>["agents"],
  folder: string,
  configFile: string | null,
  tools: ToolRegistry,
): { [name: string]: AgentDefinition } {
  const entries = typeof setting === "string" ? agentFiles(existingFolder(folder, setting, "agents")) : (setting ?? []);
  const origins = new Map<string, string>();
  const agents: { [name: string]: AgentDefinition } = {};
  entries.forEach((entry, i) => {
    const file = typeof entry === "string" ? path.resolve(folder, entry) : `${configFile}: agents.${i}`;
    const agent =
      typeof entry === "string"
        ? agentOfFile(file, tools)
        : checkedAgent(entry, { name: file, place: (issues) => issues }, undefined, tools);
    const name = agent.name as string;
    const other = origins.get(name);
    if (other !== undefined)
      throw new FileError("duplicate_agent", `Two agents are called "${name}": ${other} and ${file}.`);
    origins.set(name, file);
    agents[name] = agent;
  });
  return agents;
}

function agentFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => AGENT_ENDINGS.includes(path.extname(name)))
    .sort()
    .map((name) => path.join(folder, name));
}

function findAgent(
  nameOrPath: string,
  agents: { [name: string]: AgentDefinition },
  folder: string,
  tools: ToolRegistry,
): AgentDefinition {
  if (Object.hasOwn(agents, nameOrPath)) return agents[nameOrPath] as AgentDefinition;
  const file = [path.resolve(nameOrPath), path.resolve(folder, nameOrPath)].find((place) =>
    statSync(place, { throwIfNoEntry: false })?.isFile(),
  );
  if (file !== undefined) return agentOfFile(file, tools);
  const names = Object.keys(agents);
  throw new FileError(
    "agent_not_found",
    `There is no agent "${nameOrPath}", and no file of that name. ${names.length === 0 ? "The project has no agents." : `The project's agents: ${names.join(", ")}.`}`,
    "Name one of the project's agents, or the path of a YAML or JSON file.",
  );
}

/** @throws FileError: a syntax error, or `invalid_agent` with every mistake and its line. */
function agentOfFile(file: string, tools: ToolRegistry): AgentDefinition {
  const text = readTextFile(file);
  const place = (issues: Issue[]) => placed(text, issues);
  return checkedAgent(parseData(text, file), { name: file, place }, path.basename(file, path.extname(file)), tools);
}

/** Where an agent comes from, for messages; a file can tell the line of a mistake. */
interface Origin {
  name: string;
  place(issues: Issue[]): PlacedIssue[];
}

/** @throws FileError `invalid_agent` with every mistake. */
function checkedAgent(
  raw: unknown,
  origin: Origin,
  otherwise: string | undefined,
  tools: ToolRegistry,
): AgentDefinition {
  const parsed = parseAgent(raw);
  if (!parsed.ok) {
    const issues = origin.place((parsed.fail.details?.issues ?? []) as unknown as Issue[]);
    throw new FileError("invalid_agent", mistakesText(origin.name, issues), undefined, { issues });
  }
  const name = parsed.value.name ?? otherwise;
  if (name === undefined)
    throw new FileError("invalid_agent", `${origin.name}: an agent that is no file needs a name.`);
  return withToolSpecs({ ...parsed.value, name }, tools.specs());
}
