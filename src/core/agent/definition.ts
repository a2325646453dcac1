import { z } from "zod";
import { failed, ok, type Result } from "../failure";
import type { Json, JsonObject } from "../json";
import { parseSignature, SignatureError } from "../signature/parse";
import type { ToolSpec } from "../tool";
import { TemplateError, templateNames } from "./template";

/**
 * An agent as data (agent reference, section 2): what a YAML or JSON file or a TypeScript object may say. It travels in
 * workflow input. Options that belong to later work (text mode, nested agents, compression) are refused, not ignored.
 */
const positive = z.int().positive();
const text = z.string().trim().min(1, "must not be empty");

const PlanStep = z.union([
  text.describe("a step; its id is its number"),
  z.tuple([text, text]).describe("[id, description]"),
  z.strictObject({ id: text, description: text }),
]);

const ToolFields = {
  signature: z.string().optional(),
  description: z.string().optional(),
  effect: z.enum(["read", "write", "irreversible"]).default("write"),
  cache: z.boolean().optional(),
  timeout_ms: positive.optional(),
  task_queue: text.optional(),
};
const ToolObject = z.strictObject({ name: text, ...ToolFields });
const Tools = z.union([z.array(z.union([text, ToolObject])), z.record(z.string(), z.strictObject(ToolFields))]);

const FormatOptions = z.strictObject({
  feedback_limit: positive.default(10),
  feedback_max_chars: positive.default(512),
  history_max_bytes: positive.default(1024),
  result_limit: positive.default(50),
  result_max_chars: positive.default(500),
  max_print_length: positive.default(2000),
});

const AgentFile = z.strictObject({
  name: text.optional(),
  description: text.optional(),
  prompt: z.string("prompt is required: what the agent is to do").min(1, "prompt is required: what the agent is to do"),
  signature: z.string().optional(),
  tools: Tools.default([]),
  max_turns: positive.default(5),
  retry_turns: z.int().min(0).default(0),
  turn_budget: positive.default(20),
  max_depth: positive.default(3),
  pmap_max_concurrency: z.int().min(1).max(500).default(8),
  max_steps: positive.max(100_000_000).nullable().default(null),
  max_heap_bytes: positive.nullable().default(null),
  loop_limit: z.int().min(1).max(10_000).default(1000),
  mission_timeout_ms: positive.nullable().default(null),
  memory_limit: positive.nullable().default(1_048_576),
  memory_strategy: z.enum(["strict", "rollback"]).default("strict"),
  max_tool_calls: positive.nullable().default(null),
  model: text.optional(),
  system_prompt: z
    .union([
      text,
      z.strictObject({
        prefix: z.string().optional(),
        suffix: z.string().optional(),
        language_spec: z.string().optional(),
        output_format: z.string().optional(),
      }),
    ])
    .optional(),
  prompt_limit: z.strictObject({ max_chars: positive }).optional(),
  field_descriptions: z.record(z.string(), z.string()).optional(),
  context_descriptions: z.record(z.string(), z.string()).optional(),
  format_options: FormatOptions.prefault({}),
  float_precision: z.int().min(0).max(15).default(2),
  thinking: z.boolean().default(false),
  output: z.enum(["ptc_lisp"], "only ptc_lisp is supported so far").default("ptc_lisp"),
  template: z.enum(["expand", "literal"]).default("expand"),
  plan: z.array(PlanStep).default([]),
  journaling: z.boolean().optional(),
  /** A return map whose `status` is this text parks the mission. */
  waiting_status: text.default("waiting"),
  /** How long a parked mission waits before it is started again by itself; null = as long as it takes. */
  wait_timeout_ms: positive.nullable().default(null),
});

export interface AgentDefinition extends Omit<z.output<typeof AgentFile>, "tools" | "plan"> {
  /** A name alone is looked up on the worker. */
  tools: (string | ToolSpec)[];
  plan: { id: string; description: string }[];
}

export interface Issue {
  path: string;
  message: string;
  [key: string]: Json;
}

/** Reads an agent; a bad one gives reason `invalid_agent` and names every mistake in `details.issues`. */
export function parseAgent(raw: unknown): Result<AgentDefinition> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw))
    return invalid([{ path: "", message: "an agent is an object with at least a prompt" }]);
  const parsed = AgentFile.safeParse(raw);
  const issues = parsed.success ? [] : parsed.error.issues.map(toIssue);
  issues.push(...furtherIssues(raw as JsonObject));
  if (!parsed.success || issues.length > 0) return invalid(issues);
  return ok({ ...parsed.data, tools: toolList(parsed.data.tools), plan: planSteps(parsed.data.plan) });
}

function invalid(issues: Issue[]): Result<never> {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return failed(
    "invalid_agent",
    `${issues.length === 1 ? "The agent has a mistake" : `The agent has ${issues.length} mistakes`}: ${list.join("; ")}`,
    {
      issues,
    },
  );
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  if (issue.code === "unrecognized_keys") {
    const options = Object.keys(AgentFile.shape).join(", ");
    const path = issue.path.join(".");
    return {
      path,
      message: `unknown option ${issue.keys.map((key) => `"${key}"`).join(", ")}${path === "" ? `; there are ${options}` : ""}`,
    };
  }
  return { path: issue.path.join("."), message: issue.message };
}

/** What types alone cannot say. Looks at the raw object, so that these are named next to type mistakes elsewhere. */
function furtherIssues(raw: JsonObject): Issue[] {
  const issues: Issue[] = [];
  const parameters = checkSignature(raw.signature, "signature", issues);
  if (typeof raw.prompt === "string" && raw.template !== "literal") checkPlaceholders(raw.prompt, parameters, issues);
  for (const { name, signature, path } of rawTools(raw.tools)) {
    if (name === "return" || name === "fail")
      issues.push({ path, message: `reserved_tool_name: a tool cannot be called ${name}` });
    checkSignature(signature, `${path}.signature`, issues);
  }
  checkUnique(
    rawTools(raw.tools).map(({ name }) => name),
    "tools",
    "tool",
    issues,
  );
  if (Array.isArray(raw.plan)) checkUnique(raw.plan.map(rawStepId), "plan", "plan id", issues);
  return issues;
}

function checkSignature(signature: Json | undefined, path: string, issues: Issue[]): string[] | undefined {
  if (typeof signature !== "string") return undefined;
  try {
    return parseSignature(signature).parameters.map((field) => field.name);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    issues.push({ path, message: `invalid signature: ${error.message}` });
    return undefined;
  }
}

function checkPlaceholders(prompt: string, parameters: string[] | undefined, issues: Issue[]): void {
  if (parameters === undefined) return;
  try {
    const missing = templateNames(prompt).filter((name) => !parameters.includes(name));
    if (missing.length > 0)
      issues.push({
        path: "prompt",
        message: `placeholders ${missing.map((name) => `{{${name}}}`).join(", ")} not found in signature`,
      });
  } catch (error) {
    // A template that cannot be read is used as plain text (agent reference, section 7).
    if (!(error instanceof TemplateError)) throw error;
  }
}

function rawTools(tools: Json | undefined): { name: string; signature: Json | undefined; path: string }[] {
  if (Array.isArray(tools))
    return tools.map((tool, i) => ({
      name: typeof tool === "string" ? tool : String((tool as JsonObject | null)?.name ?? ""),
      signature: (tool as JsonObject | null)?.signature,
      path: `tools.${i}`,
    }));
  if (typeof tools !== "object" || tools === null) return [];
  return Object.entries(tools).map(([name, tool]) => ({
    name,
    signature: (tool as JsonObject | null)?.signature,
    path: `tools.${name}`,
  }));
}

function rawStepId(step: Json, index: number): string {
  if (typeof step === "string") return String(index + 1);
  return String(Array.isArray(step) ? step[0] : (step as JsonObject | null)?.id);
}

function checkUnique(names: string[], path: string, what: string, issues: Issue[]): void {
  const twice = [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
  if (twice.length > 0) issues.push({ path, message: `duplicate ${what}: ${twice.join(", ")}` });
}

function toolList(tools: z.output<typeof Tools>): (string | ToolSpec)[] {
  if (Array.isArray(tools)) return tools as (string | ToolSpec)[];
  return Object.entries(tools).map(([name, tool]) => ({ name, ...tool }) as ToolSpec);
}

function planSteps(plan: z.output<typeof PlanStep>[]): AgentDefinition["plan"] {
  return plan.map((step, i) => {
    if (typeof step === "string") return { id: String(i + 1), description: step };
    return Array.isArray(step) ? { id: step[0], description: step[1] } : step;
  });
}
