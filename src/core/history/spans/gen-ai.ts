import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { type ContentOptions, contentJson } from "./content";
import type { Attributes, SpanError, SpanFacts } from "./plain-span";
import { shownFailure } from "./span-error";
import { callIdOf } from "./span-ids";

/**
 * Names of spans and attributes, as OpenTelemetry's semantic conventions for generative AI have them (in development there;
 * docs/observability.md lists what we use). What they have no name for is called `navigator.*`.
 */

/** The workflows whose runs have separate spans. */
const TRACED: ReadonlySet<string> = new Set(["agentRun", "navigatorTask", "planRun", "undoRun"]);

/** Whether runs of this type of workflow are reported. */
export const isTraced = (workflowType: string): boolean => TRACED.has(workflowType);

/** The span of a run. @param input of its workflow */
export function runFacts(workflowType: string, workflowId: string, input: unknown): SpanFacts {
  const given = isObject(input) ? input : {};
  const common = { "gen_ai.conversation.id": workflowId, "navigator.workflow.type": workflowType };
  if (workflowType === "agentRun") {
    const agent = isObject(given.agent) ? given.agent : {};
    const name = typeof agent.name === "string" ? agent.name : "agent";
    return facts(`invoke_agent ${name}`, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": name,
      ...(typeof given.model === "string" ? modelNames(given.model) : {}),
      ...common,
    });
  }
  const name = workflowName(workflowType, given);
  return facts(`invoke_workflow ${name}`, {
    "gen_ai.operation.name": "invoke_workflow",
    "gen_ai.workflow.name": name,
    ...common,
  });
}

/** A graph has a name; plans and undos have only their kind. */
function workflowName(workflowType: string, { definition, task }: JsonObject): string {
  if (workflowType === "planRun") return "plan";
  if (workflowType === "undoRun") return "undo";
  if (isObject(definition) && typeof definition.id === "string") return definition.id;
  return isObject(task) && typeof task.workflowType === "string" ? task.workflowType : "task";
}

/** A turn of an agent: a model call, and what its answer makes happen. */
export const turnFacts = (invocation: number, turn: number): SpanFacts =>
  facts(`turn ${turn}`, { "navigator.turn": turn, "navigator.invocation": invocation });

/**
 * A wait for a person. @param kind of a review: `approval`, `gate`, ...; `parked`: a mission that asked for a decision
 */
export const waitFacts = (kind: string, review?: string): SpanFacts =>
  facts(`wait_for_person ${kind}`, {
    "navigator.wait.kind": kind,
    ...(review === undefined ? {} : { "navigator.review.id": review }),
  });

/** Activities that are spans, each with what it is about; null for all others, which are the engine's own. */
export function callFacts(
  activity: string,
  input: unknown,
  { content }: ContentOptions,
  summaryName?: string,
): SpanFacts | null {
  const given = isObject(input) ? input : {};
  if (activity === "callModel") {
    const names = modelNames(String(given.model ?? ""));
    return {
      name: `chat ${names["gen_ai.request.model"]}`,
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "chat",
        ...names,
        ...agentOf(given),
        ...(given.output === "text" ? { "gen_ai.output.type": "text" } : {}),
        ...settingAttributes(given.settings),
      },
    };
  }
  if (activity !== "callTool" && activity !== "undoEffect") return null;
  const tool = typeof given.name === "string" ? given.name : (summaryName ?? "");
  return facts(`execute_tool ${tool}`, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "gen_ai.tool.type": "function",
    ...(typeof given.idempotency_key === "string"
      ? { "gen_ai.tool.call.id": content ? given.idempotency_key : callIdOf(given.idempotency_key) }
      : {}),
    ...agentOf(given),
    // Programs write the ids of tasks, and their keys with them.
    ...(content && typeof given.task === "string" ? { "navigator.task": given.task } : {}),
    ...(activity === "undoEffect" ? { "navigator.undo": true } : {}),
    ...(content && given.args !== undefined ? { "gen_ai.tool.call.arguments": contentJson(given.args) } : {}),
  });
}

/**
 * Settings of a model call that the conventions name. Texts at which an answer ends may be data: the span leaves them
 * out.
 */
function settingAttributes(settings: unknown): Attributes {
  if (!isObject(settings)) return {};
  const shown = ["temperature", "top_p", "top_k", "seed"].filter((name) => typeof settings[name] === "number");
  return Object.fromEntries(shown.map((name) => [`gen_ai.request.${name}`, settings[name] as number]));
}

/** What the answer of an activity adds to its span. */
export function answerOfCall(
  activity: string,
  answer: unknown,
  { content }: ContentOptions,
): { attributes: Attributes; error?: SpanError } {
  if (!isObject(answer)) return { attributes: {} };
  if (activity === "callModel") return { attributes: replyAttributes(answer, content) };
  if (answer.ok !== false) {
    const shown = content && answer.value !== undefined;
    return { attributes: shown ? { "gen_ai.tool.call.result": contentJson(answer.value as Json) } : {} };
  }
  return shownFailure({ reason: "tool_error", ...(isObject(answer.fail) ? answer.fail : {}) }, { content });
}

function replyAttributes(reply: JsonObject, content: boolean): Attributes {
  const { model, tokens, tool_calls, content: text } = reply;
  const calls = Array.isArray(tool_calls) && tool_calls.length > 0;
  return {
    ...(typeof model === "string" ? { "gen_ai.response.model": model } : {}),
    "gen_ai.response.finish_reasons": [calls ? "tool_call" : "stop"],
    ...tokenAttributes(isObject(tokens) ? tokens : {}),
    ...(content && typeof text === "string" ? { "gen_ai.output.messages": outputMessages(text) } : {}),
  };
}

const outputMessages = (text: string): string =>
  contentJson([{ role: "assistant", parts: [{ type: "text", content: text }], finish_reason: "stop" }]);

function tokenAttributes({ input, output, cache_read, cache_creation, total_cost }: JsonObject): Attributes {
  return numbers({
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": cache_read,
    "gen_ai.usage.cache_creation.input_tokens": cache_creation,
    "navigator.cost.usd": total_cost,
  });
}

/** What the result of a run adds to its span: a Step has its usage and its failure. */
export function resultOfRun(result: unknown, options: ContentOptions): { attributes: Attributes; error?: SpanError } {
  if (!isObject(result) || !isObject(result.usage)) return { attributes: {} };
  const { usage, fail } = result;
  const attributes = numbers({
    "gen_ai.usage.input_tokens": usage.input_tokens,
    "gen_ai.usage.output_tokens": usage.output_tokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cache_creation_tokens,
    "navigator.cost.usd": usage.total_cost,
    "navigator.turns": usage.turns,
  });
  if (!isObject(fail)) return { attributes };
  const { attributes: more, error } = shownFailure(fail, options);
  return { attributes: { ...attributes, ...more }, error };
}

const agentOf = ({ agent }: JsonObject): Attributes =>
  typeof agent === "string" ? { "gen_ai.agent.name": agent } : {};

const facts = (name: string, attributes: Attributes): SpanFacts => ({ name, kind: "internal", attributes });

function numbers(values: { [name: string]: Json | undefined }): Attributes {
  return Object.fromEntries(
    Object.entries(values).filter((one): one is [string, number] => typeof one[1] === "number"),
  );
}

/** Our names of providers that the conventions call otherwise. */
const PROVIDERS: { [ours: string]: string } = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/**
 * Provider and model as the conventions name them.
 *
 * @param model `provider/model`; one without a provider, such as `scripted:FILE`, is its own
 */
export function modelNames(model: string): { "gen_ai.provider.name": string; "gen_ai.request.model": string } {
  const [, provider = model, name = provider] = /^([^/:]+)(?:\/(.+))?/.exec(model) ?? [];
  return { "gen_ai.provider.name": PROVIDERS[provider] ?? provider, "gen_ai.request.model": name };
}
