import path from "node:path";

/** The folders of a project's workflows and agents. */
export interface ProjectFolders {
  /** Absolute path of the configuration; null = there is none. */
  config: string | null;
  /** Absolute; null = the configuration names none. */
  definitions: string | null;
  agents: string | null;
}

/** The folders of the project in this folder; its tools and agents are not loaded. @throws NavigatorError */
export async function projectFolders(folder: string = process.cwd()): Promise<ProjectFolders> {
  const { findConfig, readConfig } = await import("../../project/config-file");
  const config = findConfig(folder);
  const { definitions, agents } = await readConfig(config);
  const absolute = (name: unknown) =>
    config !== null && typeof name === "string" ? path.resolve(path.dirname(config), name) : null;
  return { config, definitions: absolute(definitions), agents: absolute(agents) };
}
