import { z } from "zod";
import { failed, ok, type Result } from "../../base/failure";
import { readInput } from "../../base/input/invalid-input";
import { onFirstUse } from "../../base/on-first-use";

const MAX_LEASE_MS = 24 * 60 * 60 * 1000;
const LEASE = "must be milliseconds, 1000 to 86400000";

/** Proves that its sender has a claim: a random text. */
export type ClaimToken = string;

const TOKEN = "must be the token that the claim returned";

/** The token of a claim in a message. */
export const claimToken = () => z.string(TOKEN).min(1, TOKEN).max(100, TOKEN);

/** Who claims a task, and for how long. */
export const ClaimRequest = onFirstUse(() =>
  z.object(
    {
      owner: z
        .string("must be a text")
        .min(1, "must name who claims the task")
        .max(200, "must be 200 characters at most"),
      leaseMs: z.int(LEASE).min(1_000, LEASE).max(MAX_LEASE_MS, LEASE),
      /** Renews the claim that has this token. */
      token: claimToken().optional(),
    },
    "must be an object",
  ),
);
export type ClaimRequest = z.infer<ReturnType<typeof ClaimRequest>>;

/** Reads a claim from outside; reason `invalid_input` names every wrong field. */
export function parseClaim(raw: unknown): Result<ClaimRequest> {
  return readInput(ClaimRequest(), raw, "invalid_input", "claim");
}

const Token = onFirstUse(claimToken);

/** Reads the token of a claim from outside; reason `invalid_input`. */
export function parseToken(raw: unknown): Result<ClaimToken> {
  const token = Token().safeParse(raw);
  return token.success
    ? ok(token.data)
    : failed("invalid_input", "A claim is released with its token.", { path: "claim" });
}
