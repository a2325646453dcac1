import { type Failure, ok, type Result } from "../failure";
import type { AgentHost, Message, ModelReply } from "../host";
import type { Journal } from "../journal/journal";
import { renderMissionLog } from "../journal/mission-log";
import type { Json, JsonObject } from "../json";
import type { ProgramEnd } from "../lisp/program";
import type { Value } from "../lisp/values";
import { renderMismatches } from "../signature/check";
import { renderType } from "../signature/render";
import { budgetFailure, countTokens } from "./budget";
import { buildStep } from "./build-step";
import { refusedStart, refusedTurn, startingJournal, turnType } from "./checks";
import { type AgentDefinition, isOneTurn, isSingleShot, toolSpecs } from "./definition";
import { extractProgram } from "./extract";
import * as feedback from "./feedback";
import { givenJournal } from "./given-journal";
import { deliberateFailure, judgeReturn, shown } from "./outcome";
import { programOptions } from "./program-options";
import { progressForModel, renderProgress } from "./progress";
import { missionText, openingMessage, signatureOf, systemPrompt } from "./prompt";
import { describeDefined, RunMemory } from "./run-memory";
import { runProgram } from "./run-program";
import { recorded } from "./sizes";
import { type AgentInput, type AgentState, newState } from "./state";
import type { Step, Usage } from "./step";
import { TemplateError } from "./template";
import { failAsJson, failureTurn, successTurn, type Turn, type TurnParams, type TurnType } from "./turn";

export type { AgentInput, AgentState } from "./state";

/** What an interested host hears while a turn runs. */
export interface AgentObserver {
  turnStarted?(turn: number, type: TurnType): void;
}

/** A turn under way: the reply, and what its record will say. */
interface OpenTurn {
  opening: Pick<Turn, "number" | "raw_response" | "program">;
  params: TurnParams;
  /** What stays of the reply in the conversation. */
  said: Message;
}

/**
 * The turn loop as a state machine behind AgentHost (agent reference, section 9). Between two turns the whole run is
 * `state`: plain JSON with which another process goes on.
 */
export class AgentRun {
  /** Live: decisions from outside may be recorded in it at any time. */
  readonly journal: Journal | null;
  private readonly agent: AgentDefinition;
  private readonly s: AgentState;
  private readonly memory: RunMemory;
  private readonly data: JsonObject;
  private readonly startFailure: Failure | null;
  private over: Step | null = null;
  private system: string;

  constructor(
    private readonly host: AgentHost,
    private readonly input: AgentInput,
    state?: AgentState,
    private readonly observer: AgentObserver = {},
    live?: Journal,
  ) {
    this.agent = input.agent;
    const given = givenJournal(input);
    this.data = given.data;
    this.s = state ?? newState(host, input);
    this.memory = new RunMemory(this.s);
    const journal = live ? ok(live) : startingJournal(given.journal, state, () => host.now());
    this.journal = journal.ok ? journal.value : null;
    if (!state && given.fromContext)
      this.warn("journal_in_context", "The journal was taken from the context; pass it as the journal of the run.");
    this.startFailure = journal.ok ? refusedStart(input, this.s, given.data) : journal.fail;
    this.system = this.systemText();
  }

  /** One turn: a model call and its program. A Step when the run is over, null when another turn follows. */
  async turn(): Promise<Step | null> {
    if (this.over) return this.over;
    const refusal = this.startFailure ?? refusedTurn(this.agent, this.s, this.host.now()) ?? this.openConversation();
    if (refusal) return this.end(refusal, this.s.turn - 1);
    const type = turnType(this.s);
    this.observer.turnStarted?.(this.s.turn, type);
    const reply = await this.askModel(type);
    if (!reply.ok) return this.end(reply.fail, this.s.turn);
    this.s.tokens = countTokens(this.s.tokens, reply.value.tokens);
    const spent = budgetFailure(this.s.tokens, this.input.token_limit ?? null);
    if (spent) return this.end(spent, this.s.turn);
    return this.runReply(reply.value, type);
  }

  /**
   * The mission begun anew with the journal as it is now, who decided what included: how a parked mission goes on. The
   * journal keeps its listener.
   */
  reinvoked(): AgentRun {
    const again = new AgentRun(this.host, this.input, undefined, this.observer, this.journal ?? undefined);
    // What the mission has cost, its budget included, is counted over all its invocations.
    again.s.tokens = this.s.tokens;
    return again;
  }

  /** Ends the run between two turns, for a reason that only its host knows. */
  stop(fail: Failure): Step {
    return this.over ?? this.end(fail, this.s.turns.length);
  }

  get turnNumber(): number {
    return this.s.turn;
  }

  /** Only between turns: what runs inside one is not in it. */
  get state(): AgentState {
    return { ...this.s, ...this.memory.state(), journal: this.journal?.list() ?? null };
  }

  progress(): string {
    return renderProgress(this.agent.plan, this.memory.summaries);
  }

  /** The Step as it would be now, for people who look while it runs; its `return` is nil. */
  partialStep(): Step {
    return this.over ?? this.step(null, null, this.s.turns.length);
  }

  // --- before the model is asked -----------------------------------------------------------------------------------

  /** A mission that cannot be told is never begun. */
  private openConversation(): Failure | null {
    if (this.s.prompt !== null) return null;
    try {
      this.s.prompt = missionText(this.agent, this.data);
      const progress = this.progressForModel();
      this.s.messages = [{ role: "user", content: openingMessage(this.agent, this.data, this.s.prompt, progress) }];
      return null;
    } catch (error) {
      if (error instanceof TemplateError) return { reason: "template_error", message: error.message };
      throw error;
    }
  }

  /** Prompt parts about the journal: on when there is one, or a plan; an explicit option wins. */
  private showsJournal(): boolean {
    return this.agent.journaling ?? (this.journal !== null || this.agent.plan.length > 0);
  }

  /** The system prompt sent last; "" before the first. */
  private systemText(): string {
    const { prompt, mission_log } = this.s;
    if (prompt === null || mission_log === null) return "";
    return systemPrompt(this.agent, this.data, prompt, this.showsJournal(), mission_log);
  }

  private progressForModel(): string {
    return this.showsJournal() ? progressForModel(this.agent.plan, this.memory.summaries) : "";
  }

  private askModel(type: TurnType): Promise<Result<ModelReply>> {
    const { agent } = this;
    const log = this.journal !== null && agent.journaling !== false ? renderMissionLog(this.journal.list()) : "";
    this.s.mission_log = log;
    this.system = this.systemText();
    return this.host.callModel({
      model: agent.model ?? this.input.model,
      turn: this.s.turn,
      system: this.system,
      messages: this.s.messages,
      output: "ptc_lisp",
      tool_names: type === "normal" ? toolSpecs(agent).map((tool) => tool.name) : [],
    });
  }

  // --- after the model answered ------------------------------------------------------------------------------------

  private async runReply(reply: ModelReply, type: TurnType): Promise<Step | null> {
    const extracted = extractProgram(reply.content);
    const program = extracted.ok ? extracted.source : null;
    const turn: OpenTurn = {
      opening: { number: this.s.turn, raw_response: reply.content, program },
      params: { type, model: reply.model },
      said: { role: "assistant", content: extracted.kept },
    };
    if (!extracted.ok) {
      const fail = { reason: "parse_error", message: extracted.message };
      if (isSingleShot(this.agent)) return this.endTurn(turn, { ...fail, reason: "no_code_found" });
      return this.goOn(turn, failAsJson(fail), () => feedback.noCode(extracted.message));
    }
    const { host, agent, s, memory, journal, data } = this;
    const depth = this.input.depth ?? 0;
    const options = programOptions({ agent, state: s, memory, journal, data, depth }, extracted.source, () =>
      host.now(),
    );
    const end = await runProgram(host, options, s.turn);
    return this.afterProgram(end, turn);
  }

  private afterProgram(end: ProgramEnd, turn: OpenTurn): Step | null {
    const tool_calls = end.tool_calls.map((call) => ({ ...call, result: recorded(call.result) }));
    this.s.last_program = { prints: end.prints, tool_calls, pmap_calls: end.pmap_calls };
    Object.assign(turn.params, { prints: end.prints, tool_calls });
    for (const { code, message } of end.warnings) this.warn(code, message);
    this.memory.toolCache = end.tool_cache;
    const { outcome } = end;
    switch (outcome.kind) {
      case "error":
        return this.programError(turn, outcome.fail);
      case "fail":
        this.keepAtTheEnd(end);
        return this.endTurn(turn, deliberateFailure(this.agent, outcome.value), shown(this.agent, outcome.value));
      case "return":
        return this.returned(turn, end, outcome.value);
      case "value":
        return isOneTurn(this.agent)
          ? this.returned(turn, end, outcome.value)
          : this.plainValue(turn, end, outcome.value);
    }
  }

  private programError(turn: OpenTurn, fail: Failure): Step | null {
    if (isSingleShot(this.agent)) return this.endTurn(turn, fail);
    return this.goOn(
      turn,
      failAsJson(fail),
      (left) => feedback.failure(this.agent, fail.message, left),
      failAsJson(fail),
    );
  }

  private returned(turn: OpenTurn, end: ProgramEnd, value: Value): Step | null {
    const { agent } = this;
    const judged = judgeReturn(agent, value, this.journal !== null);
    if (judged.kind === "unusable") return this.programError(turn, judged.fail);
    this.keepAtTheEnd(end);
    turn.params.memory = describeDefined(end);
    if (judged.kind === "fits") {
      this.memory.mergeSummaries(end.summaries);
      this.record(successTurn(turn.opening, judged.result, turn.params));
      return this.finish(this.step(judged.result, null, this.s.turns.length));
    }
    const message = renderMismatches(judged.mismatches);
    const errors = judged.mismatches.map(({ path, message: what }) => ({ path, message: what }));
    if (isOneTurn(agent)) return this.endTurn(turn, { reason: "validation_error", message, details: { errors } });
    this.s.last_validation = message;
    const expected = renderType(signatureOf(agent)!.output);
    const result = { reason: "return_validation_failed", message, actual_value: judged.actual, errors };
    return this.goOn(turn, result, (left) =>
      feedback.invalidReturn(agent, expected, judged.text, judged.mismatches, left),
    );
  }

  /** The program ended with a value and without return: its definitions stay, the model is shown what it printed. */
  private plainValue(turn: OpenTurn, end: ProgramEnd, value: Value): Step | null {
    const { agent } = this;
    const result = shown(agent, value);
    const kept = this.memory.keep(end.memory, agent.memory_limit);
    if (!kept.ok) {
      const { fail } = kept;
      // Definitions that have no lasting form at all are the program's error; too many of them are a matter of limits.
      if (fail.reason !== "memory_limit_exceeded") return this.programError(turn, fail);
      if (agent.memory_strategy === "strict") return this.endTurn(turn, fail, result);
      return this.goOn(turn, result, () => feedback.rollback(fail.message));
    }
    this.memory.mergeSummaries(end.summaries);
    this.memory.remember(value, agent.format_options.history_max_bytes);
    turn.params.memory = describeDefined(end);
    const printed = feedback.printed(agent, end.prints);
    turn.params.feedback_truncated = printed.truncated;
    return this.goOn(
      turn,
      result,
      (left) => feedback.success(agent, printed.text, end.defined, left, this.progressForModel()),
      null,
      true,
    );
  }

  /** The run is over either way: definitions too large or odd to keep must not keep it from ending. */
  private keepAtTheEnd(end: ProgramEnd): void {
    const kept = this.memory.keep(end.memory, this.agent.memory_limit);
    if (!kept.ok) this.warn("definitions_dropped", `The last definitions were not kept: ${kept.fail.message}`);
  }

  // --- to the next turn, or the end --------------------------------------------------------------------------------

  private goOn(
    turn: OpenTurn,
    result: Json,
    say: (left: feedback.TurnsLeft) => string,
    lastFail: JsonObject | null = null,
    success = false,
  ): null {
    this.record((success ? successTurn : failureTurn)(turn.opening, result, turn.params));
    const { s } = this;
    s.last_fail = lastFail;
    if (s.work_left <= 0) s.retry_left -= 1;
    else s.work_left -= 1;
    s.turn += 1;
    s.remaining_turns -= 1;
    const content = say({ next: s.turn, work: s.work_left, retry: s.retry_left });
    s.messages = [...s.messages, turn.said, { role: "user", content }];
    return null;
  }

  /** The turn ends the run with a fail. */
  private endTurn(turn: OpenTurn, fail: Failure, result: Json = failAsJson(fail)): Step {
    this.record(failureTurn(turn.opening, result, turn.params));
    return this.finish(this.step(null, fail, this.s.turns.length));
  }

  private record(turn: Turn): void {
    this.s.turns = [...this.s.turns, turn];
  }

  /** Between turns: the run ends with a fail, or with the newest value where that may stand in for a return. */
  private end(fail: Failure, turns: number): Step {
    const partial = fail.reason === "budget_callback_exceeded" && this.input.on_budget_exceeded === "return_partial";
    const mayFallBack = partial || fail.reason === "max_turns_exceeded" || fail.reason === "budget_exhausted";
    if (mayFallBack) {
      const value = this.memory.fallBack((found) => judgeReturn(this.agent, found).kind === "fits");
      const judged = value === undefined ? undefined : judgeReturn(this.agent, value);
      if (judged?.kind === "fits") return this.finish(this.step(judged.result, null, turns, { fallback_used: true }));
    }
    return this.finish(this.step(null, fail, turns));
  }

  private finish(step: Step): Step {
    this.over = step;
    return step;
  }

  private warn(code: string, message: string): void {
    if (!this.s.warnings.some((warning) => warning.code === code))
      this.s.warnings = [...this.s.warnings, { code, message }];
  }

  private step(value: Json, fail: Failure | null, started: number, extra: Partial<Usage> = {}): Step {
    const { host, input, s: state, memory, journal, system } = this;
    const end = { value, fail, started_turns: started, extra };
    return buildStep({ now: host.now(), input, state, memory, journal, system }, end);
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
