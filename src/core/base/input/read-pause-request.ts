import { z } from "zod";
import type { Result } from "../failure";
import { onFirstUse } from "../on-first-use";
import { readInput } from "./invalid-input";
import type { PauseRequest } from "./pause";

const schema = onFirstUse(() =>
  z.object(
    {
      by: z.string("must be a non-empty text").min(1, "must be a non-empty text").max(200, "is longer than a name"),
      note: z.string("must be a text").max(2_000, "is longer than 2000 characters").optional(),
    },
    "must be an object {by, note?}",
  ),
);

/** For boundaries: reads who pauses or resumes, or fails with `invalid_input` and every wrong field. */
export const readPauseRequest = (raw: unknown): Result<PauseRequest> =>
  readInput(schema(), raw, "invalid_input", "pause");
