import type { JsonObject } from "../../base/json";
import { joinLines } from "../../base/one-line";
import type { NativeTool } from "../../calls/host";
import { exampleJson } from "../../signature/example";
import { outputSchema, parametersSchema } from "../../signature/json-schema/write-schema";
import { parseSignature, type Type } from "../../signature/parse";
import { renderType } from "../../signature/render";
import type { AgentDefinition } from "../definition/definition";
import { agentSignature } from "../definition/definition";
import type { RunTool } from "../tools/run-tools";
import { type DataLabels, dataInventory } from "./inventory";
import { joined, withinPromptLimit } from "./prompt";

/** The prompts of text mode (agent reference, section 15). */

/** The type of a structured answer; null when the answer is prose. */
export function answerType(agent: AgentDefinition): Type | null {
  const output = agentSignature(agent)?.output;
  if (output === undefined) return null;
  return output.kind === "primitive" && output.name === "string" ? null : output;
}

/** The system prompt of a run in text mode (agent reference, section 15). It never changes during the run. */
export function textSystemPrompt(agent: AgentDefinition, hasTools: boolean): string {
  const custom = agent.system_prompt;
  const text =
    typeof custom === "string"
      ? custom
      : joined(
          custom?.prefix ?? "",
          "You are a careful assistant that does what the mission asks.",
          hasTools ? "Use the tools where they help; answer when you know enough." : "",
          custom?.output_format ??
            (answerType(agent) ? "Answer with JSON only: no other text before or behind it." : ""),
          custom?.suffix ?? "",
        );
  return withinPromptLimit(agent, text);
}

/**
 * The first user message in text mode.
 *
 * @param prompt the mission, its placeholders filled
 */
export function textOpening(
  agent: AgentDefinition,
  labels: DataLabels,
  data: JsonObject,
  prompt: string,
  hasTools: boolean,
): string {
  const type = answerType(agent);
  if (!hasTools) return type === null ? prompt : joined(`<task>\n${prompt}\n</task>`, expectedJson(agent, type));
  const inventory = dataInventory(agent, labels, data);
  return joined(
    inventory === "" ? "" : `<context_data>\n${inventory}\n</context_data>`,
    `<output_format>\n${type === null ? "Plain text." : `JSON: ${renderType(type)}`}\n</output_format>`,
    type === null ? "" : expectedJson(agent, type),
    `<mission>\n${prompt}\n</mission>`,
  );
}

function expectedJson(agent: AgentDefinition, type: Type): string {
  const fields = type.kind === "record" ? type.fields : [];
  const lines = fields.map(({ name, type: fieldType }) => {
    const text = agent.field_descriptions?.[name];
    return `- ${name} (${renderType(fieldType)})${text ? `: ${joinLines(text)}` : ""}`;
  });
  const whole = fields.length === 0 ? [`JSON of the type ${renderType(type)}`] : ["A JSON object with the fields:"];
  return ["<expected_output>", ...whole, ...lines, `Example: ${exampleJson(type)}`, "</expected_output>"].join("\n");
}

/** The schema of the answer, for providers that support schemas. */
export function answerSchema(agent: AgentDefinition): JsonObject | undefined {
  const type = answerType(agent);
  return type === null ? undefined : outputSchema(type);
}

/** The name of a tool in the form that providers allow: `-` becomes `_`. */
export const nativeName = (name: string): string => name.replaceAll("-", "_");

/** The tools as a provider is given them, with JSON Schemas of their parameters (agent reference, section 15). */
export function nativeTools(tools: Iterable<RunTool>): NativeTool[] {
  return [...tools].map(({ spec }) => ({
    name: nativeName(spec.name),
    description: spec.description ?? spec.name,
    parameters:
      spec.signature === undefined
        ? { type: "object", properties: {}, additionalProperties: true }
        : parametersSchema(parseSignature(spec.signature).parameters),
  }));
}

/** Whether the agent returns plain text: it has no signature, or one whose output is a string. */
export const textReturn = (agent: AgentDefinition): boolean => answerType(agent) === null;
