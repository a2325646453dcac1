import { z } from "zod";

/**
 * What a proof says (docs/prove.md). It is the one definition of the report: `--json`, the table for people and the
 * table of PROMISES.md are made of it.
 */

/** Something that a promise rules out, and how to see it again. */
export const ProofViolation = z.object({
  /** What happened, as one sentence. */
  what: z.string().min(1),
  /** Where: a case, an event, a line. */
  where: z.string().min(1),
  seed: z.int().min(0),
  /** The number of the case, for `--case`; null when it takes the whole proof to see it. */
  case: z.int().min(0).nullable(),
  /** The smallest case that shows it; null when there is none, because nothing was tried. */
  smallest: z.json(),
  /** The command that runs just this case. */
  command: z.string().min(1),
});
export type ProofViolation = z.infer<typeof ProofViolation>;

export const ProofReport = z.object({
  name: z.string().min(1),
  promise: z.string().min(1),
  /** Whether there are no violations. */
  ok: z.boolean(),
  seed: z.int().min(0),
  sizes: z.record(z.string(), z.union([z.number(), z.array(z.string())])),
  took_ms: z.int().min(0),
  /** What was counted while it ran. */
  figures: z.record(z.string(), z.number()),
  /** The first ones, at most MAX_VIOLATIONS; the figure `violations` counts all that were found. */
  violations: z.array(ProofViolation),
});
export type ProofReport = z.infer<typeof ProofReport>;

/** The report of `navigator prove all`. */
export const ProofOverview = z.object({
  name: z.literal("all"),
  ok: z.boolean(),
  seed: z.int().min(0),
  took_ms: z.int().min(0),
  version: z.string(),
  /** The commit of the code, with `+` when files differ from it; null outside a repository. */
  commit: z.string().nullable(),
  proofs: z.array(ProofReport),
  /** The Markdown table for PROMISES.md. */
  table: z.string(),
});
export type ProofOverview = z.infer<typeof ProofOverview>;

/** Violations that a report lists. More of them say nothing new. */
export const MAX_VIOLATIONS = 10;
