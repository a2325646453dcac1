import * as z from "zod";
import { flatten, type MissionTree, missionTree } from "../../client/mission-tree";
import { agentWorkflowId } from "../../core/base/ids";
import { renderPeoplesLog } from "../../core/journal/mission-log";
import { asked } from "../answers/missing-workflow";
import { CHANGE, LONGEST_CALL_MS, READ, tool } from "../tool";

/** What missions recorded as done, and recording what people or systems outside decided (engine reference, section 3). */

const id = z
  .string()
  .min(1)
  .describe("Run id, or a workflow id: agent/ID, task/ID, or task/ID/STEP/ATTEMPT for one run of a task");

const Row = z.looseObject({ id: z.string(), text: z.string(), at: z.number(), by: z.string() });

const getJournal = tool({
  name: "get_journal",
  title: "Journal of a mission",
  description:
    "The records of a mission in order, from its history alone. A task has none of its own: its agent runs (`runs`) have.",
  input: z.strictObject({ id }),
  data: z.object({
    workflowId: z.string(),
    rows: z.array(Row),
    runs: z.array(z.object({ workflowId: z.string(), rows: z.array(Row) })),
  }),
  hints: READ,
  errors: ["run_not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, { client }) => {
    const at = agentWorkflowId(given);
    const tree = await asked(at, () => missionTree(client, at));
    const [own, ...runs] = flatten(tree).map(({ workflow_id, projection }) => ({
      workflowId: workflow_id,
      rows: projection.rows,
    }));
    return { ...own, runs };
  },
});

const getMissionLog = tool({
  name: "get_mission_log",
  title: "Mission Log",
  description: "What a mission, or every run of a task, has done so far, as text.",
  input: z.strictObject({ id }),
  data: z.object({ workflowId: z.string(), missionLog: z.string() }),
  hints: READ,
  errors: ["run_not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, { client }) => {
    const workflowId = agentWorkflowId(given);
    return { workflowId, missionLog: logText(await asked(workflowId, () => missionTree(client, workflowId))) };
  },
});

/** The logs of a tree's missions; those that recorded nothing are left out. */
export function logText(tree: MissionTree): string {
  const logs = flatten(tree).filter(({ projection }) => projection.rows.length > 0);
  const [only] = logs;
  if (only !== undefined && logs.length === 1 && only === tree) return renderPeoplesLog(only.projection.rows);
  return logs
    .map(({ workflow_id, projection }) => `# ${workflow_id}\n\n${renderPeoplesLog(projection.rows)}`)
    .join("\n\n");
}

const recordDecision = tool({
  name: "record_decision",
  title: "Record a decision",
  description:
    "Writes into the journal of a running or waiting mission what somebody outside decided. A record is never changed unless `overwrite` is set.",
  input: z.strictObject({
    id,
    journalId: z.string().min(1).describe("E.g. payment_confirmed_42"),
    value: z.unknown().describe("Any JSON value"),
    by: z.string().min(1).describe("Who decided"),
    note: z.string().describe("Why").optional(),
    overwrite: z.boolean().describe("Replace a record that exists").optional(),
  }),
  data: z.object({ row: Row }),
  hints: CHANGE,
  errors: ["run_not_found", "wrong_kind", "already_recorded"],
  run: async ({ id: given, journalId, value, ...said }, { client }) => {
    const decision = { id: journalId, value: value as never, ...said };
    return { row: await asked(agentWorkflowId(given), () => client.agent(given).recordDecision(decision)) };
  },
});

export const JOURNAL_TOOLS = [getJournal, getMissionLog, recordDecision];
