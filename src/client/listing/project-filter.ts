import { ALL_PROJECTS, belowPrefix, idBeginnings, type ProjectName } from "../../core/base/ids";

/** What a list adds to its query, so that it shows only the work of one project. */
export function inProject(project: ProjectName): string {
  if (project === ALL_PROJECTS) return 'WorkflowId != ""';
  return `(${idBeginnings(project)
    .map((text) => `WorkflowId STARTS_WITH "${text}"`)
    .join(" OR ")})`;
}

/** What a list adds to its query, so that it shows only a workflow and the runs below it. */
export const atOrBelow = (workflowId: string): string =>
  `(WorkflowId = ${JSON.stringify(workflowId)} OR WorkflowId STARTS_WITH ${JSON.stringify(belowPrefix(workflowId))})`;
