import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { type FindAgent, parseAgent } from "../core/agent/definition/parse-agent";
import { failed, ok } from "../core/base/failure";
import { NavigatorError } from "../core/base/navigator-error";
import { findCircle } from "../core/base/ordering";
import { parseData, readTextFile } from "../node/data-file";
import { type Issue, mistakesText, type PlacedIssue, placed } from "../node/file-mistakes";
import type { ConfigFile } from "./config-file";

/** The agents of a project, from its files and its configuration. */

export interface Agents {
  [name: string]: AgentDefinition;
}

const AGENT_ENDINGS = [".yaml", ".yml", ".json"];

/**
 * Every agent that the setting names, by name. One may name another as a tool (`tools: {search: {agent: searcher}}`),
 * whatever their order.
 *
 * @throws NavigatorError with every mistake of the first bad one
 */
export function readAgents(setting: ConfigFile["agents"], folder: string, configFile: string | null): Agents {
  const entries = typeof setting === "string" ? agentFiles(existingFolder(folder, setting, "agents")) : (setting ?? []);
  const sources = new Map<string, Source>();
  entries.forEach((entry, i) => {
    const source =
      typeof entry === "string"
        ? sourceOfFile(path.resolve(folder, entry))
        : sourceOfConfig(entry, `${configFile}: agents.${i}`);
    const other = sources.get(source.name);
    if (other !== undefined)
      throw new NavigatorError(
        "already_exists",
        `Two agents are called "${source.name}": ${other.origin.name} and ${source.origin.name}.`,
        { hint: "Rename one of them.", details: { path: source.name, kind: "agent" } },
      );
    sources.set(source.name, source);
  });
  return checkedAll(sources);
}

/** Each after the agents that it names. */
function checkedAll(sources: ReadonlyMap<string, Source>): Agents {
  const agents: Agents = {};
  const uses = new Map<string, string[]>();
  const check = (source: Source): AgentDefinition => {
    const { name } = source;
    if (Object.hasOwn(agents, name)) return agents[name] as AgentDefinition;
    const used: string[] = [];
    uses.set(name, used);
    const agent = checkedAgent(source, (other) => {
      const wanted = sources.get(other);
      if (wanted === undefined)
        return failed(
          "agent_not_found",
          `there is no agent "${other}" in the project: it has ${[...sources.keys()].join(", ")}`,
        );
      used.push(other);
      const circle = findCircle(uses.keys(), (one) => uses.get(one) ?? []);
      if (circle === null) return ok(check(wanted));
      used.pop();
      return failed("invalid_agent", `${circle.join(" -> ")} is a circle: for recursion use self: true`);
    });
    agents[name] = agent;
    return agent;
  };
  for (const source of sources.values()) check(source);
  // In the order of the setting, whatever was needed first.
  return Object.fromEntries([...sources.keys()].map((name) => [name, agents[name] as AgentDefinition]));
}

/** Resolves a folder of the project. @throws NavigatorError `bad_project` if there is none */
export function existingFolder(folder: string, name: string, setting: string): string {
  const place = path.resolve(folder, name);
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new NavigatorError("bad_project", `${setting}: there is no folder ${place}.`, { details: { path: setting } });
  return place;
}

function agentFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => AGENT_ENDINGS.includes(path.extname(name)))
    .sort()
    .map((name) => path.join(folder, name));
}

/** One by its name in the project, or by the path of a file. @throws NavigatorError */
export function findAgent(nameOrPath: string, agents: Agents, folder: string): AgentDefinition {
  if (Object.hasOwn(agents, nameOrPath)) return agents[nameOrPath] as AgentDefinition;
  const file = [path.resolve(nameOrPath), path.resolve(folder, nameOrPath)].find((place) =>
    statSync(place, { throwIfNoEntry: false })?.isFile(),
  );
  if (file !== undefined) return checkedAgent(sourceOfFile(file), (name) => named(name, agents));
  const names = Object.keys(agents);
  throw new NavigatorError(
    "agent_not_found",
    `There is no agent "${nameOrPath}", and no file of that name. ${names.length === 0 ? "The project has no agents." : `The project's agents: ${names.join(", ")}.`}`,
    { hint: "Name one of the project's agents, or the path of a YAML or JSON file." },
  );
}

const named = (name: string, agents: Agents) =>
  Object.hasOwn(agents, name)
    ? ok(agents[name] as AgentDefinition)
    : failed("agent_not_found", `there is no agent "${name}" in the project`);

/** An agent as its author wrote it. */
interface Source {
  name: string;
  raw: unknown;
  origin: Origin;
}

/** Where an agent comes from, for messages; for a file the message names the line of a mistake. */
interface Origin {
  name: string;
  place(issues: Issue[]): PlacedIssue[];
}

/** @throws NavigatorError: a syntax error */
function sourceOfFile(file: string): Source {
  const text = readTextFile(file);
  const raw = parseData(text, file);
  const name = ownName(raw) ?? path.basename(file, path.extname(file));
  return { name, raw, origin: { name: file, place: (issues) => placed(text, issues) } };
}

function sourceOfConfig(raw: unknown, place: string): Source {
  const origin: Origin = { name: place, place: (issues) => issues };
  const name = ownName(raw);
  // Other mistakes are reported first.
  if (name === undefined) checkedAgent({ name: "", raw, origin }, (other) => named(other, {}));
  if (name === undefined)
    throw new NavigatorError("invalid_agent", `${place}: an agent that is not a file needs a name.`);
  return { name, raw, origin };
}

function ownName(raw: unknown): string | undefined {
  const { name } = (raw ?? {}) as { name?: unknown };
  return typeof name === "string" && name.trim() !== "" ? name.trim() : undefined;
}

/** @throws NavigatorError `invalid_agent` with every mistake. */
function checkedAgent({ name, raw, origin }: Source, find: FindAgent): AgentDefinition {
  const parsed = parseAgent(raw, find);
  if (parsed.ok) return { ...parsed.value, name: parsed.value.name ?? name };
  const issues = origin.place((parsed.fail.details?.issues ?? []) as unknown as Issue[]);
  throw new NavigatorError("invalid_agent", mistakesText(origin.name, issues), { details: { issues } });
}
