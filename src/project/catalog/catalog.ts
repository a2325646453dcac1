import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { type Definition, workOf } from "../../core/graph/definition/schema";
import { type FolderDefinition, readDefinitionFolder } from "./folder";

/** The ready workflows that come with the package, and the agents that their steps name. */

export interface CatalogEntry {
  id: string;
  name: string;
  description: string;
  /** Nodes, start and ends included. */
  stepCount: number;
  /** Names of the agents that its steps name, in the order of the file. */
  agents: string[];
}

// The path is the same from src/project/catalog and from dist/catalog.
export const CATALOG_FOLDER = path.join(__dirname, "..", "..", "..", "catalog");
export const AGENTS = "agents";

/** By id. */
export function listCatalog(): CatalogEntry[] {
  return catalogWorkflows().map(({ definition }) => ({
    id: definition.id,
    name: definition.name,
    description: definition.description,
    stepCount: Object.keys(definition.nodes).length,
    agents: agentsOf(definition),
  }));
}

/** All definitions, checked, by id. */
export function catalogWorkflows(): FolderDefinition[] {
  const { definitions, errors } = readDefinitionFolder(CATALOG_FOLDER);
  const [broken] = errors;
  if (broken) throw new Error(`The catalog is broken: ${broken.message}`);
  return definitions;
}

/** Files of one workflow, relative to the catalog: its definition and, where it has a folder, what lies in it. */
export function catalogFiles({ id, file }: FolderDefinition): string[] {
  const folder = path.join(CATALOG_FOLDER, id);
  if (path.dirname(file) !== folder) return [path.basename(file)];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .map((name) => path.join(id, name))
    .sort();
}

/** The file of an agent, relative to the catalog; undefined if the catalog has no agent of that name. */
export function agentFile(name: string): string | undefined {
  const file = readdirSync(path.join(CATALOG_FOLDER, AGENTS)).find((one) => path.parse(one).name === name);
  return file === undefined ? undefined : path.join(AGENTS, file);
}

/** Lists the agents that the nodes of a definition name, each once. */
export function agentsOf(definition: Definition): string[] {
  const named = Object.values(definition.nodes).flatMap((node) => workOf(node)?.agent ?? []);
  return [...new Set(named)];
}
