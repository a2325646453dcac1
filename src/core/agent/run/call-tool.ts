import { defined } from "../../base/defined";
import { type Failure, failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { hasFlag, sameFormat } from "../../base/run-format";
import { dueOf, type KeyedCall, type ToolCall } from "../../calls/host";
import { presentSpec, strictestTool, withoutSpec } from "../../calls/present-tool";
import { maskedArguments } from "../../calls/secret-mask";
import type { ToolSpec } from "../../calls/tool";
import { toolVersion } from "../../effects/effect-id";
import { policyForOther } from "../../effects/policies";
import type { RunLedger } from "../../effects/run-ledger";
import { defaultJournal } from "../../journal/given-journal";
import { UNDO } from "../../lisp/values/tool-values";
import { reviewRequest } from "../../review/kinds";
import { termsOfTool } from "../../review/kinds/about-call";
import { termsWith } from "../../review/policy/terms";
import { sealedTerms } from "../../review/stricter-approval";
import type { AgentInput } from "../definition/agent-input";
import type { AgentDefinition, LlmToolSpec } from "../definition/definition";
import { callWithEffect, presentTool } from "../effects/effect-call";
import type { EffectCaller } from "../effects/effect-call-state";
import type { Answered } from "../result/answered";
import { pruned, type Step } from "../result/step";
import { applyApproval, isExpired } from "../tools/approval";
import { personsAnswer, questionRequest } from "../tools/ask-person";
import { grep, grepN } from "../tools/grep";
import { readLlmQuery } from "../tools/llm-query";
import { llmAgent, llmAnswer } from "../tools/llm-tool";
import type { RunTool } from "../tools/run-tools";
import { wrongArguments } from "../tools/tool-arguments";
import { undoTask } from "../tools/undo-task";
import { readData } from "./given-data";
import type { AgentHost } from "./host";
import type { AgentState } from "./state";

/** The calling run: its tools, and what a child inherits. */
export interface Caller {
  host: AgentHost;
  input: AgentInput;
  state: AgentState;
  tools: Map<string, RunTool>;
  ledger: RunLedger;
}

/** Asks a person, and reports to the run that it waits for one. */
type AskPerson = <T>(ask: () => Promise<T>) => Promise<T>;

/** A call follows its tool through so many changes. Workers of two versions may answer in turn. */
const MOST_CHANGES = 20;

/**
 * One tool call, answered by the worker, another agent, a model, or this engine itself. If the worker's tool has become stricter than
 * the run knows, the call is prepared once more, by the present declaration.
 */
export async function callRunTool(
  caller: Caller,
  call: ToolCall,
  person: AskPerson = (ask) => ask(),
  alone?: EffectCaller["alone"],
): Promise<Answered> {
  const before: Answered[] = [];
  for (;;) {
    const voided = before.at(-1)?.notes?.approval?.by;
    const answered = await callByDeclaration(caller, call, person, defined({ alone, voided }));
    const now = presentSpec(answered.answer);
    if (now === undefined) return withReports(before, answered);
    const isFollowed = before.length < MOST_CHANGES && followTool(caller, call.name, now) !== undefined;
    if (!isFollowed) return withReports(before, { ...answered, answer: withoutSpec(answered.answer) });
    before.push(answered);
  }
}

/** The spec of a tool for this call and those after it; undefined: the run keeps the one that it began with. */
function followTool({ host, input, tools }: Caller, name: string, now: ToolSpec): ToolSpec | undefined {
  const tool = tools.get(name);
  if (tool?.kind !== "worker" || !hasFlag(input, "follows-tools")) return undefined;
  const spec = strictestTool(tool.spec, now);
  if (spec === tool.spec) return spec;
  tools.set(name, { ...tool, spec });
  host.toolChanged?.(spec);
  return spec;
}

/** The answer, with the warnings that the earlier preparation of the call reported. */
function withReports(before: readonly Answered[], answered: Answered): Answered {
  if (before.length === 0) return answered;
  const all = [...before, answered];
  const notice = all.flatMap((one) => one.notice ?? []).join(" ");
  const warnings = all.flatMap((one) => one.warnings ?? []);
  return {
    ...answered,
    ...(notice === "" ? {} : { notice }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

function callByDeclaration(
  caller: Caller,
  call: ToolCall,
  person: AskPerson,
  more: Pick<EffectCaller, "alone" | "voided">,
): Promise<Answered> {
  const tool = caller.tools.get(call.name);
  if (tool?.kind !== "worker" || tool.spec.effect === "read" || refusedCall(tool, call))
    return callWithoutEffect(caller, tool, call, person, more.voided);
  return callWithEffect({ ...effectCaller(caller, call, person), ...more }, tool.spec, call);
}

function effectCaller(caller: Caller, call: ToolCall, person: AskPerson): EffectCaller {
  const { host, input, ledger, tools } = caller;
  return {
    host,
    ledger,
    ...followingTools(caller, call.name),
    comparesTexts: hasFlag(input, "compares-texts"),
    ask: (request, question) =>
      person(() =>
        host.requestReview(termsWith(input.agent.people, request), dueOf(host, call), `${placeInRun(call)}${question}`),
      ),
    waitFor: (decided) => person(() => decided),
    onOther: (names) =>
      policyForOther(
        names.map((name) => tools.get(name)?.spec),
        input.agent.on_other_effect,
      ),
  };
}

/** How a call follows the declaration of its tool; a run without the flag keeps the one that it began with. */
function followingTools(caller: Caller, name: string): Pick<EffectCaller, "follow" | "misfit" | "sealedTerms"> {
  const follows = hasFlag(caller.input, "follows-tools");
  const own = () => (caller.tools.get(name) as RunTool).spec;
  return {
    follow: (now) => followTool(caller, name, now) ?? own(),
    misfit: (now, { args }) => (follows ? wrongArguments(now, args) : null),
    sealedTerms: (spec) => (follows ? sealedTerms(termsOfTool(spec)) : undefined),
  };
}

/** Also the call of a tool with an effect, if it is refused. */
async function callWithoutEffect(
  caller: Caller,
  tool: RunTool | undefined,
  call: ToolCall,
  person: AskPerson,
  voided: string | undefined,
): Promise<Answered> {
  if (call.name === UNDO && caller.input.agent.undo === true)
    return { answer: await undoTask(caller.host, caller.ledger, call.args) };
  const wrong = refusedCall(tool, call);
  if (wrong) return { answer: { ok: false, fail: wrong } };
  if (tool === undefined || !tool.spec.approval) return run(caller, tool, call, person);
  const { host, ledger } = caller;
  const generation = ledger.readKey(placeInRun(call));
  const following = followingTools(caller, call.name);
  for (;;) {
    const now = await presentTool(host, tool.spec, call);
    const misfit = tool.kind === "worker" ? following.misfit(now, call) : null;
    if (misfit !== null) return { answer: { ok: false, fail: misfit } };
    const spec = following.follow(now);
    const sealedNow = { tool_version: toolVersion(now), mission: ledger.mission, generation };
    const seal = { ...sealedNow, ...defined({ terms: following.sealedTerms(spec) }) };
    const request = reviewRequest("approval", { tool: spec, call, seal, voided });
    const decision = await person(() => host.requestReview(request, dueOf(host, call), placeInRun(call)));
    if (!decision.ok) return { answer: decision };
    const approved = applyApproval(call, decision.value);
    if (!approved.ok) return { answer: { ok: false, fail: approved.fail }, notes: { approval: approved.approval } };
    const { args, approval, notice } = approved;
    const sealed = defined({ approval: decision.value.approval });
    const answered = await run(caller, tool, { ...call, args, ...sealed }, person);
    if (isExpired(answered.answer)) continue;
    return {
      ...answered,
      notes: { ...answered.notes, approval, args },
      ...defined({ notice }),
    };
  }
}

/** Nothing is sent, and nobody is asked, for a call whose arguments do not fit. Agents and models check their own. */
function refusedCall(tool: RunTool | undefined, { args }: ToolCall): Failure | null {
  return tool?.kind === "worker" ? (wrongArguments(tool.spec, args) ?? maskedArguments(tool.spec, args)) : null;
}

/** Names the review of a call within the run: made again after a pause, the call finds its open review. */
export const placeInRun = ({ turn, call }: ToolCall): string => `${turn}.${call}`;

/** A call without an effect has a key by its place. */
const keyed = ({ ledger }: Caller, call: ToolCall): KeyedCall => ({ ...call, key: ledger.readKey(placeInRun(call)) });

async function run(caller: Caller, tool: RunTool | undefined, call: ToolCall, person: AskPerson): Promise<Answered> {
  switch (tool?.kind) {
    case "agent":
      return runChild(caller, call, tool.agent, call.args, tool.model);
    case "llm":
      return askModel(caller, call, tool.llm, call.args);
    case "llm-query": {
      const query = readLlmQuery(call.args);
      return query.ok ? askModel(caller, call, query.value.llm, query.value.context) : { answer: query };
    }
    case "ask-person": {
      const request = questionRequest(call.args);
      if (!request.ok) return { answer: request };
      const asked = termsWith(caller.input.agent.people, request.value);
      const decision = await person(() => caller.host.requestReview(asked, dueOf(caller.host, call), placeInRun(call)));
      return { answer: decision.ok ? ok(personsAnswer(decision.value)) : decision };
    }
    case "grep":
      return { answer: grep(call.args) };
    case "grep-n":
      return { answer: grepN(call.args) };
    default:
      return { answer: await caller.host.callTool(keyed(caller, call)) };
  }
}

async function askModel(caller: Caller, call: ToolCall, llm: LlmToolSpec, context: JsonObject): Promise<Answered> {
  const agent = llmAgent(call.name, llm);
  const isFit = agent.ok && readData(agent.value, context).fail === null;
  if (llm.validator !== undefined && isFit) {
    const valid = await caller.host.callTool({ ...keyed(caller, call), name: llm.validator });
    if (!valid.ok) return { answer: valid };
  }
  if (!agent.ok) return { answer: agent };
  const asked = await runChild(caller, call, agent.value, context, undefined);
  if (!asked.answer.ok) return asked;
  return { ...asked, answer: llmAnswer(call.name, llm, asked.answer.value) };
}

/**
 * Another agent's run (agent reference, section 4.3). It inherits the model, the deadline and the turns that are left;
 * its journal, memory and caches are its own.
 */
async function runChild(
  { host, input, state, ledger }: Caller,
  call: ToolCall,
  agent: AgentDefinition,
  context: JsonObject,
  model: string | undefined,
): Promise<Answered> {
  // Before the ledger delegates anything.
  await host.closed?.();
  const max_heap = input.max_heap ?? input.agent.max_heap;
  const given: AgentInput = {
    ...sameFormat(input),
    agent,
    context,
    // The arguments of a model are data: a journal among them could claim that a person has answered. An empty one
    // overrides it.
    journal: defaultJournal({ agent, context }) === null ? {} : null,
    model: model ?? input.agent.model ?? input.model,
    depth: (input.depth ?? 0) + 1,
    remaining_turns: state.remaining_turns,
    // The deadline of the call: a branch of pmap may have an earlier one.
    deadline_ms: dueOf(host, call) ?? null,
    parent_trace_id: state.trace_id,
    ...defined({ llm_registry: input.llm_registry, requested_by: input.requested_by }),
    effects: ledger.delegate(call.name, call.call, call.args, call.task),
    ...budgetOf(input),
    ...(max_heap === null ? {} : { max_heap }),
  };
  const { step: ended, effects } = await host.runAgent(call, given);
  ledger.agentEnded(call.call, effects);
  if (!ended.ok && ended.fail.reason === "configuration_error") return { answer: ended };
  if (!ended.ok)
    return { answer: failed("tool_error", ended.fail.message, { tool: call.name, ...ended.fail.details }) };
  const step = ended.value;
  return {
    answer: childAnswer(call.name, step),
    child: pruned(step),
    notes: { child_trace_id: step.trace_id },
  };
}

/** The tree has one budget, which the root owns. */
function budgetOf({ budget, shares_budget }: AgentInput): Pick<AgentInput, "shares_budget"> {
  const shared = shares_budget ?? (budget ? { cost: budget.cost !== undefined } : undefined);
  return defined({ shares_budget: shared });
}

/** The calling program sees what the child returned, or that it failed and why. */
function childAnswer(tool: string, { fail, return: value }: Step): Result<Json> {
  if (fail === null) return ok(value);
  // What operators have to set right is no failure of the child.
  if (fail.reason === "configuration_error") return { ok: false, fail };
  return failed("tool_error", `${fail.reason}: ${fail.message}`, { tool, child_reason: fail.reason });
}
