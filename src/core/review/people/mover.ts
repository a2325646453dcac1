import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import { PrincipalKind, Via } from "./principal";

/** Who sends a change that is not a decision, e.g. the result of a step (approvals reference, section 1). */

/** The schema of a mover. */
export const MoverInput = onFirstUse(() =>
  z.object(
    {
      id: z.string("must be a text").min(1, "must be a non-empty text").max(200, "has more than 200 characters"),
      kind: PrincipalKind(),
      via: Via(),
    },
    "must be an object {id, kind, via}",
  ),
);
/** The sender of a change. Nobody has authenticated it. */
export type Mover = z.infer<ReturnType<typeof MoverInput>>;
