import type { JsonObject } from "../../base/json";
import { joinLines } from "../../base/one-line";
import { cutText } from "../../base/whole-characters";
import { exampleOf } from "../../signature/example";
import { renderType } from "../../signature/render";
import { type AgentDefinition, agentSignature } from "../definition/definition";
import {
  fillTemplate,
  hasSections,
  parseTemplate,
  referTemplate,
  simplePaths,
  type Template,
  TemplateError,
  valueAt,
} from "../definition/template";
import { isSingleShot, toolSpecs } from "../tools/run-tools";
import { type DataLabels, dataInventory, toolInventory } from "./inventory";
import { type CardPart, languageCard } from "./language-card";

/**
 * The prompts of an agent (agent reference, section 8). The system text is the same on every turn, so that providers
 * can cache it; the Mission Log of the first turn is last in it. For an agent of a single call
 * everything but the mission is in the system text.
 *
 * @param prompt the mission, its placeholders filled
 */
export function systemPrompt(
  agent: AgentDefinition,
  labels: DataLabels,
  data: JsonObject,
  prompt: string,
  journaling: boolean,
  missionLog: string,
): string {
  const inventory = isSingleShot(agent) ? firstMessage(agent, labels, data, prompt, "") : "";
  return joined(constantPrompt(agent, journaling, inventory), missionLog);
}

/** The first user message (agent reference, section 8.2). */
export function openingMessage(
  agent: AgentDefinition,
  labels: DataLabels,
  data: JsonObject,
  prompt: string,
  progress: string,
): string {
  return isSingleShot(agent) ? prompt : firstMessage(agent, labels, data, prompt, progress);
}

function constantPrompt(agent: AgentDefinition, journaling: boolean, inventory: string): string {
  const custom = agent.system_prompt;
  const text =
    typeof custom === "string"
      ? joined(custom, inventory)
      : joined(
          custom?.prefix ?? "",
          ROLE,
          `<language_reference>\n${custom?.language_spec ?? card(agent, journaling)}\n</language_reference>`,
          inventory,
          `<output_format>\n${custom?.output_format ?? outputFormat(agent)}\n</output_format>`,
          custom?.suffix ?? "",
        );
  return withinPromptLimit(agent, text);
}

/** A system prompt within the agent's limit, with a note about the cut. */
export function withinPromptLimit({ prompt_limit }: AgentDefinition, text: string): string {
  const limit = prompt_limit?.max_chars;
  if (limit === undefined || text.length <= limit) return text;
  return `${cutText(text, limit)}\n\n(The system prompt was cut to ${limit} characters.)`;
}

/** The parts that are not empty, with an empty line between them. */
export const joined = (...parts: string[]): string => parts.filter((part) => part !== "").join("\n\n");

const ROLE =
  "<role>\nYou carry out a mission by writing small programs. They run in a sandbox with the tools and data listed below.\n</role>";

function card(agent: AgentDefinition, journaling: boolean): string {
  const parts = new Set<CardPart>([agent.max_turns > 1 || agent.retry_turns > 0 ? "loop" : "single"]);
  if (toolSpecs(agent).length > 0) parts.add("tools");
  if (journaling) parts.add("journal");
  if (agent.undo) parts.add("undo");
  return languageCard(parts, agent.format_options.feedback_max_chars);
}

function outputFormat(agent: AgentDefinition): string {
  const block = "Answer with exactly one fenced block tagged clojure.";
  return agent.thinking ? `You may reason in one paragraph first. ${block}` : block;
}

/** The available tools and data, and the mission. Empty parts are left out. */
function firstMessage(
  agent: AgentDefinition,
  labels: DataLabels,
  data: JsonObject,
  prompt: string,
  progress: string,
): string {
  return joined(
    toolInventory(agent),
    dataInventory(agent, labels, data),
    expectedOutput(agent),
    agent.max_tool_calls === null ? "" : `;; At most ${agent.max_tool_calls} tool calls a turn.`,
    `<mission>\n${prompt}\n</mission>`,
    progress,
  );
}

/** "" for an agent without a signature. */
export function expectedOutput(agent: AgentDefinition): string {
  const output = agentSignature(agent)?.output;
  if (output === undefined) return "";
  const descriptions = Object.entries(agent.field_descriptions ?? {}).map(
    ([field, text]) => `- ${field}: ${joinLines(text)}`,
  );
  return ["# Expected Output", renderType(output), ...descriptions, `Example: (return ${exampleOf(output)})`].join(
    "\n",
  );
}

/**
 * The mission text. In a loop a simple placeholder becomes a reference to its data, which the inventory shows; with
 * sections, and for agents of a single call, values are inserted.
 *
 * @throws TemplateError naming placeholders that have no value.
 */
export function missionText(agent: AgentDefinition, data: JsonObject): string {
  if (agent.template === "literal") return agent.prompt;
  let template: Template;
  try {
    template = parseTemplate(agent.prompt);
  } catch (error) {
    // An invalid template is used as plain text.
    if (error instanceof TemplateError) return agent.prompt;
    throw error;
  }
  const missing = simplePaths(template).filter((path) => valueAt(path, data) === undefined);
  if (missing.length > 0) {
    const list = missing.map((path) => `{{${path}}}`).join(", ");
    throw new TemplateError(`no value for ${list}: complete the context`);
  }
  return isSingleShot(agent) || agent.output === "text" || hasSections(template)
    ? fillTemplate(template, data)
    : referTemplate(template, (path) => `~{data/${path}}`);
}
