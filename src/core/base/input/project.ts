import { ALL_PROJECTS, PROJECT_NAME, type ProjectName } from "../ids";
import { NavigatorError } from "../navigator-error";

/** The names of projects, and of their task queues. */

/** The task queue of workers without a project. */
const TASK_QUEUE = "navigator";

/** The task queue of a project's workers, unless a setting names another. */
export const taskQueueOf = (project: ProjectName): string =>
  project === null ? TASK_QUEUE : `${TASK_QUEUE}-${project}`;

/** @throws NavigatorError `bad_project` */
export function checkedProject(project: ProjectName): ProjectName {
  if (project === null || PROJECT_NAME.test(project)) return project;
  throw new NavigatorError("bad_project", `"${project}" cannot be the name of a project.`, {
    hint: "A name has lower-case letters, digits and -, at most 40, and begins with a letter or a digit.",
    details: { path: "project" },
  });
}

/**
 * The project in which something is started.
 *
 * @throws NavigatorError `bad_project` for the name that stands for all projects
 */
export function startableProject(project: ProjectName): ProjectName {
  if (project !== ALL_PROJECTS) return checkedProject(project);
  throw new NavigatorError(
    "bad_project",
    `"${ALL_PROJECTS}" stands for all projects, in lists: nothing can be started in it.`,
    {
      hint: "Name one project: --project shop, or NAVIGATOR_PROJECT=shop.",
      details: { path: "project" },
    },
  );
}
