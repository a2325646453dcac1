import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import { parseSignature, SignatureError } from "../../signature/parse";
import type { AgentInput } from "./agent-input";
import { LlmRetry } from "./llm-retry";

/** The options of a run besides its agent, context and journal (agent reference, section 2.1). */
export const RunOptions = onFirstUse(() => {
  const text = z.string("must be a text").min(1, "must be a non-empty text");
  return z.strictObject(
    {
      context_signature: text.refine(isSignature, "must be a signature, as in {total :float}").optional(),
      /** The Step given as the context must have every input that the agent asks for, else `chain_error`. */
      strict_chain: z.boolean("must be true or false").optional(),
      /** The program of a compiled agent, run without asking a model. */
      program: text.optional(),
      /**
       * Short names of models. They are checked before the first turn, so that a bad one gives a result and not a
       * crash.
       */
      llm_registry: z.custom<NonNullable<AgentInput["llm_registry"]>>(() => true).optional(),
      llm_retry: LlmRetry().optional(),
      tool_cache: z.record(z.string(), z.json(), "must be a map of a cached call to its result").optional(),
      trace: z.union([z.boolean(), z.literal("on_error")], "must be true, false or on_error").optional(),
      collect_messages: z.boolean("must be true or false").optional(),
      /** Name of a listener that the worker knows; it receives the answer of a text agent as it comes. */
      on_chunk: text.optional(),
      /**
       * The principal that asks for the mission. It does not decide the mission's reviews, unless their terms allow it.
       */
      requested_by: text.optional(),
      cache: z.boolean("must be true or false").optional(),
      token_limit: positive().nullable().optional(),
      budget: budget().optional(),
      on_budget_exceeded: z.enum(["fail", "return_partial"], "must be fail or return_partial").optional(),
      max_heap: positive().optional(),
      initial_messages: messages().optional(),
    },
    {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? `has no option ${issue.keys?.map((key) => `"${key}"`).join(", ")}`
          : "must be a map of run options",
    },
  );
});

const positive = () => z.int("must be a positive integer").positive("must be a positive integer");

function budget() {
  return z
    .strictObject(
      {
        tokens: positive().optional(),
        cost: z.number("must be US dollars").positive("must be US dollars").optional(),
        when_spent: z.enum(["park", "end"], "must be park or end").optional(),
      },
      "must be a map of tokens, cost, when_spent",
    )
    .refine(
      ({ tokens, cost }) => tokens !== undefined || cost !== undefined,
      "must limit tokens, or cost in US dollars",
    );
}

function messages() {
  const NativeCall = z.object({
    id: z.string(),
    name: z.string(),
    args: z.record(z.string(), z.json()),
    args_error: z.string().exactOptional(),
  });
  return z.array(
    z.object({
      role: z.enum(["system", "user", "assistant", "tool"]),
      content: z.string(),
      tool_calls: z.array(NativeCall).exactOptional(),
      tool_call_id: z.string().exactOptional(),
      tool_name: z.string().exactOptional(),
    }),
    "must be a list of {role, content}",
  );
}

type Read = z.output<ReturnType<typeof RunOptions>>;
/** Without the options that were not given. */
export type RunOptions = { [K in keyof Read]?: Exclude<Read[K], undefined> };

/** The options as callers write them: options with defaults are optional. */
export type RunOptionsInput = z.input<ReturnType<typeof RunOptions>>;

/** The options that were given, so that they can be spread over an input. */
export const givenOptions = (options: Read): RunOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as RunOptions;

function isSignature(text: string): boolean {
  try {
    return parseSignature(text) !== undefined;
  } catch (error) {
    if (error instanceof SignatureError) return false;
    throw error;
  }
}
