import { z } from "zod";

/**
 * The report of a proof (docs/prove.md). It is the one definition of the report: `--json`, the table for people and the
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

/** What became of a tool that was called: whether it and its lookup keep the word on which Navigator relies. */
export const ToolContract = z.object({
  args: z.record(z.string(), z.json()),
  /** The idempotency key of its call. */
  key: z.string(),
  checks: z.array(z.object({ check: z.string(), ok: z.boolean(), answer: z.string() })),
  /** Its undo was called, and did not fail. */
  undone: z.boolean(),
  /** Whether its effect is still there, as far as its lookup answers. */
  remains: z.boolean(),
  /** Why most checks could not be made; null = they were. */
  not_proved: z.string().nullable(),
});
export type ToolContract = z.infer<typeof ToolContract>;

/** A tool of the user's project, as a proof has run on it. */
export const ProvedTool = z.object({
  name: z.string(),
  effect: z.enum(["write", "irreversible"]),
  /** The arguments that make an effect; null = all of them. */
  identity: z.array(z.string()).nullable(),
  identity_scope: z.enum(["mission", "namespace"]),
  /** What becomes of a call whose effect is done, with the default of its effect; `repeatable`: every call is an effect. */
  on_same_effect: z.enum(["ask", "reuse", "fail", "run", "repeatable"]),
  lookup: z.boolean(),
  undo: z.boolean(),
  calls: z.int(),
  effects_intended: z.int(),
  effects: z.int(),
  repeats: z.int(),
  losses: z.int(),
  conflicts: z.int(),
  conflicts_reported: z.int(),
  /** How often a person was asked about an effect that was there already, or whose outcome was lost. */
  stops: z.int(),
  /** With `--call-tools`, of a tool that has a lookup. */
  contract: ToolContract.optional(),
  warnings: z.array(z.string()),
});
export type ProvedTool = z.infer<typeof ProvedTool>;

/** The report on the project of a proof. */
export const ProvedProject = z.object({
  folder: z.string(),
  tools: z.array(ProvedTool),
  left_out: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** What the reader must know, such as that no function of a tool was called. */
  notes: z.array(z.string()),
});
export type ProvedProject = z.infer<typeof ProvedProject>;

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
  /** With `--project`. */
  project: ProvedProject.optional(),
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

/** Violations that a report lists. More of them are of no use. */
export const MAX_VIOLATIONS = 10;
