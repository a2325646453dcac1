import { isMission, undoWorkflowId } from "../../base/ids";
import type { Json } from "../../base/json";
import { readHistory, startedIn } from "../read/history";

/** The exported histories of a workflow, and those of the child workflows it started. */
export interface MissionHistories {
  workflow_id: string;
  /** For a workflow that continued as new all of them, oldest first. */
  runs: readonly unknown[];
  children: readonly MissionHistories[];
  /** Of the undos of the mission, the first one first; absent = it was not undone. */
  undos?: readonly unknown[];
}

/** Fetches an exported history: of the newest run of a workflow, or of one of its runs. null = there is none. */
export type FetchHistory = (workflowId: string, runId?: string) => Promise<Json | null>;

/**
 * Fetches the histories of a workflow, of all child workflows below it, and of the undos of a mission.
 *
 * @returns null when the server has no such workflow
 */
export async function readMission(fetch: FetchHistory, workflowId: string): Promise<MissionHistories | null> {
  const mission = await readTree(fetch, workflowId);
  if (mission === null || !isMission(workflowId)) return mission;
  const undos = await readUndos(fetch, workflowId);
  return undos.length === 0 ? mission : { ...mission, undos };
}

/** The histories of the undos of a mission, the first undo first. */
async function readUndos(fetch: FetchHistory, mission: string): Promise<Json[]> {
  const undos: Json[] = [];
  for (let number = 1; ; number++) {
    const runs = await readRuns(fetch, undoWorkflowId(mission, number));
    if (runs === null) return undos;
    undos.push(...runs);
  }
}

async function readTree(fetch: FetchHistory, workflowId: string): Promise<MissionHistories | null> {
  const runs = await readRuns(fetch, workflowId);
  if (runs === null) return null;
  const children: MissionHistories[] = [];
  for (const id of runs.flatMap(childIds)) {
    const child = await readTree(fetch, id);
    if (child !== null) children.push(child);
  }
  return { workflow_id: workflowId, runs, children };
}

/**
 * The histories of all runs of a workflow that continued as new, oldest first; of any other workflow, its only one.
 *
 * @returns null when the server has no such workflow
 */
export async function readRuns(fetch: FetchHistory, workflowId: string): Promise<Json[] | null> {
  const runs: Json[] = [];
  let runId: string | undefined;
  do {
    const history = await fetch(workflowId, runId);
    if (history === null) return runs.length === 0 ? null : runs;
    runs.unshift(history);
    runId = startedIn(history)?.continued_run_id || undefined;
  } while (runId !== undefined);
  return runs;
}

/** Ids of the children a history started, in the order in which it asked for them: they may have begun in another. */
export const childIds = (history: unknown): string[] =>
  readHistory(history)
    .filter((fact) => fact.kind === "child_started")
    .sort((a, b) => a.call - b.call)
    .map(({ workflow_id }) => workflow_id)
    .filter((id) => id !== "");
