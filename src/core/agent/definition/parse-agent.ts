import type { z } from "zod";
import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import { isObject } from "../../base/is-object";
import { shortened } from "../../base/whole-characters";
import { ownActivityReason } from "../../calls/own-activity";
import type { ToolSpec } from "../../calls/tool";
import { togetherProblem } from "../../review/policy/terms";
import { AgentFile, ALIASES } from "./agent-file";
import { type AgentIssue, type PathText, typeIssues } from "./agent-issues";
import { namedModels, withModelsOf } from "./agent-models";
import { withToolsOf } from "./agent-tools";
import type { AgentDefinition, AgentTool } from "./definition";
import { meaningIssues } from "./meaning-issues";
import { nativeNameClash } from "./native-name";
import { withSchemasOf } from "./typed-agent";

type Raw = Record<string, unknown>;

/** Finds an agent that is only named as another agent's tool. */
export type FindAgent = (name: string) => Result<AgentDefinition>;

/**
 * Reads an agent: an object as a JSON or YAML file or a TypeScript program gives it (agent reference, section 2).
 * `plan` is a list of texts, pairs or {id, description}; `tools` a list of names and specs, or a map by name. A bad one
 * gives reason `invalid_agent` and names every mistake in `details.issues`. The schemas, models and
 * tool objects of one from `defineAgent` stay.
 *
 * @param find for tools that are agents by name; without it such a name is a mistake
 */
export function parseAgent(raw: unknown, find: FindAgent = unknownAgent): Result<AgentDefinition> {
  if (!isObject(raw))
    return invalid(undefined, [{ path: "", message: "an agent is an object with at least a prompt" }]);
  const { normal, issues } = withoutAliases(raw);
  const { model, models } = namedModels(normal.model, normal.name);
  const input: Raw = {
    ...normal,
    ...defined({ model }),
    ...inOneForm("plan", normal, planEntry),
    ...inOneForm("tools", normal, toolEntry),
    ...compression(normal),
  };
  const pathText = pathsOf(raw);
  const children = readChildren(input.tools, pathText, (agent) =>
    typeof agent === "string" ? find(agent) : parseAgent(agent, find),
  );
  issues.push(...children.issues);
  const schema = AgentFile();
  const parsed = schema.safeParse(children.tools === undefined ? input : { ...input, tools: children.tools });
  if (!parsed.success)
    issues.push(...typeIssues(parsed.error, [...Object.keys(schema.shape), ...Object.keys(ALIASES)], pathText));
  issues.push(...meaningIssues(input, pathText));
  if (!parsed.success || issues.length > 0) return invalid(raw.name, issues);
  const agent = { ...parsed.data, tools: parsed.data.tools.map(asTool) };
  const unfit = agent.tools.flatMap((tool, i) => toolIssues(agent, tool, pathText(["tools", i])));
  const clash = nativeNameClash(agent);
  if (clash !== null) unfit.push({ path: "tools", message: clash });
  return unfit.length > 0
    ? invalid(raw.name, unfit)
    : ok(withModelsOf(raw, withToolsOf(raw, withSchemasOf(raw, agent)), models));
}

const unknownAgent: FindAgent = (name) =>
  failed("agent_not_found", `there is no agent "${name}" here: give the agent itself`);

function withoutAliases(raw: Raw): { normal: Raw; issues: AgentIssue[] } {
  const normal: Raw = {};
  const issues: AgentIssue[] = [];
  for (const [key, value] of Object.entries(raw)) {
    const option = Object.hasOwn(ALIASES, key) ? (ALIASES[key] as string) : key;
    if (option !== key && Object.hasOwn(raw, option))
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
  if (typeof key === "number") {
    if (typeof tool === "string") return { name: tool };
    const name = isObject(tool) && isObject(tool.agent) ? tool.agent.name : undefined;
    return name === undefined ? tool : { name, ...(tool as Raw) };
  }
  if (tool === null) return { name: key };
  if (tool === "self") return { name: key, self: true };
  if (typeof tool === "string") return { name: key, signature: tool };
  return isObject(tool) ? { ...tool, name: key } : tool;
}

/** `true`, the strategy's name, or a map of both; in one form. */
function compression({ compression: given }: Raw): Raw {
  if (given === undefined) return {};
  if (given === false || given === null || given === "off") return { compression: null };
  if (given === true) return { compression: { strategy: STRATEGY, options: {} } };
  const named = (name: unknown) => (typeof name === "string" ? name.replaceAll("_", "-") : name);
  if (!isObject(given)) return { compression: { strategy: named(given), options: {} } };
  const { strategy = STRATEGY, options, opts, ...rest } = given;
  return { compression: { ...rest, strategy: named(strategy), options: options ?? opts ?? {} } };
}

const STRATEGY = "single-user-coalesced";

/** The agents among the tools, each read like any other; their mistakes have their places in the whole. */
function readChildren(
  tools: unknown,
  pathText: PathText,
  read: (agent: unknown) => Result<AgentDefinition>,
): { tools?: unknown[]; issues: AgentIssue[] } {
  if (!Array.isArray(tools)) return { issues: [] };
  const issues: AgentIssue[] = [];
  const entries = tools.map((tool, i) => {
    if (!isObject(tool) || tool.agent === undefined) return tool as unknown;
    const place = pathText(["tools", i, "agent"]);
    const child = read(tool.agent);
    if (child.ok) return { ...tool, agent: child.value as unknown };
    const inner = (child.fail.details?.issues ?? [{ path: "", message: child.fail.message }]) as AgentIssue[];
    issues.push(...inner.map(({ path, message }) => ({ path: path === "" ? place : `${place}.${path}`, message })));
    return tool as unknown;
  });
  return { tools: entries, issues };
}

type ToolEntry = z.output<ReturnType<typeof AgentFile>>["tools"][number];

/** A tool without a spec stays a name: its worker knows more. */
function asTool({ name, agent, self, llm, model, ...rest }: ToolEntry): AgentTool {
  const { description, cache, approval } = rest;
  const shown = defined({ name, description, cache, approval }) as ShownTool;
  if (agent !== undefined) {
    const child = agent as AgentDefinition;
    return {
      ...shown,
      description: description ?? child.description ?? "",
      agent: child,
      ...defined({ model }),
    };
  }
  if (self) return { ...shown, self };
  if (llm !== undefined) return { ...shown, llm: defined(llm) };
  return Object.keys(rest).length === 0 ? name : ({ ...rest, name, effect: rest.effect ?? "write" } as ToolSpec);
}

type ShownTool = Pick<ToolSpec, "name" | "description" | "cache" | "approval">;

/** Why nobody could approve a call of the tool, by its terms and the agent's; null if somebody could. */
export function toolTermsProblem({ people }: Pick<AgentDefinition, "people">, tool: AgentTool): string | null {
  const { approval } = typeof tool === "string" || "llm" in tool ? { approval: undefined } : tool;
  return approval === undefined || approval === true ? null : togetherProblem(people, approval, "the agent");
}

/** Finds the fields that a tool lacks for the agent that it belongs to or runs. */
function toolIssues(agent: AgentDefinition, tool: AgentTool, path: string): AgentIssue[] {
  if (typeof tool === "string") return [];
  const problem = toolTermsProblem(agent, tool);
  if (problem !== null) return [{ path: `${path}.approval`, message: problem }];
  if ("self" in tool && agent.signature === undefined)
    return [{ path, message: "agents with self tools must have a signature" }];
  if ("agent" in tool && tool.description === "")
    return [{ path, message: "as_tool requires description: of the tool, or of the agent" }];
  const alone = "batch" in tool && tool.batch !== undefined ? ownActivityReason(tool) : undefined;
  if (alone !== undefined) return [{ path: `${path}.batch`, message: `has no use: ${alone}` }];
  return [];
}

/** Paths as the author wrote them: a tool of a map is named, a tool of a list is numbered. */
function pathsOf(raw: Raw): PathText {
  const toolNames = isObject(raw.tools) ? Object.keys(raw.tools) : null;
  return (path) =>
    path.reduce<string>((text, part, i) => {
      const named = i === 1 && path[0] === "tools" && typeof part === "number" ? toolNames?.[part] : undefined;
      if (typeof part === "number" && named === undefined) return `${text}[${part}]`;
      return text === "" ? String(part) : `${text}.${named ?? String(part)}`;
    }, "");
}

/** A name that is longer is cut in messages. */
const MAX_NAME = 80;

function invalid(name: unknown, issues: AgentIssue[]): Result<never> {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const count = issues.length === 1 ? "a mistake" : `${issues.length} mistakes`;
  const called = typeof name === "string" && name !== "" ? ` ${JSON.stringify(shortened(name, MAX_NAME))}` : "";
  return failed("invalid_agent", `The agent${called} has ${count}: ${list.join("; ")}`, { issues });
}
