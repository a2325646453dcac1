import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { AgentDefinition } from "./core/agent/definition";
import { parseAgent } from "./core/agent/parse-agent";
import { FileError, parseData, readTextFile } from "./data-file";
import { type Issue, mistakesText, type PlacedIssue, placed } from "./file-mistakes";
import type { ConfigFile } from "./project-config";

/** The agents of a project, from its files and its configuration. */

export interface Agents {
  [name: string]: AgentDefinition;
}

const AGENT_ENDINGS = [".yaml", ".yml", ".json"];

/** Every agent that the setting names, by name. @throws FileError with every mistake of the first bad one */
export function readAgents(setting: ConfigFile["agents"], folder: string, configFile: string | null): Agents {
  const entries = typeof setting === "string" ? agentFiles(existingFolder(folder, setting, "agents")) : (setting ?? []);
  const origins = new Map<string, string>();
  const agents: Agents = {};
  entries.forEach((entry, i) => {
    const file = typeof entry === "string" ? path.resolve(folder, entry) : `${configFile}: agents.${i}`;
    const agent =
      typeof entry === "string"
        ? agentOfFile(file)
        : checkedAgent(entry, { name: file, place: (issues) => issues }, undefined);
    const name = agent.name as string;
    const other = origins.get(name);
    if (other !== undefined)
      throw new FileError("duplicate_agent", `Two agents are called "${name}": ${other} and ${file}.`);
    origins.set(name, file);
    agents[name] = agent;
  });
  return agents;
}

export function existingFolder(folder: string, name: string, setting: string): string {
  const place = path.resolve(folder, name);
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new FileError("bad_project", `${setting}: there is no folder ${place}.`);
  return place;
}

function agentFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => AGENT_ENDINGS.includes(path.extname(name)))
    .sort()
    .map((name) => path.join(folder, name));
}

/** One by its name in the project, or by the path of a file. @throws FileError */
export function findAgent(nameOrPath: string, agents: Agents, folder: string): AgentDefinition {
  if (Object.hasOwn(agents, nameOrPath)) return agents[nameOrPath] as AgentDefinition;
  const file = [path.resolve(nameOrPath), path.resolve(folder, nameOrPath)].find((place) =>
    statSync(place, { throwIfNoEntry: false })?.isFile(),
  );
  if (file !== undefined) return agentOfFile(file);
  const names = Object.keys(agents);
  throw new FileError(
    "agent_not_found",
    `There is no agent "${nameOrPath}", and no file of that name. ${names.length === 0 ? "The project has no agents." : `The project's agents: ${names.join(", ")}.`}`,
    "Name one of the project's agents, or the path of a YAML or JSON file.",
  );
}

/** @throws FileError: a syntax error, or `invalid_agent` with every mistake and its line. */
function agentOfFile(file: string): AgentDefinition {
  const text = readTextFile(file);
  const place = (issues: Issue[]) => placed(text, issues);
  return checkedAgent(parseData(text, file), { name: file, place }, path.basename(file, path.extname(file)));
}

/** Where an agent comes from, for messages; a file can tell the line of a mistake. */
interface Origin {
  name: string;
  place(issues: Issue[]): PlacedIssue[];
}

/** @throws FileError `invalid_agent` with every mistake. */
function checkedAgent(raw: unknown, origin: Origin, otherwise: string | undefined): AgentDefinition {
  const parsed = parseAgent(raw);
  if (!parsed.ok) {
    const issues = origin.place((parsed.fail.details?.issues ?? []) as unknown as Issue[]);
    throw new FileError("invalid_agent", mistakesText(origin.name, issues), undefined, { issues });
  }
  const name = parsed.value.name ?? otherwise;
  if (name === undefined)
    throw new FileError("invalid_agent", `${origin.name}: an agent that is no file needs a name.`);
  return { ...parsed.value, name };
}
