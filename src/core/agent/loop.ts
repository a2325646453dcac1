import type { Conversation } from "../effects";
import { type Failure, failed, type Result } from "../failure";
import type { AgentHost, Message, ModelReply } from "../host";
import { Journal } from "../journal/journal";
import { renderMissionLog } from "../journal/mission-log";
import type { Json, JsonObject } from "../json";
import { LISP_LIMITS } from "../limits";
import { PMap } from "../lisp/collections";
import { decodeValue, encodeValue } from "../lisp/encode";
import { LispError } from "../lisp/errors";
import { lookup } from "../lisp/lookup";
import { decodeMemory, encodeMemory, memoryBytes } from "../lisp/memory";
import { printValue } from "../lisp/print";
import type { ProgramEnd } from "../lisp/program";
import { Keyword, type Value } from "../lisp/values";
import { checkValue, type Mismatch, renderMismatches } from "../signature/check";
import { renderType } from "../signature/render";
import { countTokens, NO_TOKENS, remainingBudget, tokenUsage, totalTokens } from "./budget";
import { extractProgram } from "./extract";
import {
  failureFeedback,
  invalidReturnFeedback,
  noCodeFeedback,
  rollbackFeedback,
  successFeedback,
  type TurnsLeft,
} from "./feedback";
import { truncateForHistory } from "./history-value";
import { renderProgress } from "./progress";
import { firstMessage, missionText, signatureOf, systemPrompt } from "./prompt";
import { normaliseKeys, resultJson } from "./result-value";
import { runProgram } from "./run-program";
import type { AgentInput, AgentState } from "./state";
import { type Step, type Turn, type TurnType, traceOf } from "./step";
import { TemplateError } from "./template";

export type { AgentInput, AgentState } from "./state";

/** What an interested host hears while a turn runs. */
export interface AgentObserver {
  turnStarted?(turn: number, type: TurnType): void;
}

/**
 * The turn loop as a state machine behind AgentHost (agent reference, section 9). Between two turns the whole run is
 * `state`: plain JSON with which another process goes on.
 */
export class AgentRun {
  /** Live: decisions from outside may be recorded in it at any time. */
  readonly journal: Journal | null;
  private readonly s: AgentState;
  private memory: Map<string, Value>;
  private summaries: Map<string, string>;
  private toolCache: Map<string, Json>;
  private history: Value[];
  private readonly context: JsonObject;
  private readonly startFailure: Failure | null = null;
  private over: Step | null = null;
  private system = "";

  constructor(
    private readonly host: AgentHost,
    private readonly input: AgentInput,
    state?: AgentState,
    private readonly observer: AgentObserver = {},
  ) {
    const { agent } = input;
    const now = () => host.now();
    const { journal: contextJournal, ...context } = input.context;
    // The seed's example hands the journal over in the context: accepted when the option itself is absent.
    const usesContext = input.journal === null && contextJournal !== undefined && input.agent.journaling !== false;
    this.context = usesContext ? context : input.context;
    const givenJournal = usesContext ? contextJournal : input.journal;
    if (state) {
      this.s = state;
      this.journal = state.journal === null ? null : Journal.restore(state.journal, now);
    } else {
      const journal = givenJournal === null ? null : Journal.parse(givenJournal, now);
      this.journal = journal?.ok ? journal.value : null;
      this.s = newState(host, input);
      if (usesContext)
        this.warn("journal_in_context", "The journal was taken from the context; pass it as the journal option.");
      if (journal && !journal.ok) this.startFailure = journal.fail;
    }
    this.memory = decodeMemory(this.s.memory);
    this.summaries = new Map(this.s.summaries);
    this.toolCache = new Map(this.s.tool_cache);
    this.history = this.s.history.map(decodeValue);
    this.startFailure ??= this.refusedStart(agent);
  }

  /** One turn: a model call and its program. A Step when the run is over, null when another turn follows. */
  async turn(): Promise<Step | null> {
    if (this.over) return this.over;
    const ended = this.beforeTurn();
    if (ended) return this.end(ended);
    const type = this.turnType();
    this.observer.turnStarted?.(this.s.turn, type);
    const opened = this.openConversation();
    if (!opened.ok) return this.end(opened);
    this.system = systemPrompt(this.input.agent, this.showsJournal(), this.missionLog());
    const reply = await this.host.callModel({
      model: this.input.agent.model ?? this.input.model,
      turn: this.s.turn,
      system: this.system,
      messages: this.s.messages,
      output: "ptc_lisp",
      tool_names: type === "normal" ? this.toolNames() : [],
    });
    if (!reply.ok) return this.end(reply);
    this.s.tokens = countTokens(this.s.tokens, reply.value.tokens);
    const limit = this.input.token_limit ?? null;
    if (limit !== null && totalTokens(this.s.tokens) > limit)
      return this.end(
        failed(
          "budget_callback_exceeded",
          `The token limit of ${limit} is exceeded: ${totalTokens(this.s.tokens)} used.`,
        ),
      );
    return this.afterReply(reply.value, type);
  }

  get turnNumber(): number {
    return this.s.turn;
  }

  get state(): AgentState {
    return {
      ...this.s,
      memory: encodeMemory(this.memory),
      journal: this.journal?.list() ?? null,
      summaries: [...this.summaries],
      tool_cache: [...this.toolCache],
      history: this.history.map((value) => encodeValue(value, { exact: true })),
    };
  }

  conversation(): Conversation {
    return { system: this.system, messages: this.s.messages };
  }

  progress(): string {
    return renderProgress(this.input.agent.plan, this.summaries);
  }

  /** The Step as it would be now, for people who look while it runs; its `return` is nil. */
  partialStep(): Step {
    return this.over ?? this.step(null, null);
  }

  // --- before the model is asked -----------------------------------------------------------------------------------

  private refusedStart(agent: AgentInput["agent"]): Failure | null {
    const depth = this.input.depth ?? 0;
    if (depth >= agent.max_depth)
      return {
        reason: "max_depth_exceeded",
        message: `Agents are nested ${depth} deep; the limit is ${agent.max_depth}.`,
      };
    if (this.s.remaining_turns <= 0)
      return { reason: "turn_budget_exhausted", message: "The turn budget is used up before the first turn." };
    const clash = this.toolNames().find((name) => Object.hasOwn(this.context, name));
    if (clash !== undefined)
      return { reason: "invalid_agent", message: `${clash} is both a tool and data - rename one.` };
    return null;
  }

  private beforeTurn(): Result<never> | null {
    const { agent } = this.input;
    if (this.startFailure) return { ok: false, fail: this.startFailure };
    if (this.s.work_left <= 0 && this.s.retry_left <= 0) return this.exhausted();
    if (this.s.remaining_turns <= 0)
      return failed(
        "turn_budget_exhausted",
        `The turn budget of ${agent.turn_budget} is used up after ${this.s.turn - 1} turn(s).`,
      );
    if (this.s.deadline_ms !== null && this.host.now() > this.s.deadline_ms)
      return failed("mission_timeout", `The mission's time limit of ${agent.mission_timeout_ms} ms has passed.`);
    return null;
  }

  private exhausted(): Result<never> {
    const { agent } = this.input;
    const details: JsonObject = this.s.last_validation === null ? {} : { last_error: this.s.last_validation };
    return agent.retry_turns === 0
      ? failed("max_turns_exceeded", `No (return ...) within ${agent.max_turns} turn(s).`, details)
      : failed(
          "budget_exhausted",
          `No valid (return ...) within ${agent.max_turns} work turn(s) and ${agent.retry_turns} retry turn(s).`,
          details,
        );
  }

  private turnType(): TurnType {
    if (this.s.work_left <= 0) return "retry";
    return this.s.work_left <= 1 ? "must_return" : "normal";
  }

  /** The first message of a run: tools, data, mission. */
  private openConversation(): Result<null> {
    if (this.s.messages.length > 0) return { ok: true, value: null };
    try {
      const mission = missionText(this.input.agent, this.context, this.isSingleShot());
      const content = firstMessage(this.input.agent, this.context, mission, this.progress());
      this.s.messages = [{ role: "user", content }];
      return { ok: true, value: null };
    } catch (error) {
      if (error instanceof TemplateError) return failed("template_error", error.message);
      throw error;
    }
  }

  private isSingleShot(): boolean {
    const { agent } = this.input;
    return agent.max_turns === 1 && agent.tools.length === 0 && agent.retry_turns === 0;
  }

  /** Prompt parts about the journal: on when there is one, or a plan; an explicit option wins. */
  private showsJournal(): boolean {
    return this.input.agent.journaling ?? (this.journal !== null || this.input.agent.plan.length > 0);
  }

  private missionLog(): string {
    return this.journal !== null && this.input.agent.journaling !== false ? renderMissionLog(this.journal.list()) : "";
  }

  private toolNames(): string[] {
    return this.input.agent.tools.map((tool) => (typeof tool === "string" ? tool : tool.name));
  }

  // --- after the model answered ------------------------------------------------------------------------------------

  private async afterReply(reply: ModelReply, type: TurnType): Promise<Step | null> {
    const extracted = extractProgram(reply.content);
    const turn: Turn = {
      number: this.s.turn,
      raw_response: reply.content,
      program: extracted.ok ? extracted.source : null,
      result: null,
      prints: [],
      tool_calls: [],
      memory: {},
      success: false,
      messages: null,
      system_prompt: null,
      type,
      ...(reply.model === undefined ? {} : { model: reply.model }),
    };
    const said: Message = { role: "assistant", content: extracted.kept };
    if (!extracted.ok) {
      if (this.isSingleShot()) return this.finishTurn(turn, { reason: "no_code_found", message: extracted.message });
      return this.goOn(turn, said, { reason: "parse_error", message: extracted.message }, () =>
        noCodeFeedback(extracted.message),
      );
    }
    const end = await runProgram(this.host, this.programOptions(extracted.source), this.s.turn);
    return this.afterProgram(end, turn, said);
  }

  private programOptions(source: string) {
    const { agent } = this.input;
    const fail = this.s.last_fail;
    const reserved = fail === null ? this.context : { ...this.context, fail };
    return {
      source,
      data: reserved,
      memory: this.memory,
      tools: new Map(
        agent.tools.map((tool): [string, { cache?: boolean }] =>
          typeof tool === "string" ? [tool, {}] : [tool.name, tool.cache === undefined ? {} : { cache: tool.cache }],
        ),
      ),
      journal: this.journal,
      history: this.history,
      budget: remainingBudget({
        turns: this.s.remaining_turns,
        work: this.s.work_left,
        retry: this.s.retry_left,
        depth: this.input.depth ?? 0,
        maxDepth: agent.max_depth,
        tokens: this.s.tokens,
      }),
      tool_cache: this.toolCache,
      limits: {
        ...LISP_LIMITS,
        max_steps: agent.max_steps ?? LISP_LIMITS.max_steps,
        max_bytes: agent.max_heap_bytes ?? LISP_LIMITS.max_bytes,
        max_iterations: agent.loop_limit,
        max_parallel: agent.pmap_max_concurrency,
        max_tool_calls: agent.max_tool_calls,
        max_print_chars: agent.format_options.max_print_length,
      },
      now: () => this.host.now(),
    };
  }

  private afterProgram(end: ProgramEnd, turn: Turn, said: Message): Step | null {
    turn.prints = end.prints;
    turn.tool_calls = end.tool_calls.map(({ name, args, result }) => ({ name, args, result }));
    for (const { code, message } of end.warnings) this.warn(code, message);
    this.s.last_program = { prints: end.prints, tool_calls: end.tool_calls, pmap_calls: end.pmap_calls };
    this.toolCache = new Map(end.tool_cache);
    const { outcome } = end;
    switch (outcome.kind) {
      case "error":
        if (this.isSingleShot()) return this.finishTurn(turn, outcome.fail);
        this.s.last_fail = failAsData(outcome.fail);
        return this.goOn(turn, said, outcome.fail, (left) =>
          failureFeedback(this.input.agent, outcome.fail.message, left),
        );
      case "fail":
        return this.deliberateFail(turn, end, outcome.value);
      case "return":
        return this.returned(turn, said, end, outcome.value);
      case "value":
        if (this.input.agent.max_turns === 1 && this.input.agent.retry_turns === 0)
          return this.returned(turn, said, end, outcome.value);
        return this.plainValue(turn, said, end, outcome.value);
    }
  }

  private deliberateFail(turn: Turn, end: ProgramEnd, value: Value): Step {
    this.memory = new Map(end.memory);
    const json = resultJson(value, this.input.agent.float_precision);
    const text = (key: string) => {
      const found = value instanceof PMap ? lookup(value, Keyword.of(key)) : undefined;
      return found === undefined || found === null
        ? undefined
        : found instanceof Keyword
          ? found.name
          : typeof found === "string"
            ? found
            : printValue(found);
    };
    return this.finishTurn(turn, {
      reason: text("reason") ?? "failed",
      message: text("message") ?? printValue(value),
      details: { user_fail: true, value: json },
    });
  }

  private returned(turn: Turn, said: Message, end: ProgramEnd, value: Value): Step | null {
    const { agent } = this.input;
    const result = normaliseKeys(value);
    const mismatches = this.mismatches(result);
    this.memory = new Map(end.memory);
    if (mismatches.length === 0) {
      this.mergeSummaries(end);
      turn.success = true;
      turn.result = resultJson(result, agent.float_precision);
      turn.memory = this.definedIn(end);
      this.record(turn);
      this.over = this.step(turn.result, null);
      return this.over;
    }
    const message = renderMismatches(mismatches);
    const fail: Failure = {
      reason: "return_validation_failed",
      message,
      details: { actual_value: resultJson(result, agent.float_precision), errors: mismatches as never },
    };
    if (agent.max_turns === 1 && agent.retry_turns === 0)
      return this.finishTurn(turn, { ...fail, reason: "validation_error" });
    this.s.last_fail = null;
    this.s.last_validation = message;
    const expected = renderType(signatureOf(agent)?.output as never);
    return this.goOn(turn, said, fail, (left) =>
      invalidReturnFeedback(agent, expected, printValue(result), mismatches, left),
    );
  }

  private mismatches(result: Value): Mismatch[] {
    const signature = signatureOf(this.input.agent);
    return signature === undefined ? [] : checkValue(signature.output, result);
  }

  /** The program ended with a value and without return: its definitions stay, the model is shown what it printed. */
  private plainValue(turn: Turn, said: Message, end: ProgramEnd, value: Value): Step | null {
    const { agent } = this.input;
    const size = this.sizeOf(end.memory);
    if (!size.ok) return this.goOn(turn, said, size.fail, (left) => failureFeedback(agent, size.fail.message, left));
    if (agent.memory_limit !== null && size.value > agent.memory_limit) {
      const fail: Failure = {
        reason: "memory_limit_exceeded",
        message: `The definitions take ${size.value} bytes; the limit is ${agent.memory_limit}.`,
      };
      if (agent.memory_strategy === "strict") return this.finishTurn(turn, fail);
      return this.goOn(turn, said, fail, () => rollbackFeedback(size.value, agent.memory_limit as number));
    }
    this.memory = new Map(end.memory);
    this.mergeSummaries(end);
    this.s.last_fail = null;
    const json = this.storable(value);
    this.history = [
      truncateForHistory(json === undefined ? null : value, agent.format_options.history_max_bytes),
      ...this.history,
    ].slice(0, 3);
    turn.success = true;
    turn.result = json ?? printValue(value);
    turn.memory = this.definedIn(end);
    if (value !== null && json !== undefined)
      this.s.fallback = { value: encodeValue(value, { exact: true }), memory: encodeMemory(this.memory) };
    return this.goOn(turn, said, null, (left) => {
      const feedback = successFeedback(agent, end, left, this.showsJournal() ? this.progress() : "");
      if (feedback.truncated) turn.feedback_truncated = true;
      return feedback.text;
    });
  }

  /** Undefined for what has no data form (a function as the last value). */
  private storable(value: Value): Json | undefined {
    try {
      encodeValue(value);
      return resultJson(value, this.input.agent.float_precision);
    } catch (error) {
      if (error instanceof LispError) return undefined;
      throw error;
    }
  }

  private sizeOf(memory: ReadonlyMap<string, Value>): Result<number> {
    try {
      return { ok: true, value: memoryBytes(memory) };
    } catch (error) {
      if (error instanceof LispError) return { ok: false, fail: error.toFailure() };
      throw error;
    }
  }

  private mergeSummaries(end: ProgramEnd): void {
    for (const [id, summary] of end.summaries) this.summaries.set(id, summary);
  }

  // --- to the next turn, or the end --------------------------------------------------------------------------------

  private goOn(turn: Turn, said: Message, fail: Failure | null, feedback: (left: TurnsLeft) => string): null {
    if (fail !== null) turn.result = failAsData(fail);
    this.record(turn);
    const inRetry = this.s.work_left <= 0;
    this.s.turn += 1;
    this.s.remaining_turns -= 1;
    if (inRetry) this.s.retry_left -= 1;
    else this.s.work_left -= 1;
    const left = { next: this.s.turn, work: this.s.work_left, retry: this.s.retry_left };
    this.s.messages = [...this.s.messages, said, { role: "user", content: feedback(left) }];
    return null;
  }

  private finishTurn(turn: Turn, fail: Failure): Step {
    turn.result = failAsData(fail);
    this.record(turn);
    this.over = this.step(null, fail);
    return this.over;
  }

  private record(turn: Turn): void {
    this.s.turns = [...this.s.turns, turn];
  }

  private end(result: Result<unknown>): Step {
    if (result.ok) throw new Error("a run ends with a failure here");
    const { fail } = result;
    const fallback = this.fallback(fail);
    this.over = fallback ?? this.step(null, fail);
    return this.over;
  }

  /** The newest value of a successful turn stands in for a return that never came, if it fits. */
  private fallback(fail: Failure): Step | null {
    if ((fail.reason !== "max_turns_exceeded" && fail.reason !== "budget_exhausted") || this.s.fallback === null)
      return null;
    const value = normaliseKeys(decodeValue(this.s.fallback.value));
    if (this.mismatches(value).length > 0) return null;
    this.memory = decodeMemory(this.s.fallback.memory);
    const step = this.step(resultJson(value, this.input.agent.float_precision), null);
    return { ...step, usage: { ...(step.usage as NonNullable<Step["usage"]>), fallback_used: true } };
  }

  private warn(code: string, message: string): void {
    if (!this.s.warnings.some((warning) => warning.code === code))
      this.s.warnings = [...this.s.warnings, { code, message }];
  }

  /** What a turn defined; the whole memory is on the Step, once. */
  private definedIn(end: ProgramEnd): JsonObject {
    return encodeMemory(new Map(end.defined.map((name) => [name, end.memory.get(name) ?? null])));
  }

  private shownMemory(): JsonObject {
    return encodeMemory(this.memory);
  }

  private step(value: Json, fail: Failure | null): Step {
    const { agent } = this.input;
    const trace = this.input.trace ?? true;
    const keep = trace === true || (trace === "on_error" && fail !== null);
    const turns = keep ? this.s.turns : null;
    const memory = this.shownMemory();
    return {
      return: value,
      fail,
      memory,
      journal: this.journal?.toJson() ?? null,
      summaries: Object.fromEntries(this.summaries),
      signature: agent.signature ?? null,
      usage: {
        duration_ms: this.host.now() - this.s.started_at,
        memory_bytes: memoryBytes(this.memory),
        turns: this.s.turns.length,
        ...tokenUsage(this.s.tokens, this.system === "" ? null : this.system),
      },
      turns,
      trace: turns === null ? null : traceOf(turns),
      trace_id: this.s.trace_id,
      parent_trace_id: this.input.parent_trace_id ?? null,
      name: agent.name ?? null,
      field_descriptions: fail === null ? (agent.field_descriptions ?? null) : null,
      prints: this.s.last_program.prints,
      tool_calls: this.s.last_program.tool_calls,
      pmap_calls: this.s.last_program.pmap_calls,
      child_traces: [],
      child_steps: [],
      messages: this.input.collect_messages ? [{ role: "system", content: this.system }, ...this.s.messages] : null,
      prompt: this.s.messages[0]?.content ?? null,
      original_prompt: agent.prompt,
      tools: Object.fromEntries(
        agent.tools.map((tool) =>
          typeof tool === "string"
            ? [tool, { signature: null, description: null }]
            : [tool.name, { signature: tool.signature ?? null, description: tool.description ?? null }],
        ),
      ),
      tool_cache: Object.fromEntries(this.toolCache),
      warnings: this.s.warnings,
    };
  }
}

/** A whole run on a host that need not stop between turns. */
export async function runAgent(host: AgentHost, input: AgentInput, observer?: AgentObserver): Promise<Step> {
  const run = new AgentRun(host, input, undefined, observer);
  for (;;) {
    const step = await run.turn();
    if (step !== null) return step;
  }
}

function newState(host: AgentHost, input: AgentInput): AgentState {
  const { agent } = input;
  const now = host.now();
  return {
    started_at: now,
    trace_id: input.trace_id ?? host.uuid().replaceAll("-", ""),
    turn: 1,
    work_left: agent.max_turns,
    retry_left: agent.retry_turns,
    remaining_turns: input.remaining_turns ?? agent.turn_budget,
    deadline_ms: input.deadline_ms ?? (agent.mission_timeout_ms === null ? null : now + agent.mission_timeout_ms),
    messages: [],
    memory: {},
    journal: null,
    summaries: [],
    tool_cache: [],
    history: [],
    last_fail: null,
    last_validation: null,
    tokens: NO_TOKENS,
    turns: [],
    warnings: [],
    fallback: null,
    last_program: { prints: [], tool_calls: [], pmap_calls: [] },
  };
}

const failAsData = (fail: Failure): JsonObject => ({
  reason: fail.reason,
  message: fail.message,
  ...(fail.op === undefined ? {} : { op: fail.op }),
  ...(fail.details === undefined ? {} : { details: fail.details }),
});
