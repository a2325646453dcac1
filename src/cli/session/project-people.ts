import type { ProjectName } from "../../core/base/ids";
import { peopleFileOf } from "../../node/identity/people-on-disk";
import { projectFolder, projectName } from "../../project/name";
import type { CommandIo } from "../terminal/io";

/** The project of a command, with its folder and the file of its people, which may not exist. */
export interface ProjectPlace {
  project: ProjectName;
  folder: string;
  /** Its people.yaml. */
  file: string;
}

/** The project of this folder, or of `--config`. */
export async function projectPlace(io: CommandIo): Promise<ProjectPlace> {
  const folder = projectFolder(io.config);
  return { project: await projectName(process.env, io.config), folder, file: peopleFileOf(folder) };
}

/** Names the project at the end of a sentence; "" without a project. */
export const inProjectText = (project: ProjectName): string => (project === null ? "" : ` in project "${project}"`);

/** Now, as people.yaml writes times. */
export const isoNow = (): string => new Date().toISOString();

/** A public key for the examples of help texts. Nobody has it: it is that of RFC 8037. */
export const EXAMPLE_KEY = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
