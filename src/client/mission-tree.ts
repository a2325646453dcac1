import type { Client } from "@temporalio/client";
import { type ProjectName, workflowIdIn } from "../core/base/ids";
import { isAbsent } from "../core/base/navigator-error";
import { type Projection, projectRuns } from "../core/history/read/project";
import type { TraceLog } from "../core/history/trace/line";
import { missionLogs } from "../core/history/trace/mission-logs";
import { type FetchHistory, type MissionHistories, readMission } from "../core/history/trace/read-mission";
import { type Story, storyOf } from "../core/history/trace/story";
import { missionLedger } from "../core/history/trace/undo-of-mission";
import { type EffectUndone, undoneEffects } from "../core/history/trace/undone-effects";
import { exportHistory } from "./history";

/** The part of a client that reads histories. */
export interface ReadingClient {
  temporal: Client;
  project: ProjectName;
}

/** A workflow and the child workflows it started, each with its journal, Mission Log and timeline. */
export interface MissionTree {
  workflow_id: string;
  projection: Projection;
  /** What the run of an agent did, turn by turn; null for another workflow. */
  story: Story | null;
  children: MissionTree[];
  /** Of a whole mission: its effects that were undone, in the order of undoing; absent = none. */
  undone?: UndoneEffect[];
}

/** An effect that was undone. */
export interface UndoneEffect extends EffectUndone {
  tool: string;
  key: string;
}

/**
 * Reads a mission and all missions below it from their histories. Works for running and closed workflows, with no
 * worker up.
 *
 * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`
 */
export async function missionTree(client: ReadingClient, workflowId: string): Promise<MissionTree> {
  return missionTreeOf(await missionHistories(client, workflowId));
}

/** The same from histories that were read already. */
export function missionTreeOf(histories: MissionHistories): MissionTree {
  const undone = undoneOf(histories);
  return { ...projected(histories), ...(undone.length === 0 ? {} : { undone }) };
}

function undoneOf(histories: MissionHistories): UndoneEffect[] {
  if (undoneEffects(histories).size === 0) return [];
  return missionLedger(histories)
    .flatMap(({ tool, key, undone }) => (undone === undefined ? [] : [{ tool, key, ...undone }]))
    .sort((a, b) => a.at - b.at);
}

/**
 * The traces of a mission and of all runs below it, parents first, read from their histories.
 *
 * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`
 */
export async function missionTrace(client: ReadingClient, workflowId: string): Promise<TraceLog[]> {
  return missionLogs(await missionHistories(client, workflowId));
}

/**
 * Exports the histories of a workflow, of all child workflows below it, and of the undos of a mission.
 *
 * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`
 */
export async function missionHistories(client: ReadingClient, workflowId: string): Promise<MissionHistories> {
  const whole = workflowIdIn(client.project, workflowId);
  const fetch: FetchHistory = async (id, runId) => {
    try {
      return await exportHistory(client.temporal.workflow.getHandle(id, runId));
    } catch (error) {
      // The server keeps a closed run for some time only; the mission itself must be there.
      if (isAbsent(error) && (id !== whole || runId !== undefined)) return null;
      throw error;
    }
  };
  const read = (await readMission(fetch, whole)) as MissionHistories;
  return { ...read, workflow_id: workflowId };
}

const projected = ({ workflow_id, runs, children }: MissionHistories): MissionTree => ({
  workflow_id,
  projection: projectRuns(runs),
  story: storyOf(runs),
  children: children.map(projected),
});

/** All missions of a tree, parents first. */
export function flatten(tree: MissionTree): MissionTree[] {
  return [tree, ...tree.children.flatMap(flatten)];
}
