import { z } from "zod";
import { ok, type Result } from "../../base/failure";
import type { Period } from "../../base/ids";
import { givenIdProblem, wrongId } from "../../base/input/id-rule";
import {
  fieldMistakes,
  formatFields,
  type InputMistake,
  invalidWorkflowInput,
  mistakesOf,
  readableInput,
} from "../../base/input/wrong-input";
import { isTimeZone } from "../../base/iso-time";
import { onFirstUse } from "../../base/on-first-use";
import { type CompleteRunInput, readRunInput } from "./read-run-input";

const ScheduledFields = onFirstUse(() =>
  z.strictObject({
    ...formatFields(),
    id: z.string("must be the id of the schedule"),
    once_per: z
      .union(
        [z.enum(["day", "hour", "minute"]), z.strictObject({ day_in: z.string().refine(isTimeZone) })],
        'must be day, hour or minute, or {"day_in": TIME_ZONE}',
      )
      .optional(),
    run: z.unknown().optional(),
  }),
);

/**
 * Reads the input of what a schedule starts, which any client may have sent (`invalid_input`, every mistake in
 * `details.issues`): the id of the schedule, and the input of its runs as `readRunInput` reads it.
 */
export function readScheduledRun(
  given: unknown,
  knownFields: boolean,
): Result<{ id: string; once_per: Period; run: CompleteRunInput }> {
  const readable = readableInput("scheduledAgent", given, "id and run");
  if (!readable.ok) return readable;
  const raw = readable.value;
  const run = readRunInput(raw.run, knownFields);
  const wrong = fieldMistakes(ScheduledFields(), raw, knownFields);
  const { id, once_per = "minute" } = raw as { id: string; once_per?: Period };
  const issues = [...(wrong.length === 0 ? idMistakes(id) : wrong), ...mistakesOf("run", run)];
  if (!run.ok || issues.length > 0) return invalidWorkflowInput("scheduledAgent", issues);
  return ok({ id, once_per, run: run.value });
}

function idMistakes(id: string): InputMistake[] {
  const problem = givenIdProblem(id);
  return problem === undefined ? [] : [{ path: "id", message: `is wrong: ${wrongId("a schedule", id, problem)}` }];
}
