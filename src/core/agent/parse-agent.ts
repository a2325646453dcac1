import type { z } from "zod";
import { failed, ok, type Result } from "../failure";
import type { ToolSpec } from "../tool";
import { AgentFile, ALIASES, LATER } from "./agent-file";
import { type AgentIssue, meaningIssues, type PathText, typeIssues } from "./agent-issues";
import type { AgentDefinition } from "./definition";

type Raw = Record<string, unknown>;

/**
 * Reads an agent: an object as a JSON or YAML file or a TypeScript program gives it (agent reference, section 2).
 * `plan` is a list of texts, pairs or {id, description}; `tools` a list of names and specs, or a map by name. A bad one
 * gives reason `invalid_agent` and names every mistake in `details.issues`.
 */
export function parseAgent(raw: unknown): Result<AgentDefinition> {
  if (!isObject(raw)) return invalid([{ path: "", message: "an agent is an object with at least a prompt" }]);
  const { normal, issues } = withoutLaterOptions(raw);
  const input: Raw = { ...normal, ...inOneForm("plan", normal, planEntry), ...inOneForm("tools", normal, toolEntry) };
  const pathText = pathsOf(raw);
  const parsed = AgentFile.safeParse(input);
  if (!parsed.success) issues.push(...typeIssues(parsed.error, OPTIONS, pathText));
  issues.push(...meaningIssues(input, pathText));
  if (!parsed.success || issues.length > 0) return invalid(issues);
  return ok({ ...parsed.data, tools: parsed.data.tools.map(asSpec) });
}

const OPTIONS = [...Object.keys(AgentFile.shape), ...Object.keys(ALIASES)];

function withoutLaterOptions(raw: Raw): { normal: Raw; issues: AgentIssue[] } {
  const normal: Raw = {};
  const issues: AgentIssue[] = [];
  for (const [key, value] of Object.entries(raw)) {
    const later = Object.hasOwn(LATER, key) ? LATER[key] : undefined;
    const option = Object.hasOwn(ALIASES, key) ? (ALIASES[key] as string) : key;
    if (later) {
      const asksNothing = later.harmless.includes(value) || (Array.isArray(value) && value.length === 0);
      if (!asksNothing) issues.push({ path: key, message: `${key} is not supported yet: ${later.means}` });
    } else if (option !== key && Object.hasOwn(raw, option))
      issues.push({ path: key, message: `${key} is another name of ${option}; give one of them` });
    else if (value !== undefined) normal[option] = value;
  }
  return { normal, issues };
}

function inOneForm(key: string, raw: Raw, entry: (value: unknown, key: string | number) => unknown): Raw {
  const value = raw[key];
  if (Array.isArray(value)) return { [key]: value.map((item, i) => entry(item, i)) };
  if (key === "tools" && isObject(value))
    return { [key]: Object.entries(value).map(([name, tool]) => entry(tool, name)) };
  return {};
}

function planEntry(step: unknown, key: string | number): unknown {
  if (typeof step === "string") return { id: String(Number(key) + 1), description: step };
  return Array.isArray(step) && step.length === 2 ? { id: step[0], description: step[1] } : step;
}

function toolEntry(tool: unknown, key: string | number): unknown {
  if (typeof key === "number") return typeof tool === "string" ? { name: tool } : tool;
  if (tool === null) return { name: key };
  if (typeof tool === "string") return { name: key, signature: tool };
  return isObject(tool) ? { ...tool, name: key } : tool;
}

/** A tool that says nothing about itself stays a name: its worker knows more. */
function asSpec({ name, ...rest }: z.output<typeof AgentFile>["tools"][number]): string | ToolSpec {
  return Object.keys(rest).length === 0 ? name : { ...rest, name, effect: rest.effect ?? "write" };
}

/** Places as the author wrote them: a tool given in a map is named, not counted. */
function pathsOf(raw: Raw): PathText {
  const toolNames = isObject(raw.tools) ? Object.keys(raw.tools) : null;
  return (path) =>
    path.reduce<string>((text, part, i) => {
      const named = i === 1 && path[0] === "tools" && typeof part === "number" ? toolNames?.[part] : undefined;
      if (typeof part === "number" && named === undefined) return `${text}[${part}]`;
      return text === "" ? String(part) : `${text}.${named ?? String(part)}`;
    }, "");
}

function invalid(issues: AgentIssue[]): Result<never> {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const count = issues.length === 1 ? "a mistake" : `${issues.length} mistakes`;
  return failed("invalid_agent", `The agent has ${count}: ${list.join("; ")}`, { issues });
}

const isObject = (value: unknown): value is Raw => typeof value === "object" && value !== null && !Array.isArray(value);
