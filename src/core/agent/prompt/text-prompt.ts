import type { JsonObject } from "../../base/json";
import { joinLines } from "../../base/one-line";
import type { NativeTool } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import { exampleJson } from "../../signature/example";
import { outputSchema, parametersSchema } from "../../signature/json-schema/write-schema";
import { parseSignature, type Type } from "../../signature/parse";
import { renderType } from "../../signature/render";
import type { AgentDefinition } from "../definition/definition";
import { agentSignature } from "../definition/definition";
import { nativeName } from "../definition/native-name";
import { MAX_SEARCH_LIMIT } from "../tools/tool-search";
import { type DataLabels, dataInventory } from "./inventory";
import { joined, withinPromptLimit } from "./prompt";
import { shownTools, toolIndex } from "./tool-index";

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
            (answerType(agent) ? "Answer with JSON only: no other text before or after it." : ""),
          custom?.suffix ?? "",
        );
  return withinPromptLimit(agent, text);
}

/**
 * The first user message in text mode.
 *
 * @param prompt the mission, its placeholders filled
 * @param missionLog what earlier attempts of the mission have recorded; "" without any
 */
export function textOpening(
  agent: AgentDefinition,
  labels: DataLabels,
  data: JsonObject,
  prompt: string,
  hasTools: boolean,
  missionLog = "",
): string {
  const type = answerType(agent);
  if (!hasTools) return type === null ? prompt : joined(`<task>\n${prompt}\n</task>`, expectedJson(agent, type));
  const inventory = dataInventory(agent, labels, data);
  return joined(
    inventory === "" ? "" : `<context_data>\n${inventory}\n</context_data>`,
    `<output_format>\n${type === null ? "Plain text." : `JSON: ${renderType(type)}`}\n</output_format>`,
    type === null ? "" : expectedJson(agent, type),
    `<mission>\n${prompt}\n</mission>`,
    missionLog === "" ? "" : `<mission_log>\n${missionLog}\n\n${RECORDED}\n</mission_log>`,
  );
}

const RECORDED =
  "This was done before in this mission. A tool call that is listed here is not made again: you are given its recorded answer.";

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

/** The tools as a provider is given them, with JSON Schemas of their parameters (agent reference, section 15). */
export function nativeTools(tools: Iterable<ToolSpec>): NativeTool[] {
  return [...tools].map((spec) => ({
    name: nativeName(spec.name),
    description: spec.description ?? spec.name,
    parameters:
      spec.signature === undefined
        ? { type: "object", properties: {}, additionalProperties: true }
        : parametersSchema(parseSignature(spec.signature).parameters),
  }));
}

/**
 * The tools that the model of a run is offered: all of them, or with many tools those that are always shown, the
 * search, and those that it has found. Found tools come last: providers cache a call up to the first byte that differs
 * from the one before.
 *
 * @param found names of tools that a search has found
 */
export function offeredTools(
  agent: AgentDefinition,
  tools: readonly ToolSpec[],
  found: readonly string[] = [],
): NativeTool[] {
  const { whole, indexed } = shownTools(agent, tools, found);
  if (indexed === null) return nativeTools(whole);
  const isPinned = ({ name }: ToolSpec) => agent.pinned_tools.includes(name);
  const later = whole.filter((tool) => !isPinned(tool));
  return [...nativeTools(whole.filter(isPinned)), searchTool(indexed), ...nativeTools(later)];
}

/** The name of the native search: the agent's own tool of that name keeps it. */
export function searchName(tools: readonly Pick<ToolSpec, "name">[]): string {
  return tools.some(({ name }) => nativeName(name) === TOOL_SEARCH) ? `navigator_${TOOL_SEARCH}` : TOOL_SEARCH;
}

const TOOL_SEARCH = "tool_search";

function searchTool(tools: readonly ToolSpec[]): NativeTool {
  const index = toolIndex(tools).join("\n");
  return {
    name: searchName(tools),
    description: `Finds tools by words for what you need. There are ${tools.length} tools, and most are not listed here: what you find you can call from your next message on. Groups of tools, and some names:\n${index}`,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What the tool should do, as in: refund a payment" },
        limit: { type: "integer", minimum: 1, maximum: MAX_SEARCH_LIMIT },
      },
      required: ["query"],
      additionalProperties: false,
    },
  };
}

/** Whether the agent returns plain text: it has no signature, or one whose output is a string. */
export const textReturn = (agent: AgentDefinition): boolean => answerType(agent) === null;
