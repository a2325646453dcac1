import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { plainText, textsOf } from "./plain-text";
import type { PlanAgent, PlanIssue } from "./plan";

interface ParsedAgents {
  agents: { [name: string]: PlanAgent };
  warnings: PlanIssue[];
  paths: { [name: string]: string };
}

/** The agents of a plan (plan reference, section 1.2). A list of named agents is accepted, too. */
export function parseAgents({ value, path }: { value: Json; path: string }): ParsedAgents {
  // Names come from models: `__proto__` must be an ordinary name.
  const agents = new Map<string, PlanAgent>();
  const paths = new Map<string, string>();
  const warnings: PlanIssue[] = [];
  for (const [name, entry, at] of namedEntries(value, path)) {
    const agent = name === null ? null : parseAgent(entry);
    if (name !== null && agent !== null) {
      agents.set(name, agent);
      paths.set(name, at);
    } else warnings.push(dropped(at));
  }
  return { agents: Object.fromEntries(agents), warnings, paths: Object.fromEntries(paths) };
}

function namedEntries(value: Json, path: string): [name: string | null, entry: Json, path: string][] {
  if (isObject(value)) return Object.entries(value).map(([name, entry]) => [name, entry, `${path}.${name}`]);
  if (!Array.isArray(value)) return value === null ? [] : [[null, value, path]];
  return value.map((entry, i) => {
    const name = isObject(entry) ? (entry.name ?? entry.id ?? null) : null;
    return [name === null ? null : plainText(name), entry, `${path}[${i}]`];
  });
}

function parseAgent(entry: Json): PlanAgent | null {
  if (typeof entry === "string") return { prompt: entry, tools: [] };
  if (!isObject(entry)) return null;
  const prompt = entry.prompt ?? entry.description ?? entry.role ?? "";
  return { prompt: plainText(prompt), tools: textsOf(entry.tools ?? entry.capabilities ?? []) };
}

const dropped = (path: string): PlanIssue => ({
  severity: "warning",
  category: "invalid_entry",
  message: `${path} is not an agent: an agent is a prompt, or a map of prompt and tools. It was left out.`,
  task_id: null,
});
