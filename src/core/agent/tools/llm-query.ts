import { failed, ok, type Result } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import type { LlmToolSpec } from "../definition/definition";

/** The builtin tool `llm-query`: a question that a program makes up itself (agent reference, section 4.4). */
export const LLM_QUERY = {
  kind: "llm-query" as const,
  spec: {
    name: "llm-query",
    effect: "write" as const,
    description:
      'Asks a model one question: {:prompt "Is {{text}} urgent?" :signature "{urgent :bool}" :text ...}. :signature (default ":string") is what comes back; every other argument fills its {{placeholder}}',
  },
};

/** Reads the arguments of a call of `llm-query`: the tool that they describe, and the values for its placeholders. */
export function readLlmQuery(args: JsonObject): Result<{ llm: LlmToolSpec; context: JsonObject }> {
  const { prompt, signature = ":string", llm, response_template, ...context } = args;
  const texts = { prompt, signature, llm: llm ?? "caller", response_template: response_template ?? "" };
  const wrong = Object.entries(texts).find(([, value]) => typeof value !== "string");
  if (typeof prompt !== "string" || prompt.trim() === "") return refused("needs :prompt, a non-empty text");
  if (wrong) return refused(`:${wrong[0]} must be a text`);
  return ok({
    llm: {
      prompt,
      signature: signature as string,
      model: texts.llm as string,
      ...(response_template === undefined ? {} : { response_template: response_template as string }),
    },
    context,
  });
}

const refused = (message: string): Result<never> =>
  failed("tool_error", `llm-query ${message}`, { tool: LLM_QUERY.spec.name });
