import * as z from "zod";
import { flatten } from "../../../client/mission-tree";
import { readRunSheet } from "../../../client/runs/run-sheet";
import { valueWithoutSecrets } from "../../../core/agent/prompt/key-shapes";
import { defined } from "../../../core/base/defined";
import { agentWorkflowId } from "../../../core/base/ids";
import type { Json } from "../../../core/base/json";
import { cutText } from "../../../core/lisp/text/cut-text";
import { pageOf } from "../../apps/views";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { effectsAnswer } from "../../results/effects";
import { askWorkflow } from "../../results/missing-workflow";
import { missionId } from "../../results/schemas";
import { ViewedMission } from "./viewed-mission";

/** Records of the Mission Log, the last ones. */
const MAX_RECORDS = 200;
/** Of what the mission was given, in characters. */
const MAX_CONTEXT_CHARS = 4_000;

export const appGetMissionTool = tool({
  name: "app_get_mission",
  title: "One mission for its view",
  description:
    "For the view: how a mission stands, what it waits for, its Mission Log and its effects. A model reads them with get_run, get_mission_log and get_effects.",
  input: z.strictObject({ id: missionId }),
  data: ViewedMission,
  hints: READ,
  view: "mission",
  appOnly: true,
  errors: ["not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, call): Promise<ViewedMission> => {
    const { client } = call;
    const workflowId = agentWorkflowId(given);
    const sheet = await askWorkflow(workflowId, () => readRunSheet(client, workflowId));
    const { effects, summary: effectsSummary } = await effectsAnswer(client, workflowId);
    const { kind, state, started_at, closed_at, mission, asked, failed, waits, retrying, summary } = sheet;
    const records = flatten(sheet).flatMap(({ workflow_id, projection }) =>
      projection.rows.map(({ id, text, at, by }) => ({ run: workflow_id, id, text, at, by })),
    );
    records.sort((a, b) => a.at - b.at);
    return {
      ...{ workflowId, mission, kind, state, started_at, closed_at },
      asked: { ...asked, ...contextOf(asked.context) },
      failed: failed && { ...failed },
      waits: waits.map(({ kind: what, workflow_id, title, since, assignees, due, review }) => ({
        ...{ kind: what, workflow_id, title, since, assignees, due, review: review?.id },
      })),
      retrying,
      summary: { ...summary },
      log: records.slice(-MAX_RECORDS),
      log_left_out: Math.max(0, records.length - MAX_RECORDS),
      effects: effects as ViewedMission["effects"],
      effects_summary: effectsSummary,
      ...defined({ page: pageOf(`missions/${encodeURIComponent(workflowId)}`, call) }),
    };
  },
});

function contextOf(context: Json | undefined): { context?: Json } {
  if (context === undefined) return {};
  const shown = valueWithoutSecrets(context);
  const text = JSON.stringify(shown);
  return { context: text.length <= MAX_CONTEXT_CHARS ? shown : cutText(text, MAX_CONTEXT_CHARS) };
}
