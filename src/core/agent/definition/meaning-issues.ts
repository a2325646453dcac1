import { isObject } from "../../base/is-object";
import { identityProblem } from "../../effects/effect-settings";
import { parseSignature, SignatureError } from "../../signature/parse";
import type { AgentIssue, PathText } from "./agent-issues";
import { BUILTIN_NAMES } from "./native-name";
import { TemplateError, templateNames } from "./template";
import { textIssues } from "./text-issues";

type Raw = Record<string, unknown>;

/**
 * Checks that types cannot express. They read the raw input, so that their findings are reported together with type
 * mistakes elsewhere.
 */
export function meaningIssues(raw: Raw, pathText: PathText): AgentIssue[] {
  const tools = objects(raw.tools);
  const plan = objects(raw.plan);
  return [
    ...signatureIssues(raw.signature, ["signature"], pathText),
    ...placeholderIssues(raw, ["prompt"], pathText),
    ...textIssues(raw),
    ...tools.flatMap((tool, i) => llmToolIssues(tool?.llm, ["tools", i, "llm"], pathText)),
    ...tools.flatMap((tool, i) => signatureIssues(tool?.signature, ["tools", i, "signature"], pathText)),
    ...tools.flatMap((tool, i) => identityIssues(tool, pathText(["tools", i, "identity"]))),
    ...tools.flatMap((tool, i) => toolNameIssues(tool?.name, pathText(["tools", i]))),
    ...outputLimitIssues(raw, pathText),
    ...pinnedIssues(raw, tools, pathText),
    ...repeated(tools, "name", (i) => pathText(["tools", i]), "duplicate tool"),
    ...repeated(plan, "id", (i) => pathText(["plan", i]), "duplicate plan id"),
  ];
}

function signatureIssues(signature: unknown, path: PropertyKey[], pathText: PathText): AgentIssue[] {
  if (typeof signature !== "string") return [];
  try {
    parseSignature(signature);
    return [];
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return [{ path: pathText(path), message: `invalid signature: ${error.message}` }];
  }
}

/** The prompt and the contract of an LLM tool. */
function llmToolIssues(llm: unknown, path: PropertyKey[], pathText: PathText): AgentIssue[] {
  if (!isObject(llm)) return [];
  return [
    ...signatureIssues(llm.signature, [...path, "signature"], pathText),
    ...signatureIssues(llm.json_signature, [...path, "json_signature"], pathText),
    ...placeholderIssues(llm, [...path, "prompt"], pathText),
  ];
}

function placeholderIssues(raw: Raw, path: PropertyKey[], pathText: PathText): AgentIssue[] {
  if (typeof raw.prompt !== "string" || typeof raw.signature !== "string" || raw.template === "literal") return [];
  try {
    const declared = parseSignature(raw.signature).parameters.map((field) => field.name);
    const missing = templateNames(raw.prompt).filter((name) => !declared.includes(name));
    if (missing.length === 0) return [];
    const list = missing.map((name) => `{{${name}}}`).join(", ");
    return [{ path: pathText(path), message: `placeholders ${list} not found in signature` }];
  } catch (error) {
    // A signature that cannot be read is reported elsewhere; a template that cannot be read is plain text (agent
    // reference, section 7).
    if (error instanceof SignatureError || error instanceof TemplateError) return [];
    throw error;
  }
}

function identityIssues(tool: Raw | null, path: string): AgentIssue[] {
  const { identity, signature } = tool ?? {};
  if (!Array.isArray(identity) || !identity.every((name) => typeof name === "string")) return [];
  const problem = identityProblem(identity, typeof signature === "string" ? signature : undefined);
  return problem === undefined ? [] : [{ path, message: problem }];
}

const TOOL_NAME = /^[A-Za-z_][\w.?!*+<>=-]*$/;

function toolNameIssues(name: unknown, path: string): AgentIssue[] {
  if (typeof name !== "string") return [];
  if (name === "return" || name === "fail")
    return [{ path, message: `reserved_tool_name: a tool cannot be called ${name}` }];
  if (name.trim() !== "" && !TOOL_NAME.test(name))
    return [{ path, message: `"${name}" cannot be called as (tool/...): use letters, digits, - and _` }];
  return [];
}

function outputLimitIssues(
  { max_output_tokens: limit, model_settings: settings }: Raw,
  pathText: PathText,
): AgentIssue[] {
  if (limit === undefined || !isObject(settings) || settings.max_output_tokens === undefined) return [];
  const path = pathText(["model_settings", "max_output_tokens"]);
  return [{ path, message: "the agent itself has the option max_output_tokens; give one of them" }];
}

/** A pinned tool that the agent does not have is a slip of the pen. */
function pinnedIssues(raw: Raw, tools: (Raw | null)[], pathText: PathText): AgentIssue[] {
  const { pinned_tools: pinned } = raw;
  if (!Array.isArray(pinned)) return [];
  const known = new Set<unknown>([...tools.map((tool) => tool?.name), ...Object.values(BUILTIN_NAMES).flat()]);
  return pinned.flatMap((name: unknown, i) =>
    typeof name === "string" && name !== "" && !known.has(name)
      ? [{ path: pathText(["pinned_tools", i]), message: `"${name}" is not among the agent's tools` }]
      : [],
  );
}

function repeated(entries: (Raw | null)[], key: string, path: (i: number) => string, what: string): AgentIssue[] {
  const seen = new Set<unknown>();
  return entries.flatMap((entry, i) => {
    const value = entry?.[key];
    if (typeof value !== "string") return [];
    if (seen.has(value)) return [{ path: path(i), message: `${what} "${value}"` }];
    seen.add(value);
    return [];
  });
}

function objects(list: unknown): (Raw | null)[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry) => (typeof entry === "object" && entry !== null && !Array.isArray(entry) ? entry : null));
}
