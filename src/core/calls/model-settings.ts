import { z } from "zod";
import { isObject } from "../base/is-object";
import { onFirstUse } from "../base/on-first-use";

/**
 * How a model answers (agent reference, section 5.5): settings of every call of an agent or an LLM tool. They travel in
 * the definition, so they contain no secrets: keys belong into the worker's environment.
 */
export const ModelSettings = onFirstUse(() => {
  const positive = z.int("must be a positive integer").positive("must be a positive integer");
  const between = (least: number, most: number) => {
    const expected = `must be a number from ${least} to ${most}`;
    return z.number(expected).min(least, expected).max(most, expected);
  };
  return z.strictObject(
    {
      temperature: between(0, 2).optional(),
      top_p: between(0, 1).optional(),
      top_k: positive.optional(),
      /** Tokens of one answer at most. */
      max_output_tokens: positive.optional(),
      /** The answer ends before the first of these texts. */
      stop_sequences: z
        .array(z.string("must be a list of texts").min(1, "must not be empty"), "must be a list of texts")
        .min(1, "must name a text")
        .optional(),
      /** For models that can give the same answer to the same call. */
      seed: z.int("must be an integer").optional(),
      presence_penalty: between(-2, 2).optional(),
      frequency_penalty: between(-2, 2).optional(),
      /** By provider, in the provider's own words. */
      provider_options: providerOptions().optional(),
      /** HTTP headers, sent besides the provider's own. */
      headers: headers().optional(),
    },
    "must be a map of temperature, top_p, top_k, max_output_tokens, stop_sequences, seed, presence_penalty, frequency_penalty, provider_options, headers",
  );
});
export type ModelSettings = z.output<ReturnType<typeof ModelSettings>>;

function providerOptions() {
  const expected = "must be a map of provider to options, as in {openai: {serviceTier: flex}}";
  return z.record(z.string(), z.record(z.string(), z.json(), expected), expected).superRefine((given, context) => {
    for (const path of secretPaths(given))
      context.addIssue({ code: "custom", path, message: noSecret(`"${String(path.at(-1))}"`) });
  });
}

function headers() {
  const expected = "must be a map of header name to text";
  return z.record(z.string(), z.string(expected), expected).superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      const message = headerProblem(name, value);
      if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
    }
  });
}

/** The settings of one model call. Its token limit is set separately: a budget may lower it. */
export type CallSettings = Omit<ModelSettings, "max_output_tokens">;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** Parts of names: `X-Goog-Api-Key` and `x-auth-token`, and neither `x-author` nor `x-monkey`. */
const SECRET_HEADER =
  /(^|[-_])(auth(entication|orization)?|cookies?|credentials?|password|signature|[a-z]*(secret|token)|(access|api|private)?key)([-_]|$)/i;
const SECRET_OPTION =
  /^(.*secret|password|authorization|credentials|token|.*(api|access|private|secret)[-_]?key|(access|auth|bearer|id|refresh|session)[-_]?token)$/i;

function headerProblem(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return "is no name of an HTTP header";
  if (SECRET_HEADER.test(name)) return noSecret(`the header "${name}"`);
  return HEADER_VALUE.test(value) ? undefined : "must be a text of one line, in ASCII";
}

const noSecret = (what: string): string =>
  `${what} contains a secret, and a definition must not contain one: set the provider's key where the worker runs`;

function secretPaths(value: unknown, path: PropertyKey[] = []): PropertyKey[][] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, i) => secretPaths(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    SECRET_OPTION.test(key) ? [[...path, key]] : secretPaths(inner, [...path, key]),
  );
}
