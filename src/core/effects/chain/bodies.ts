import { defined } from "../../base/defined";
import type { Json, JsonObject } from "../../base/json";
import { canonicalDigest } from "../effect-id";
import type { EffectNews } from "../effect-news";

/**
 * The contents of the links of each kind (approvals reference, section 6). Times that a replay may see otherwise are
 * left out.
 */

/** A value as a digest: SHA-256 of `{"value": VALUE}`, so that a text and a map never share one. */
export const valueDigest = (value: Json): string => canonicalDigest({ value });

/** A row of the journal as far as it is the same on every replay. */
export function rowFacts(row: object): JsonObject {
  const { at: _, ...facts } = row as { [field: string]: Json };
  return facts as JsonObject;
}

/** A record was made: its id, and the digest of its row. */
export const recordBody = (row: { id: string }): JsonObject => ({ id: row.id, row: valueDigest(rowFacts(row)) });

/** A record was removed. */
export const resetBody = (id: string): JsonObject => ({ id, reset: true });

/** Somebody has reset the workflow: the id of its first run. The id of the present run may be another one in a replay. */
export const runResetBody = (first_run_id: string): JsonObject => ({ first_run_id });

/** An effect has another state. The link names tool and turn when the call of the effect begins. */
export function effectBody({ key, tool, effect, state, args, answer, ...more }: EffectNews): JsonObject {
  const isNew = state === "intended" || state === "refused";
  const { by, message, reused, deed: missionKey, turn, approval, review, asked_by } = more;
  return {
    key,
    state,
    ...(isNew ? { tool } : {}),
    ...(isNew && effect === "irreversible" ? { irreversible: true } : {}),
    ...(state === "intended" ? defined({ turn, approval, review, deed: missionKey }) : {}),
    ...(asked_by === undefined ? {} : { reply: valueDigest(asked_by.content), ...defined({ model: asked_by.model }) }),
    ...(args === undefined ? {} : { args: valueDigest(args) }),
    ...(answer === undefined ? {} : { answer: valueDigest(answer) }),
    ...defined({ by, message, reused }),
  };
}

/** A branch or a subflow of this task has begun: it has a separate chain, which continues without this one. */
export const branchBody = (workflow_id: string): JsonObject => ({ workflow_id });

/** A run below this workflow has ended, and where its chain ended. */
export const childBody = (workflow_id: string, { seq, head }: { seq: number; head: string }): JsonObject => ({
  workflow_id,
  seq,
  head,
});
