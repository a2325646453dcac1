import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { runAlone } from "../../lisp/machine/run-alone";
import { LispError } from "../../lisp/values/errors";
import { toPlainJson } from "../../lisp/values/plain-json";
import { parseSignature, type Signature } from "../../signature/parse";
import { renderSignature } from "../../signature/render";
import type { AgentDefinition, LlmToolSpec } from "../definition/definition";
import { parseAgent } from "../definition/parse-agent";
import { parseTemplate, TemplateError, templateNames } from "../definition/template";
import { filledProgram } from "./response-template";

/**
 * The text agent of one turn that answers the calls of an LLM tool (agent reference, section 4.4). A failure names the
 * mistake in its prompt or signature.
 */
export function llmAgent(name: string, llm: LlmToolSpec): Result<AgentDefinition> {
  const parsed = parseAgent({
    name,
    prompt: llm.prompt,
    ...contractOf(llm),
    output: "text",
    max_turns: 1,
    ...(llm.model === undefined || llm.model === "caller" ? {} : { model: llm.model }),
    ...defined({ model_settings: llm.model_settings }),
  });
  return parsed.ok ? parsed : failed("tool_error", parsed.fail.message, { tool: name, ...parsed.fail.details });
}

/**
 * Reads the tool's parameters that the prompt uses, and the type of the model's answer. parseAgent reports what cannot
 * be read.
 */
function contractOf({ prompt, signature, json_signature }: LlmToolSpec): {
  signature: string;
  validate_input: boolean;
} {
  try {
    const { parameters, output }: Signature = parseSignature(signature);
    const used = templateNames(prompt);
    // A question that a program composes has no declaration: the names in its prompt are its parameters.
    const isDeclared = parameters.length > 0;
    const asked = renderSignature({
      parameters: !isDeclared
        ? used.map((name) => ({ name, type: { kind: "primitive", name: "any", optional: false } }))
        : parameters.filter((field) => used.includes(field.name)),
      output: json_signature === undefined ? output : parseSignature(json_signature).output,
    });
    return { signature: asked.replace(/^\(\) -> /, ""), validate_input: isDeclared };
  } catch {
    return { signature: json_signature ?? signature, validate_input: false };
  }
}

/** The result of an LLM tool: the model's answer, or the value of its response template. */
export function llmAnswer(name: string, { response_template }: LlmToolSpec, answer: Json): Result<Json> {
  if (response_template === undefined) return ok(answer);
  const fields = typeof answer === "object" && answer !== null && !Array.isArray(answer) ? answer : { value: answer };
  const refused = (why: string) => failed("tool_error", `${name} response_template failed: ${why}`, { tool: name });
  try {
    const { outcome: end } = runAlone(filledProgram(parseTemplate(response_template), fields as JsonObject));
    if (end.kind === "error") return refused(end.fail.message);
    return end.kind === "fail" ? refused("it called (fail ...)") : ok(toPlainJson(end.value));
  } catch (error) {
    if (error instanceof TemplateError || error instanceof LispError) return refused(error.message);
    throw error;
  }
}
