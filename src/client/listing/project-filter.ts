import {
  ALL_PROJECTS,
  belowPrefix,
  idBeginnings,
  type MissionKind,
  type ProjectName,
  projectPrefix,
} from "../../core/base/ids";

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

const KINDS: readonly MissionKind[] = ["agent", "task", "plan"];

/** What a list of missions adds to its query: runs that a mission has started are left out. */
export function hasNoMissionAbove(project: ProjectName): string {
  // It is not known how the ids of every project begin.
  if (project === ALL_PROJECTS) return "ParentWorkflowId IS NULL";
  const isOther = KINDS.map(
    (kind) => `ParentWorkflowId NOT STARTS_WITH ${JSON.stringify(`${projectPrefix(project)}${kind}/`)}`,
  );
  return `(ParentWorkflowId IS NULL OR (${isOther.join(" AND ")}))`;
}
