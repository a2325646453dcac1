import { z } from "zod";
import { onFirstUse } from "../base/on-first-use";
import { type DeclaredInput, declaredInput } from "../effects/declared-input";
import {
  type EffectSettings,
  effectSettings,
  TOOL_EFFECT_WORDS,
  TOOL_EFFECTS,
  type ToolEffect,
} from "../effects/effect-settings";
import { type ReviewTerms, termsSchema } from "../review/policy/terms";

/**
 * A worker's description of a tool, so that an agent may use it. It is plain data and is passed in workflow input; the
 * function stays on the worker.
 */
export interface ToolSpec extends EffectSettings {
  name: string;
  /** `(order_id :int) -> {tx :string}`; undefined = never validated. */
  signature?: string;
  description?: string;
  /**
   * The arguments that the schema of a tool with effects drops, and its defaults; `defineTool` reads it. Absent =
   * nothing is dropped, and there are no defaults.
   */
  takes?: DeclaredInput;
  /**
   * read: repeatable and cheap, may run as a local activity. idempotent: a write whose service acts once for each idempotency
   * key: after a crash the last calls are made again with their keys.
   * write (default): called at least once; the idempotency key makes the effect exactly-once. irreversible: never repeated automatically; if the outcome of a call is lost, `lookup` is
   * asked, then a person. The program gets a `tool_error` with code `unknown_outcome` only where nobody can be asked.
   */
  effect: ToolEffect;
  /** Results are kept for the run under (name, arguments). */
  cache?: boolean;
  /** Limit of one call, milliseconds. */
  timeout_ms?: number;
  /** A person must approve each call and may change its arguments; exactly the approved call runs. */
  approval?: true | ReviewTerms;
  /** Attempts after a lost worker, or when the tool asks for a retry; never for `irreversible`. */
  retry?: ToolRetryPolicy;
  /** The worker counts as lost after this many milliseconds without a heartbeat. The worker sends it, not the tool. */
  heartbeat_ms?: number;
  /** The answer comes later, from outside, with the call's token. */
  completes_later?: true;
  /** Each worker starts at most `max` calls in any `per_ms` milliseconds; others wait for their turn. */
  rate_limit?: { max: number; per_ms: number };
  /** Task queue of the workers that have this tool; undefined = the workflow's own. */
  task_queue?: string;
  /** Each call has a separate activity (engine reference, section 16). */
  alone?: true;
  /** Calls that are asked for at the same moment are made by one activity, at most so many (engine reference, section 17). */
  batch?: number;
  /** The tool can look up whether the effect of a key has happened: `lookUpEffect` asks it. */
  lookup?: true;
  /** The tool can take an effect back: `undoEffect` does. */
  undo?: true;
  /** The cost of undoing one effect, in US dollars. */
  undo_cost?: number;
}

/** Milliseconds; what is left out is the policy of the tool's effect. */
export interface ToolRetryPolicy {
  max_attempts?: number;
  initial_ms?: number;
  backoff?: number;
  max_ms?: number;
}

/** The fields of a spec, as agent files and workflow inputs have them. An absent field is the worker's. */
export const toolFields = onFirstUse(() => {
  const positive = z.int("must be a positive integer").positive("must be a positive integer");
  const name = z.string("must be a non-empty text").trim().min(1, "must be a non-empty text");
  const approval = termsSchema(z.enum(["approve", "reject"], "must be approve or reject"));
  const retry = z.strictObject(
    {
      max_attempts: positive.optional(),
      initial_ms: positive.optional(),
      backoff: z.number("must be a number of at least 1").min(1).optional(),
      max_ms: positive.optional(),
    },
    "must be a map of max_attempts, initial_ms, backoff, max_ms",
  );
  return {
    name,
    signature: z.string("must be a signature, as in (q :string) -> [:string]").optional(),
    description: z.string("must be a text").optional(),
    effect: z.enum(TOOL_EFFECTS, `must be ${TOOL_EFFECT_WORDS}`).optional(),
    takes: declaredInput().optional(),
    cache: z.boolean("must be true or false").optional(),
    timeout_ms: positive.optional(),
    task_queue: name.optional(),
    approval: z.literal(true).or(approval).optional(),
    retry: retry.optional(),
    heartbeat_ms: positive.optional(),
    completes_later: z.literal(true).optional(),
    rate_limit: z.strictObject({ max: positive, per_ms: positive }, "must be a map of max and per_ms").optional(),
    alone: z.literal(true, "must be true").optional(),
    batch: z.int("must be an integer, 2 or more").min(2, "must be an integer, 2 or more").optional(),
    ...effectSettings(),
    lookup: z.literal(true).optional(),
    undo: z.literal(true).optional(),
    undo_cost: z.number("must be a number").min(0, "must be at least 0").optional(),
  } satisfies { [field in keyof Required<ToolSpec>]: z.ZodType };
});

/** The fields that the activity of a call follows as its agent has them. It follows the others as its worker has them. */
const FOR_ACTIVITY = ["timeout_ms"] as const satisfies readonly (keyof ToolSpec)[];

/** The settings with which an activity makes a call. */
export type ToolCallSettings = Pick<ToolSpec, (typeof FOR_ACTIVITY)[number]>;

/** The settings for the activity of a call of this tool; undefined: there are none. */
export function settingsForActivity(tool: ToolSpec): ToolCallSettings | undefined {
  const given = FOR_ACTIVITY.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]] as const]));
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
