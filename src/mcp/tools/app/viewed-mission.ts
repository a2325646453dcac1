import * as z from "zod";
import { EffectData, JournalRowData } from "../../results/schemas";

/** What the view of a mission shows: the answer of `app_get_mission`. Times in ms since 1970. */
export const ViewedMission = z.looseObject({
  workflowId: z.string(),
  /** The workflow of what a user started. */
  mission: z.string(),
  kind: z.enum(["agent", "task", "plan", "other"]),
  state: z.string(),
  started_at: z.number(),
  closed_at: z.number().optional(),
  asked: z.looseObject({
    agent: z.string().optional(),
    graph: z.string().optional(),
    mission: z.string().optional(),
    requested_by: z.string().optional(),
    context: z.unknown().optional(),
  }),
  /** Why it failed, and where that began; null: it did not. */
  failed: z
    .looseObject({
      workflow_id: z.string(),
      code: z.string(),
      message: z.string(),
      meaning: z.string().optional(),
      hint: z.string().optional(),
      turn: z.number().optional(),
      turn_error: z.string().optional(),
      program: z.string().optional(),
    })
    .nullable(),
  waits: z.array(
    z.looseObject({
      kind: z.string(),
      workflow_id: z.string(),
      title: z.string(),
      since: z.number(),
      assignees: z.array(z.string()),
      due: z.number().optional(),
      review: z.string().optional(),
    }),
  ),
  retrying: z.array(z.object({ what: z.string(), attempt: z.number(), message: z.string() })),
  summary: z.looseObject({
    turns: z.number(),
    tokens: z.looseObject({ total: z.number(), cost: z.number().optional() }),
  }),
  /** The oldest first. */
  log: z.array(JournalRowData.extend({ run: z.string() })),
  /** So many older records are not listed. */
  log_left_out: z.int(),
  effects: z.array(EffectData),
  effects_summary: z.string(),
  /** Its place in Mission Control. */
  page: z.string().optional(),
});
export type ViewedMission = z.infer<typeof ViewedMission>;
