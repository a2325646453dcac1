import * as z from "zod";
import { agentWorkflowId } from "../../../core/base/ids";
import { CHANGE, tool } from "../../context/tool";
import { askWorkflow } from "../../results/missing-workflow";
import { JournalRowData, missionId } from "../../results/schemas";

export const recordDecisionTool = tool({
  name: "record_decision",
  title: "Record a decision",
  description:
    "Writes into the journal of a running or waiting mission what somebody outside decided. A record is never changed unless `overwrite` is set.",
  input: z.strictObject({
    id: missionId,
    journalId: z.string().min(1).describe("E.g. payment_confirmed_42"),
    value: z.unknown().describe("Any JSON value"),
    by: z.string().min(1).describe("Who decided"),
    note: z.string().describe("Why").optional(),
    overwrite: z.boolean().describe("Replace a record that exists").optional(),
  }),
  data: z.object({ row: JournalRowData }),
  hints: CHANGE,
  errors: ["run_not_found", "wrong_kind", "already_recorded"],
  run: async ({ id: given, journalId, value, ...said }, { client }) => {
    const decision = { id: journalId, value: value as never, ...said };
    return { row: await askWorkflow(agentWorkflowId(given), () => client.agent(given).recordDecision(decision)) };
  },
});
