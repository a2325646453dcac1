import type { Json, JsonObject } from "../../base/json";
import { escapeLineBreaks, joinLines } from "../../base/one-line";
import { cutText } from "../../base/whole-characters";
import type { ToolSpec } from "../../calls/tool";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { printValue } from "../../lisp/values/print";
import type { Value } from "../../lisp/values/values";
import { describeFunction } from "../../lisp/values/values";
import { type Field, parseSignature, SignatureError, wireName } from "../../signature/parse";
import { renderParameterWords, renderType } from "../../signature/render";
import type { AgentInput } from "../definition/agent-input";
import type { AgentDefinition } from "../definition/definition";
import { toolSpecs } from "../tools/run-tools";
import { shownTools, toolIndex } from "./tool-index";

/** The available tools and data as the model reads them (agent reference, section 8.2). */

/**
 * The tools of an agent: all of them, or with many tools those that are always shown, and an index.
 *
 * @param found names of tools that a search has found
 */
export function toolInventory(agent: AgentDefinition, found: readonly string[] = []): string {
  const tools = toolSpecs(agent);
  if (tools.length === 0) return ";; No tools available";
  const { whole, indexed } = shownTools(agent, tools, found);
  const lines = toolLines(whole);
  if (indexed !== null) return [";; === tools ===", ...lines, ...indexLines(indexed)].join("\n");
  const example = tools.map((tool) => usageLine(tool)).find((line) => line !== undefined);
  return [";; === tools ===", ...lines, ...(example ? [example] : [])].join("\n");
}

/** The tools that a search of the last program has found, for the next message; "" when there are none. */
export function foundTools(agent: AgentDefinition, found: readonly string[]): string {
  const tools = toolSpecs(agent).filter(({ name }) => found.includes(name));
  return tools.length === 0 ? "" : [";; === tools found ===", ...toolLines(tools)].join("\n");
}

const toolLines = (tools: readonly ToolSpec[]): string[] =>
  [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)).map((tool) => toolLine(tool));

const indexLines = (tools: readonly ToolSpec[]): string[] => [
  `;; There are ${tools.length} tools. Most are not listed: here are their groups, and some names.`,
  ...toolIndex(tools).map((line) => `;;   ${line}`),
  ';; Find tools by (tool-search "words for what you need"). The next message lists what it found, with arguments.',
  ";; Call one by (tool/name {:argument value}). Every tool can be called, listed or not.",
];

function toolLine(tool: ToolSpec): string {
  const signature = tool.signature === undefined ? undefined : parseSignature(tool.signature);
  const call = signature
    ? `(${renderParameterWords(signature.parameters)}) -> ${renderType(signature.output).replaceAll(":", "")}`
    : "(...)";
  return `tool/${tool.name}${call}${tool.description ? `  ; ${joinLines(tool.description)}` : ""}`;
}

function usageLine(tool: ToolSpec): string | undefined {
  if (tool.signature === undefined) return undefined;
  const { parameters } = parseSignature(tool.signature);
  if (parameters.length === 0) return undefined;
  return `;; Call with named arguments: (tool/${tool.name} {${parameters.map((field) => `:${field.name} ...`).join(" ")}})`;
}

/** Sources of the descriptions besides data: the agent itself, and the previous Step of a chain. */
export type DataLabels = Pick<AgentInput, "context_signature" | "upstream">;

/** The data by name, with type, sample and description; "" when there is none. */
export function dataInventory(
  agent: AgentDefinition,
  labels: DataLabels,
  data: JsonObject,
  limits: SampleLimits = SAMPLE,
): string {
  const names = Object.keys(data).sort();
  if (names.length === 0) return "";
  const parameters = agent.signature === undefined ? [] : parseSignature(agent.signature).parameters;
  const upstream = upstreamFields(labels.context_signature);
  const lines = names.map((name) => {
    const type = fieldNamed(parameters, name) ?? fieldNamed(upstream, name);
    const shown = describeData(data[name] as Json, limits);
    const word = type ? renderType(type.type).replaceAll(":", "") : shown.type;
    const sample = name.startsWith("_") ? "[Hidden] [Firewalled]" : `sample: ${shown.sample}`;
    const text = described(labels.upstream?.field_descriptions, name) ?? described(agent.context_descriptions, name);
    return `${`data/${escapeLineBreaks(name)}`.padEnd(30)}; ${word}, ${sample}${text ? ` -- ${joinLines(text)}` : ""}`;
  });
  return [";; === data/ ===", ...lines].join("\n");
}

function upstreamFields(signature: string | undefined): readonly Field[] {
  if (signature === undefined) return [];
  try {
    const { output } = parseSignature(signature);
    return output.kind === "record" ? output.fields : [];
  } catch (error) {
    // A hand-made Step: its labels are missing, its data are there.
    if (error instanceof SignatureError) return [];
    throw error;
  }
}

function describeData(json: Json, limits: SampleLimits): { type: string; sample: string } {
  try {
    const value = fromJson(json);
    return { type: typeWordOf(value), sample: sampleOf(value, limits) };
  } catch (error) {
    // Nested too deep to be printed. Programs that use it get their own error.
    if (error instanceof LispError) return { type: "any", sample: `(${error.message})` };
    throw error;
  }
}

function described(texts: { [name: string]: string } | null | undefined, name: string): string | undefined {
  return Object.entries(texts ?? {}).find(([key]) => wireName(key) === wireName(name))?.[1];
}

const fieldNamed = (fields: readonly Field[], name: string) =>
  fields.find((field) => wireName(field.name) === wireName(name));

/** How much of a value a sample shows. */
export interface SampleLimits {
  items: number;
  chars: number;
}
export const SAMPLE: SampleLimits = { items: 3, chars: 80 };

/** Prints a value in one line of limited length. */
export function sampleOf(value: Value, { items, chars }: SampleLimits = SAMPLE): string {
  const text = escapeLineBreaks(printValue(value, { items, chars }));
  return text.length > chars ? `${cutText(text, Math.max(1, chars - 3))}...` : text;
}

/** The word for a value in inventories: `list[3] map[2] string integer ...`. */
export function typeWordOf(value: Value): string {
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
