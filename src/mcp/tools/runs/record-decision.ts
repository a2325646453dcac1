import * as z from "zod";
import { agentWorkflowId } from "../../../core/base/ids";
import { checkAgentMayRecord } from "../../client-features/right-to-decide";
import { sessionAgent } from "../../context/session-agent";
import { CHANGE, tool } from "../../context/tool";
import { askWorkflow } from "../../results/missing-workflow";
import { JournalRowData, missionId } from "../../results/schemas";

export const recordDecisionTool = tool({
  name: "record_decision",
  title: "Record a decision",
  description:
    "Records a decision in the journal of a running or waiting mission. Refused without `navigator mcp --may decide`, because the session is an agent. Only `overwrite` replaces a record.",
  input: z.strictObject({
    id: missionId,
    journalId: z.string().min(1).describe("E.g. payment_confirmed_42"),
    value: z.unknown().describe("Any JSON value"),
    by: z.string().min(1).describe("Omit it: an agent decides under its own name").optional(),
    note: z.string().describe("Why").optional(),
    overwrite: z.boolean().describe("Replace an existing record").optional(),
  }),
  data: z.object({ row: JournalRowData }),
  hints: CHANGE,
  errors: ["not_found", "agents_may_not_decide", "wrong_kind", "already_exists"],
  run: async ({ id: given, journalId, value, by, ...said }, call) => {
    checkAgentMayRecord(by, call);
    const { client } = call;
    const decision = { id: journalId, value: value as never, by: sessionAgent(call).id, ...said };
    return { row: await askWorkflow(agentWorkflowId(given), () => client.agent(given).recordDecision(decision)) };
  },
});
