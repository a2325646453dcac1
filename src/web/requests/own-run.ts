import { ALL_PROJECTS, type ProjectName, projectOf, workflowIdIn } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";

/**
 * The workflow that a request names, in the project of this server: tokens are of one project, and others may share the namespace.
 *
 * @throws NavigatorError `not_found` for one of another project
 */
export function ownWorkflowId(project: ProjectName, id: string): string {
  const named = projectOf(id);
  if (named === null || named === project || project === ALL_PROJECTS) return workflowIdIn(project, id);
  throw new NavigatorError("not_found", `"${id}" is not of this project.`, {
    hint: "Ask the server of that project.",
    details: { path: id, kind: "run" },
  });
}
