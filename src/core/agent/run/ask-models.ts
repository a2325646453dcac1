import { type Failure, failed, ok, type Result } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { ModelReply, ModelRequest } from "../../calls/host";
import { withinBudget } from "../budget/within-budget";
import type { AgentInput } from "../definition/agent-input";
import type { LlmRetry } from "../definition/llm-retry";
import { rulesOfReason } from "../result/run-reasons";
import type { AgentHost } from "./host";

/** Names that every worker knows without a provider: `scripted`, `scripted:FILE`. */
const BUILTIN_MODEL = /^scripted(:|$)/;
/** A model of a provider, or of a registry of providers: the worker's own. */
const OF_WORKER = /[/:]/;

/**
 * The models of a run in the order in which they are tried: the agent's, else the run's (agent reference, section 5.3).
 * A registry gives short names to models that the worker knows; a name with a slash or a colon
 * (`groq:llama`, of a provider registry) is the worker's own.
 */
export function modelsOf({ agent, model, llm_registry }: AgentInput): Result<string[]> {
  const names = [agent.model ?? model].flat();
  if (names.length === 0 || names.includes(""))
    return failed("llm_required", "No model: name one in the agent or give one to the run.");
  const models: string[] = [];
  for (const name of names) {
    const found = resolved(name, llm_registry);
    if (!found.ok) return found;
    models.push(found.value);
  }
  return ok(models);
}

function resolved(name: string, registry: unknown): Result<string> {
  if (registry === undefined) return ok(name);
  if (!isObject(registry))
    return failed("invalid_llm_registry", "The llm_registry must be a map of name to model, as in {fast: openai/...}.");
  if (Object.hasOwn(registry, name)) {
    const model = registry[name];
    if (typeof model === "string" && model !== "") return ok(model);
    return failed("invalid_llm", `The llm_registry's entry "${name}" is no model's name.`);
  }
  if (OF_WORKER.test(name) || BUILTIN_MODEL.test(name)) return ok(name);
  const names = Object.keys(registry);
  if (names.length === 0)
    return failed(
      "llm_registry_required",
      `The model "${name}" is a name of a registry: give the run an llm_registry, as in {"${name}": "openai/..."}. For a model that the worker itself has under this name it is {"${name}": "${name}"}.`,
    );
  return failed("llm_not_found", `There is no model "${name}" in the llm_registry. It has: ${names.join(", ")}.`);
}

/** A reply, and which models of the list gave none. */
export interface ModelAnswer extends ModelReply {
  passed_over: { model: string; fail: Failure }[];
}

/**
 * One answer from the first model that gives one. With its own retry policy the run repeats calls itself; otherwise the
 * host does. Every model but the last is given up soon.
 */
export async function askModels(
  host: AgentHost,
  input: AgentInput,
  request: Omit<ModelRequest, "model">,
): Promise<Result<ModelAnswer>> {
  const models = modelsOf(input);
  if (!models.ok) return models;
  const { max_output_tokens: _, ...settings } = input.agent.model_settings ?? {};
  const set = Object.keys(settings).length === 0 ? request : { ...request, settings };
  return withinBudget(host, input, models.value, set, (limited) => askInOrder(host, input, models.value, limited));
}

async function askInOrder(
  host: AgentHost,
  input: AgentInput,
  models: readonly string[],
  request: Omit<ModelRequest, "model">,
): Promise<Result<ModelAnswer>> {
  const retry = input.llm_retry ?? input.agent.llm_retry ?? null;
  const passed_over: ModelAnswer["passed_over"] = [];
  for (const [i, model] of models.entries()) {
    const brief = i < models.length - 1 ? { retry: "brief" as const } : {};
    const reply = await askOne(host, { ...request, ...brief, model }, retry);
    if (reply.ok) return ok({ ...reply.value, model: reply.value.model ?? model, passed_over });
    if (isFinal(reply.fail)) return reply;
    passed_over.push({ model, fail: reply.fail });
  }
  return { ok: false, fail: allFailed(passed_over) };
}

/** A listener that received half of an answer must not receive a second one. */
const isFinal = ({ reason, details }: Failure): boolean =>
  rulesOfReason(reason).final === true || details?.heard === true;

/** The last model's failure, with the failures of the others in its details. */
function allFailed(failures: ModelAnswer["passed_over"]): Failure {
  const { fail } = failures.at(-1) as ModelAnswer["passed_over"][number];
  const before = failures.slice(0, -1).map(({ model, fail: { message } }) => ({ model, message }));
  return before.length === 0 ? fail : ({ ...fail, details: { ...fail.details, passed_over: before } } as Failure);
}

/** Explains to people why another model answered. */
export function passedOverText({ model, passed_over }: ModelAnswer, turn: number): string {
  const why = passed_over.map((one) => `${one.model} gave no answer (${one.fail.message})`).join(", ");
  return `In turn ${turn} ${why}; ${model} answered instead.`;
}

async function askOne(host: AgentHost, request: ModelRequest, retry: LlmRetry | null): Promise<Result<ModelReply>> {
  // A streaming call is never repeated (agent reference, section 5.3).
  if (request.listener !== undefined && request.tools === undefined)
    return host.callModel({ ...request, retry: "none" });
  if (retry === null) return host.callModel(request);
  for (let attempt = 1; ; attempt++) {
    const reply = await host.callModel({ ...request, retry: "none" });
    if (reply.ok || attempt >= retry.max_attempts) return reply;
    if (!retry.retryable_errors.includes(String(reply.fail.details?.class))) return reply;
    const wait = delay(retry, attempt);
    const left = request.deadline_ms === undefined ? wait : Math.max(0, request.deadline_ms - host.now());
    // After the deadline the next call fails with the deadline error.
    await host.sleep(Math.min(wait, left));
  }
}

/** Milliseconds before the next attempt, `made` having been made. */
function delay({ backoff, base_delay }: LlmRetry, made: number): number {
  if (backoff === "constant") return base_delay;
  return backoff === "linear" ? base_delay * made : base_delay * 2 ** (made - 1);
}
