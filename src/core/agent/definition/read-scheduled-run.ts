import { z } from "zod";
import type { Period } from "../../base/ids";
import { givenIdProblem, wrongId } from "../../base/input/id-rule";
import { formatFields, workflowInput } from "../../base/input/workflow-input";
import { isTimeZone } from "../../base/iso-time";
import { readRunInput } from "./read-run-input";

/** Reads the input of what a schedule starts: the id of the schedule, and the input of its runs as `readRunInput` reads it. */
export const readScheduledRun = workflowInput(
  "scheduledAgent",
  "id and run",
  () => ({
    fields: {
      ...formatFields(),
      id: z.string("must be the id of the schedule").superRefine((id, context) => {
        const problem = givenIdProblem(id);
        if (problem !== undefined)
          context.addIssue({ code: "custom", message: `is wrong: ${wrongId("a schedule", id, problem)}` });
      }),
      once_per: z
        .union(
          [z.enum(["day", "hour", "minute"]), z.strictObject({ day_in: z.string().refine(isTimeZone) })],
          'must be day, hour or minute, or {"day_in": TIME_ZONE}',
        )
        .optional(),
      run: z.unknown().optional(),
    },
  }),
  (raw, take, { knownFields }) => {
    const run = take("run", readRunInput(raw.run, { knownFields }));
    return () => {
      const { id, once_per = "minute" } = raw as { id: string; once_per?: Period };
      return { id, once_per, run };
    };
  },
);
