import { z } from "zod";
import type { Result } from "../../base/failure";
import { readInput } from "../../base/invalid-input";
import { onFirstUse } from "../../base/on-first-use";

const MAX_LEASE_MS = 24 * 60 * 60 * 1000;
const LEASE = "must be milliseconds, 1000 to 86400000";

/** Who claims a task, and for how long. */
export const ClaimRequest = onFirstUse(() =>
  z.object(
    {
      owner: z
        .string("must be a text")
        .min(1, "must say who claims the task")
        .max(200, "must be 200 characters at most"),
      leaseMs: z.int(LEASE).min(1_000, LEASE).max(MAX_LEASE_MS, LEASE),
      /** Renews the claim that has this token. */
      token: z.int("must be the number that the claim returned").optional(),
    },
    "must be an object",
  ),
);
export type ClaimRequest = z.infer<ReturnType<typeof ClaimRequest>>;

/** Reads a claim from outside; reason `invalid_arguments` names every wrong field. */
export function parseClaim(raw: unknown): Result<ClaimRequest> {
  return readInput(ClaimRequest(), raw, "invalid_arguments", "claim");
}
