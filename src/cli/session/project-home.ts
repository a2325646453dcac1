import path from "node:path";
import type { Config } from "../../node/settings";
import { placeOfProject } from "../../project/name";

/**
 * The settings for the background process of a project, wherever the command was started: NAVIGATOR_HOME, else `.navigator` of the
 * project's folder.
 *
 * @param place the configuration or the folder of the project
 */
export function atProject(given: Config, place: string, env: NodeJS.ProcessEnv = process.env) {
  const { folder, project } = placeOfProject(place);
  const isHomeNamed = (env.NAVIGATOR_HOME ?? "").trim() !== "";
  return { config: { ...given, home: isHomeNamed ? given.home : path.join(folder, ".navigator") }, folder, project };
}
