import { z } from "zod";
import { jsonBytes } from "../base/bytes";
import { failed, ok, type Result } from "../base/failure";
import { readInput } from "../base/input/invalid-input";
import type { Json } from "../base/json";
import { onFirstUse } from "../base/on-first-use";
import type { GuardClaim, GuardSettle } from "./effect-guard";
import { readEffectKey } from "./effect-key";
import { MAX_ANSWER_CHARS } from "./entry";

/** What runs and workers report to the guard of an effect. Any client may send it, so the guard checks it first. */

const text = (max: number) => z.string("must be a text").min(1, "must not be empty").max(max, "is too long");
const count = () => z.int("must be a whole number").min(1, "must be 1 or more");

const Claim = onFirstUse(() =>
  z.strictObject({
    deed: text(MAX_EFFECT_CHARS),
    workflow_id: text(1_000),
    tool: text(200),
    at: z.number("must be a number"),
    turn: z.int("must be a whole number"),
    task: text(2_000).optional(),
    args: z.looseObject({}, "must be an object").optional(),
    n: count().optional(),
    again: z.literal(true, "must be true").optional(),
    over: count().optional(),
  }),
);

const Settle = onFirstUse(() =>
  z.strictObject({
    n: count(),
    deed: text(MAX_EFFECT_CHARS).optional(),
    claims: count().optional(),
    state: z.enum(["done", "failed", "unknown", "undone"], "must be done, failed, unknown or undone"),
    answer: z.json().optional(),
  }),
);

/** Scopes grow with the depth of agents. */
const MAX_EFFECT_CHARS = 4_000;
const MAX_CLAIM_BYTES = 32 * 1024;

/** @param id the effect id that the guard has. Reason: `invalid_input` */
export function readGuardClaim(id: string, raw: unknown): Result<GuardClaim> {
  const claim = readInput(Claim(), raw, "invalid_input", "claim");
  if (!claim.ok) return claim;
  if (readEffectKey(claim.value.deed)?.id !== id)
    return failed("invalid_input", `The claim is not about the effect ${id}: ${claim.value.deed}`, {
      path: "claim.deed",
    });
  const bytes = jsonBytes(raw as Json);
  if (bytes > MAX_CLAIM_BYTES)
    return failed("invalid_input", `The claim is ${bytes} bytes; the limit is ${MAX_CLAIM_BYTES}.`, { path: "claim" });
  return ok(claim.value as GuardClaim);
}

/** An answer that is too long is left out. Reason: `invalid_input` */
export function readGuardSettle(raw: unknown): Result<GuardSettle> {
  const settle = readInput(Settle(), raw, "invalid_input", "settle");
  if (!settle.ok) return settle;
  const { answer, ...rest } = settle.value as GuardSettle;
  return ok(answer === undefined || JSON.stringify(answer).length > MAX_ANSWER_CHARS ? rest : { ...rest, answer });
}
