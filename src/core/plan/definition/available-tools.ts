import { type AgentTool, isWorkerTool } from "../../agent/definition/definition";
import { PRIMITIVES } from "../../signature/parse";

/** `Description. Input: {a: type}. Output: {b: type}` as a signature: `(a :type) -> {b :type}`. */
export function describedSignature(text: string): string {
  const input = fieldsAfter("input", text);
  const output = fieldsAfter("output", text);
  return `(${input ?? ""}) -> ${output === null ? ":any" : `{${output}}`}`;
}

/** The text between the braces after a label, as fields of a signature. Nested braces are not parsed. */
function fieldsAfter(label: "input" | "output", text: string): string | null {
  const found = new RegExp(`${label}\\s*:\\s*\\{([^{}]*)\\}`, "i").exec(text)?.[1];
  if (found === undefined) return null;
  const fields = found
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "")
    .map((field) => {
      const [name = "", type = ""] = field.split(":", 2).map((part) => part.trim());
      return `${name} ${typeText(type)}`;
    });
  return fields.length === 0 ? null : fields.join(", ");
}

const TYPES: { [word: string]: string } = {
  ...Object.fromEntries(PRIMITIVES.map((name) => [name, name])),
  str: "string",
  text: "string",
  integer: "int",
  number: "float",
  double: "float",
  boolean: "bool",
  object: "map",
};

/** A word for a type as in a signature; an unknown one is :any. */
function typeText(word: string): string {
  const [, list, name = "", optional = ""] = /^(\[)?\s*:?(\w*)(\?)?\s*\]?$/.exec(word.toLowerCase()) ?? [];
  if (list !== undefined) return `[${typeText(name)}]`;
  return `:${Object.hasOwn(TYPES, name) ? TYPES[name] : "any"}${optional}`;
}

/** The text without the parts that the signature repeats. */
const describedPurpose = (text: string): string =>
  text
    .replace(/\s*(input|output)\s*:\s*\{[^{}]*\}\s*\.?/gi, "")
    .trim()
    .replace(/\.$/, "");

/** The tools, with the given descriptions for those that have none. A tool with a signature keeps it. */
export function describedTools(tools: readonly AgentTool[], texts: { readonly [name: string]: string }): AgentTool[] {
  return tools.map((tool) => {
    const { name, ...known } = typeof tool === "string" ? { name: tool } : tool;
    const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
    if (text === undefined || !isWorkerTool(tool) || "signature" in known) return tool;
    const description = describedPurpose(text);
    return {
      effect: "write",
      ...known,
      name,
      signature: describedSignature(text),
      ...("description" in known || description === "" ? {} : { description }),
    };
  });
}
