import type { Json, JsonObject } from "../json";
import { describeFunction } from "../lisp/closure";
import { cutText } from "../lisp/cut-text";
import { fromJson } from "../lisp/encode";
import { LispError } from "../lisp/errors";
import { printValue } from "../lisp/print";
import type { Value } from "../lisp/values";
import { type Field, parseSignature, type Signature } from "../signature/parse";
import { renderParameterWords, renderType } from "../signature/render";
import type { ToolSpec } from "../tool";
import { type AgentDefinition, isSingleShot, toolSpecs } from "./definition";
import { type CardPart, languageCard } from "./language-card";
import {
  fillTemplate,
  hasSections,
  parseTemplate,
  referTemplate,
  simplePaths,
  type Template,
  TemplateError,
  valueAt,
} from "./template";

/**
 * What the model reads (agent reference, section 8). The system text is the same on every turn as long as the journal
 * does not change, so that providers can cache it; the Mission Log comes last in it. An agent of a single call has all
 * but the mission itself in its system text.
 *
 * @param prompt the mission, its placeholders filled
 */
export function systemPrompt(
  agent: AgentDefinition,
  data: JsonObject,
  prompt: string,
  journaling: boolean,
  missionLog: string,
): string {
  const inventory = isSingleShot(agent) ? firstMessage(agent, data, prompt, "") : "";
  return joined(constantPrompt(agent, journaling, inventory), missionLog);
}

/** The first message to the model. */
export function openingMessage(agent: AgentDefinition, data: JsonObject, prompt: string, progress: string): string {
  return isSingleShot(agent) ? prompt : firstMessage(agent, data, prompt, progress);
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
  const limit = agent.prompt_limit?.max_chars;
  if (limit === undefined || text.length <= limit) return text;
  return `${cutText(text, limit)}\n\n(The system prompt was cut to ${limit} characters.)`;
}

const joined = (...parts: string[]): string => parts.filter((part) => part !== "").join("\n\n");

const ROLE =
  "<role>\nYou carry out a mission by writing small programs. They run in a sandbox with the tools and data listed below.\n</role>";

function card(agent: AgentDefinition, journaling: boolean): string {
  const parts = new Set<CardPart>([agent.max_turns > 1 || agent.retry_turns > 0 ? "loop" : "single"]);
  if (agent.tools.length > 0) parts.add("tools");
  if (journaling) parts.add("journal");
  return languageCard(parts, agent.format_options.feedback_max_chars);
}

function outputFormat(agent: AgentDefinition): string {
  const block = "Answer with exactly one fenced block tagged clojure.";
  return agent.thinking ? `You may reason in one paragraph first. ${block}` : block;
}

/** What there is to work with, and the mission. Empty parts are left out. */
function firstMessage(agent: AgentDefinition, data: JsonObject, prompt: string, progress: string): string {
  const signature = signatureOf(agent);
  return joined(
    toolInventory(toolSpecs(agent)),
    dataInventory(agent, data, signature),
    signature ? expectedOutput(agent, signature) : "",
    agent.max_tool_calls === null ? "" : `;; At most ${agent.max_tool_calls} tool calls a turn.`,
    `<mission>\n${prompt}\n</mission>`,
    progress,
  );
}

export function signatureOf(agent: AgentDefinition): Signature | undefined {
  return agent.signature === undefined ? undefined : parseSignature(agent.signature);
}

function toolInventory(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return ";; No tools available";
  const lines = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)).map((tool) => toolLine(tool));
  const example = tools.map((tool) => usageLine(tool)).find((line) => line !== undefined);
  return [";; === tools ===", ...lines, ...(example ? [example] : [])].join("\n");
}

function toolLine(tool: ToolSpec): string {
  const signature = tool.signature === undefined ? undefined : parseSignature(tool.signature);
  const call = signature
    ? `(${renderParameterWords(signature.parameters)}) -> ${renderType(signature.output).replaceAll(":", "")}`
    : "(...)";
  return `tool/${tool.name}${call}${tool.description ? `  ; ${tool.description}` : ""}`;
}

function usageLine(tool: ToolSpec): string | undefined {
  if (tool.signature === undefined) return undefined;
  const { parameters } = parseSignature(tool.signature);
  if (parameters.length === 0) return undefined;
  return `;; Call with named arguments: (tool/${tool.name} {${parameters.map((field) => `:${field.name} ...`).join(" ")}})`;
}

function dataInventory(agent: AgentDefinition, data: JsonObject, signature: Signature | undefined): string {
  const names = Object.keys(data).sort();
  if (names.length === 0) return "";
  const lines = names.map((name) => {
    const type = fieldNamed(signature?.parameters, name);
    const shown = describeData(data[name] as Json);
    const word = type ? renderType(type.type).replaceAll(":", "") : shown.type;
    const sample = name.startsWith("_") ? "[Hidden] [Firewalled]" : `sample: ${shown.sample}`;
    const text = agent.context_descriptions?.[name];
    return `${`data/${name}`.padEnd(30)}; ${word}, ${sample}${text ? ` -- ${text}` : ""}`;
  });
  return [";; === data/ ===", ...lines].join("\n");
}

function describeData(json: Json): { type: string; sample: string } {
  try {
    const value = fromJson(json);
    return { type: typeWordOf(value), sample: sampleOf(value) };
  } catch (error) {
    // Nested too deep to be printed. Programs that touch it get an error of their own.
    if (error instanceof LispError) return { type: "any", sample: `(${error.message})` };
    throw error;
  }
}

const fieldNamed = (fields: readonly Field[] | undefined, name: string) =>
  fields?.find((field) => field.name.replaceAll("-", "_") === name.replaceAll("-", "_"));

function sampleOf(value: Value): string {
  const text = printValue(value, { items: 3, chars: 80 });
  return text.length > 80 ? `${cutText(text, 77)}...` : text;
}

/** The word for a value in inventories: `list[3] map[2] string integer ...`. */
function typeWordOf(value: Value): string {
  if (value === null) return "nil";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number" || typeof value === "bigint") return "integer";
  switch (value.tag) {
    case "vector":
      return `list[${value.length}]`;
    case "map":
      return `map[${value.size}]`;
    case "set":
      return `set[${value.size}]`;
    case "closure":
      return `#fn[${describeFunction(value).params.join(" ")}]`;
    default:
      return value.tag;
  }
}

function expectedOutput(agent: AgentDefinition, { output }: Signature): string {
  const descriptions = Object.entries(agent.field_descriptions ?? {}).map(([field, text]) => `- ${field}: ${text}`);
  return ["# Expected Output", renderType(output), ...descriptions, `Example: (return ${exampleOf(output)})`].join(
    "\n",
  );
}

function exampleOf(type: Signature["output"]): string {
  switch (type.kind) {
    case "list":
      return `[${exampleOf(type.of)}]`;
    case "record":
      return `{${type.fields.map((field) => `:${field.name} ${exampleOf(field.type)}`).join(" ")}}`;
    case "primitive":
      return { string: '"..."', int: "1", float: "1.5", bool: "true", keyword: ":a", map: "{}", any: '"..."' }[
        type.name
      ];
  }
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
    // A template that cannot be read is used as it stands.
    if (error instanceof TemplateError) return agent.prompt;
    throw error;
  }
  const missing = simplePaths(template).filter((path) => valueAt(path, data) === undefined);
  if (missing.length > 0) {
    const list = missing.map((path) => `{{${path}}}`).join(", ");
    throw new TemplateError(`no value for ${list}: complete the context`);
  }
  return isSingleShot(agent) || hasSections(template)
    ? fillTemplate(template, data)
    : referTemplate(template, (path) => `~{data/${path}}`);
}
