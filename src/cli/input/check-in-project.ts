import { checkWorkflow, type WorkflowFinding, type WorkflowWorld } from "../../core/graph/cost/check-workflow";
import type { WorstRuns } from "../../core/graph/cost/worst-runs";
import type { WorstSpend } from "../../core/graph/cost/worst-spend";
import { type Issue, placed } from "../../node/file-mistakes";
import { loadProject } from "../../project/load";
import { workflowWorld } from "../../project/workflow-world";
import type { CommandIo } from "../terminal/io";
import type { CheckedFile } from "./definition-file";
import { textInput } from "./text-input";

/** What a definition's nodes may do in the project, and the maximum cost of a task on it. */
export interface ProjectCheck {
  project_warnings: (WorkflowFinding & { line?: number; column?: number })[];
  worst: WorstRuns & WorstSpend;
}

/**
 * The agents and tools of a project; null if there is none. If the default project cannot be loaded, that is reported
 * and the definitions are checked without it.
 */
export async function projectWorld(
  io: CommandIo,
  { project: folder, model = null }: { project: string | undefined; model: string | null | undefined },
): Promise<WorkflowWorld | null> {
  const project = await loadProject(folder).catch((error: unknown) => {
    if (folder !== undefined || !(error instanceof Error)) throw error;
    io.err(`The project of this folder is not used: ${error.message}`);
    return null;
  });
  if (project === null) return null;
  try {
    if (project.configFile === null) return null;
    return workflowWorld(project, model);
  } finally {
    await project.close();
  }
}

/** Checks a definition against the agents, tools and workflows of its project; null: the file has no definition. */
export function checkInProject({ file, definition }: CheckedFile, world: WorkflowWorld): ProjectCheck | null {
  if (definition === null) return null;
  const { findings, worst } = checkWorkflow(definition, world);
  if (file === "-") return { project_warnings: findings, worst };
  const issues = findings.map((finding): WorkflowFinding & Issue => ({
    ...finding,
    path: `nodes.${finding.nodeId}`,
    named: true,
  }));
  const found = placed(textInput(file), issues) as (WorkflowFinding & Issue & { line?: number; column?: number })[];
  return { project_warnings: found.map(({ path: _, named: __, ...finding }) => finding), worst };
}
