import { PROJECT_NAME, type ProjectName } from "../ids";
import { NavigatorError } from "../navigator-error";

/** The names of projects, and of their task queues. */

/** The task queue of workers without a project. */
const TASK_QUEUE = "navigator";

/** In the place of a name: lists show the work of all projects. Nothing is started in it. */
export const ALL_PROJECTS = "all";

/** The task queue of a project's workers, unless a setting names another. */
export const taskQueueOf = (project: ProjectName): string =>
  project === null ? TASK_QUEUE : `${TASK_QUEUE}-${project}`;

/** @throws NavigatorError `bad_project` */
export function checkedProject(project: ProjectName): ProjectName {
  if (project === null || PROJECT_NAME.test(project)) return project;
  throw new NavigatorError("bad_project", `"${project}" cannot be the name of a project.`, {
    hint: "A name has lower-case letters, digits and -, at most 40, and begins with a letter or a digit.",
  });
}
