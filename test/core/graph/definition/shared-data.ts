import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { parsed } from "./definitions";

/** Definitions beside this repository. They are no part of it and need not be there. */
const data = path.join(__dirname, "../../../../../shared/data");
const folders = ["real-workflows/current", "real-workflows/history", "workflows"];

export interface SharedDefinition {
  /** `real-workflows/current/bug-fix.json`. */
  file: string;
  id: string;
  raw: unknown;
}

export const sharedDefinitions: SharedDefinition[] = folders
  .map((folder) => path.join(data, folder))
  .filter(existsSync)
  .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
  .filter((file) => file.endsWith(".json") && !file.endsWith("tasks.json"))
  .map((file) => ({
    file: path.relative(data, file),
    id: path.basename(file, ".json").replace(/@.*/, ""),
    raw: JSON.parse(readFileSync(file, "utf8")),
  }));

const tasks = path.join(data, "workflows/tasks.json");

/** Tasks on those definitions, as an orchestrator loads them. */
export const sharedTasks: { id: string; workflowType: string }[] = existsSync(tasks)
  ? JSON.parse(readFileSync(tasks, "utf8")).tasks
  : [];

export const read = ({ raw, id }: SharedDefinition) => parseDefinition(raw, id);
export const definitionOf = ({ raw }: SharedDefinition) => parsed(raw).definition;

export const describeShared = sharedDefinitions.length > 0 ? describe : describe.skip;
