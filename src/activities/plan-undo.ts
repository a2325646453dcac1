import { failed, ok } from "../core/base/failure";
import type { NavigatorActivities } from "../core/calls/activities";
import type { MissionHistories } from "../core/history/trace/read-mission";
import { readMission } from "../core/history/trace/read-mission";
import { missionUndoPlan, runningRuns } from "../core/history/trace/undo-of-mission";
import { type HistoryClient, historyOf } from "./find-effects";
import { withHeartbeat } from "./heartbeat";

type UndoActivities = Pick<NavigatorActivities, "planUndo" | "findUndoSteps">;

/**
 * The activities of an undo: they find the current plan of the undo, and the effects of some of its steps. Both come
 * from the histories of the mission, which are the same for every worker.
 */
export function undoActivities(client: HistoryClient): UndoActivities {
  const read = (mission: string): Promise<MissionHistories | null> =>
    withHeartbeat(() => readMission((id, runId) => historyOf(client, id, runId), mission));
  return {
    planUndo: async ({ mission, to }) => {
      const histories = await read(mission);
      if (histories === null)
        return failed("not_found", `There is no mission "${mission}".`, { path: mission, kind: "run" });
      const plan = missionUndoPlan(histories, to);
      if (!plan.ok) return plan;
      const { digest, steps, remaining } = plan.value;
      return ok({
        digest,
        keys: steps.map(({ key }) => key),
        remaining: remaining.map(({ args: _, ...rest }) => rest),
      });
    },
    findUndoSteps: async ({ mission, keys }) => {
      const histories = await read(mission);
      const plan = histories === null ? undefined : missionUndoPlan(histories);
      if (histories === null || !plan?.ok) return { steps: [], running: [] };
      const byKey = new Map(plan.value.steps.map((step) => [step.key, step]));
      return {
        steps: keys.flatMap((key) => byKey.get(key) ?? []),
        running: runningRuns(histories),
      };
    },
  };
}
