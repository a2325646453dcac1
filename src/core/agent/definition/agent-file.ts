import { z } from "zod";
import { nameProblem } from "../../base/input/id-rule";
import { onFirstUse } from "../../base/on-first-use";
import { ModelSettings } from "../../calls/model-settings";
import { toolFields } from "../../calls/tool";
import { ON_OTHER_EFFECT } from "../../effects/effect-settings";
import { PeopleTerms } from "../../review/policy/terms";
import { LlmRetry } from "./llm-retry";

const words = onFirstUse(() => {
  const word = (expected: string) => z.string(expected).trim().min(1, expected);
  return {
    word,
    name: word("must be a non-empty text"),
    positive: z.int("must be a positive integer").positive("must be a positive integer"),
    countFrom0: z.int("must be an integer, 0 or more").min(0, "must be an integer, 0 or more"),
    flag: z.boolean("must be true or false"),
  };
});

/**
 * The fields of an agent file, after `plan` and `tools` have been brought into one form (agent reference, section 2).
 * The reference has the same names and defaults.
 */
export const AgentFile = onFirstUse(() =>
  z.strictObject({ ...workFields(), ...limitFields(), ...modelFields(), ...promptFields(), ...journalFields() }),
);

/** The fields for an agent's work and its tools. */
function workFields() {
  const { name, word } = words();
  return {
    name: name
      .refine((text) => text === "" || nameProblem(text) === undefined, {
        error: ({ input }) => `cannot be used: ${nameProblem(String(input))}`,
      })
      .optional(),
    description: name.optional(),
    prompt: word("a prompt is required: a text that describes the task"),
    signature: z.string("must be a signature, as in (order_id :int) -> {status :string}").optional(),
    tools: z.array(toolEntry(), "must be a list of tools, or a map of name to tool").default([]),
  };
}

function toolEntry() {
  const { name, word } = words();
  const LlmEntry = z.strictObject(
    {
      prompt: word("an LLM tool needs a prompt"),
      signature: z.string("an LLM tool needs a signature, as in (text :string) -> {urgent :bool}"),
      model: name.optional(),
      json_signature: z.string("must be a signature").optional(),
      response_template: z.string("must be a text").optional(),
      validator: name.optional(),
      model_settings: ModelSettings().optional(),
    },
    "must be a map with prompt and signature",
  );

  return z.strictObject(
    {
      ...toolFields(),
      /** An agent as a tool, which was parsed before. */
      agent: z.unknown().optional(),
      /** The agent itself as a tool. */
      self: z.literal(true, "must be true").optional(),
      llm: LlmEntry.optional(),
      /** The model of an agent as a tool, when the agent names none. */
      model: name.optional(),
    },
    "must be a tool's name, or a map with name, signature, description, effect, cache, timeout_ms, task_queue",
  );
}

/** Its limits. */
function limitFields() {
  const { countFrom0, positive } = words();
  return {
    max_turns: positive.default(5),
    retry_turns: countFrom0.default(0),
    turn_budget: positive.default(20),
    max_depth: positive.default(3),
    /**
     * Limit of one program in ms of the reference machine: counted as evaluation steps, so that every replay agrees.
     */
    timeout: positive.max(25_000, "must be at most 25000 ms").default(5000),
    /** Ms for the whole run, from its start. */
    mission_timeout: positive.nullable().default(null),
    /** Ms that a tool call in a parallel branch may take; null = the tool's own limit. */
    pmap_timeout: positive.nullable().default(null),
    pmap_max_concurrency: positive.max(500, "must be at most 500").default(8),
    /** Words of 8 bytes; null = the engine's limit. */
    max_heap: positive.nullable().default(null),
    loop_limit: positive.max(10_000, "must be at most 10000").default(1000),
    /** Bytes of the definitions kept between turns; null = unlimited. */
    memory_limit: positive.nullable().default(1_048_576),
    memory_strategy: z.enum(["strict", "rollback"], "must be strict or rollback").default("strict"),
    max_tool_calls: positive.nullable().default(null),
  };
}

const MODEL = "must be a model's name, a model object of the AI SDK, a function with a name, or a list of these";

/** The models that it asks. */
function modelFields() {
  const { name, positive } = words();
  return {
    /** One name, or several in the order in which they are tried. */
    model: name.or(z.array(name, MODEL).min(1, "must name a model")).optional(),
    /** Tokens of one answer at most; default with a budget: 4096. */
    max_output_tokens: positive.optional(),
    /** Of every call of its models. */
    model_settings: ModelSettings().optional(),
    llm_retry: LlmRetry().nullable().optional(),
  };
}

/** The fields for the prompts of its models and the form of their answers. */
function promptFields() {
  const { countFrom0, flag, name, positive } = words();
  const texts = z.record(z.string(), z.string("must be a text"), "must be a map of name to text");
  return {
    /**
     * The context is converted to the types of the signature's parameters. A value that does not fit is refused: by the
     * client, or by the run before its first turn. `false`: the run gets the context as it is.
     */
    validate_input: flag.default(true),
    system_prompt: z.string().trim().min(1, "must not be empty").or(systemPrompt()).optional(),
    prompt_limit: z.strictObject({ max_chars: positive }, "must be a map with max_chars").optional(),
    field_descriptions: texts.optional(),
    context_descriptions: texts.optional(),
    format_options: formatOptions().prefault({}),
    float_precision: countFrom0.max(15, "must be at most 15").default(2),
    thinking: flag.default(false),
    /** `text`: the model answers directly, in prose or JSON, with its provider's own tool calling. */
    output: z
      .enum(["ptc_lisp", "text", "json"], "must be ptc_lisp or text")
      .transform((output) => (output === "json" ? "text" : output))
      .default("ptc_lisp"),
    /** Adds the tool `llm-query`. */
    llm_query: flag.default(false),
    /** Families of builtin tools; there is `grep`, others are ignored. */
    builtin_tools: z.array(name, "must be a list of families, as in [grep]").default([]),
    /** With more tools the model is shown an index of them, and finds the others by a search; null = all are shown. */
    tools_in_prompt: positive.nullable().default(30),
    /** Tools that are always shown whole. */
    pinned_tools: z.array(name, "must be a list of tools' names").default([]),
    compression: compression().nullable().default(null),
  };
}

function systemPrompt() {
  return z.strictObject(
    {
      prefix: z.string("must be a text").optional(),
      suffix: z.string("must be a text").optional(),
      language_spec: z.string("must be a text").optional(),
      output_format: z.string("must be a text").optional(),
    },
    "must be a text, or a map of prefix, suffix, language_spec, output_format",
  );
}

function formatOptions() {
  const { positive } = words();
  return z.strictObject(
    {
      feedback_limit: positive.default(10),
      feedback_max_chars: positive.default(512),
      history_max_bytes: positive.default(1024),
      result_limit: positive.default(50),
      result_max_chars: positive.default(500),
      max_print_length: positive.default(2000),
    },
    "must be a map",
  );
}

function compression() {
  const { countFrom0, positive } = words();
  const options = z.strictObject(
    {
      println_limit: countFrom0.default(15),
      tool_call_limit: countFrom0.default(20),
      sample_limit: positive.default(3),
      sample_printable_limit: positive.default(80),
    },
    "must be a map of println_limit, tool_call_limit, sample_limit, sample_printable_limit",
  );
  return z.strictObject(
    {
      strategy: z.literal("single-user-coalesced", 'there is one strategy: "single-user-coalesced"'),
      options,
    },
    "must be true, false, or {strategy, options}",
  );
}

/** Its journal and its effects, the people it asks, and how it waits. */
function journalFields() {
  const { flag, name, positive, word } = words();
  const PlanEntry = z.strictObject(
    { id: word("a plan step needs a non-empty id"), description: word("a plan step needs a non-empty description") },
    "must be a text, a pair [id, description], or {id, description}",
  );

  return {
    plan: z.array(PlanEntry, "must be a list of steps").default([]),
    journaling: flag.optional(),
    /** Another effect under the id of a recorded task. A tool's own setting comes first. */
    on_other_effect: z.enum(ON_OTHER_EFFECT, "must be serve, ask, fail or rerun").default("serve"),
    /** The people who decide its reviews, and by when: a tool's own terms come first. */
    people: PeopleTerms().optional(),
    /** Programs may take back what a task did: `(undo "id")`. */
    undo: flag.optional(),
    /** `false`: each call of its programs is a separate activity (engine reference, section 16). */
    sequences: flag.optional(),
    /** `literal`: the prompt is sent as it stands, braces and all. */
    template: z.enum(["expand", "literal"], "must be expand or literal").default("expand"),
    /** A returned map whose `status` is this text parks the mission. */
    waiting_status: name.default("waiting"),
    /** How long a parked mission waits before it starts again automatically; null = without limit. */
    wait_timeout_ms: positive.nullable().default(null),
  };
}

/** Other names of options. */
export const ALIASES: Record<string, string> = { llm: "model" };

/** The default `format_options` of an agent (agent reference, section 2). */
export const defaultFormatOptions = (): z.output<ReturnType<typeof AgentFile>>["format_options"] =>
  AgentFile().shape.format_options.parse(undefined);
