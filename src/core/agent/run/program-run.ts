import type { Failure, Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { Message, ModelReply } from "../../calls/host";
import type { Journal } from "../../journal/journal";
import { continueProgram, startProgram } from "../../lisp/machine/start";
import type { ProgramEnd, ProgramOptions } from "../../lisp/program";
import type { Value } from "../../lisp/values/values";
import { renderMismatches } from "../../signature/check";
import { renderType } from "../../signature/render";
import { agentSignature, isOneTurn } from "../definition/definition";
import { compressed, compressionStats } from "../prompt/compress";
import * as feedback from "../prompt/feedback";
import { foundTools } from "../prompt/inventory";
import { missionLogNews, toldRecords, withNews } from "../prompt/mission-log-news";
import { progressForModel } from "../prompt/progress";
import { joined, missionText, openingMessage, systemPrompt } from "../prompt/prompt";
import { type Extracted, extractProgram } from "../reply/extract-program";
import { recorded } from "../result/sizes";
import type { Step, Usage } from "../result/step";
import { failAsJson, failureTurn, type OpenTurn, successTurn, type TurnType } from "../result/turn";
import { isSingleShot } from "../tools/run-tools";
import { askModels, type ModelAnswer } from "./ask-models";
import { BaseRun, type RunArguments } from "./base-run";
import { refusedTurn } from "./checks";
import type { SequenceStart } from "./host";
import { deliberateFailure, judgeReturn, shown } from "./outcome";
import { programOptions, withTimeout } from "./program-options";
import { describeDefined } from "./run-memory";
import { type ProgramPort, RunningProgram } from "./run-program";
import type { AgentState, OpenProgram, OpenTurnState } from "./state";

/** Where a program names a tool that it calls. */
const TOOL_NAME = /\btool\//g;

/** A turn whose program runs. */
interface OpenRun {
  turn: OpenTurn;
  running: RunningProgram;
}

/** A run whose model answers with programs (agent reference, section 9). */
export class ProgramRun extends BaseRun {
  private open: OpenRun | null = null;
  /** Tools that the searches of this turn have found. */
  private readonly found = new Set<string>();

  constructor(...args: RunArguments) {
    super(...args);
    const { open } = this.s;
    if (open === undefined) return;
    delete this.s.open;
    this.open = this.restored(open);
  }

  // --- before the model is asked -----------------------------------------------------------------------------------

  protected refusedTurn(): Failure | null {
    return refusedTurn(this.agent, this.s, this.host.now());
  }

  protected opening(): { prompt: string; messages: Message[] } {
    const prompt = missionText(this.agent, this.data);
    const content = openingMessage(this.agent, this.input, this.data, prompt, this.progressForModel());
    return { prompt, messages: [{ role: "user", content }] };
  }

  protected again(live: Journal | undefined): ProgramRun {
    return new ProgramRun(this.host, this.input, undefined, this.observer, live);
  }

  /** Prompt parts about the journal: on when there is one, or a plan; an explicit option wins. */
  private showsJournal(): boolean {
    return this.agent.journaling ?? (this.journal !== null || this.agent.plan.length > 0);
  }

  protected get system(): string {
    const { prompt, mission_log } = this.s;
    if (prompt === null || mission_log === null) return "";
    return systemPrompt(this.agent, this.input, this.data, prompt, this.showsJournal(), mission_log);
  }

  private progressForModel(): string {
    return this.showsJournal() ? progressForModel(this.agent.plan, this.memory.summaries) : "";
  }

  protected askModel(type: TurnType): Promise<Result<ModelAnswer>> {
    const { s } = this;
    const news = this.missionLogNews();
    // A compressed history is not in the conversation: the record of the turn has it.
    this.compressed = this.compresses()
      ? [{ role: "user", content: joined(this.forModel(this.compressedHistory()), news) }]
      : null;
    if (this.compressed === null) s.messages = withNews(s.messages, news);
    this.host.asksModel?.(() => this.state);
    return askModels(this.host, this.input, {
      turn: s.turn,
      system: this.system,
      messages: this.compressed ?? s.messages,
      output: "ptc_lisp",
      tool_names: type === "normal" ? [...this.tools.keys()] : [],
      ...(this.caches ? { cache: true } : {}),
      ...(s.deadline_ms === null ? {} : { deadline_ms: s.deadline_ms }),
    });
  }

  /**
   * What the model has not been told of the Mission Log. The first call has the log in the system prompt, which stays. A
   * compressed history is told anew on each turn, and with it all that was recorded since then.
   */
  private missionLogNews(): string {
    const { agent, journal, s } = this;
    const shown = journal !== null && agent.journaling !== false ? journal : null;
    s.mission_log ??= shown === null ? "" : this.forModel(shown.missionLog());
    if (shown === null) return "";
    const rows = shown.logRows();
    const news = s.told_log === undefined ? "" : this.forModel(missionLogNews(s.told_log, rows));
    if (s.told_log === undefined || !this.compresses()) s.told_log = toldRecords(rows);
    return news;
  }

  private compresses(): boolean {
    const { compression, max_turns, retry_turns } = this.agent;
    return compression !== null && this.s.turn > 1 && (max_turns > 1 || retry_turns > 0);
  }

  private compressedHistory(): string {
    const { agent, data, input, memory, s } = this;
    return compressed({
      agent,
      data,
      input,
      definitions: memory.definitions,
      state: s,
      progress: this.progressForModel(),
    });
  }

  // --- after the model answered ------------------------------------------------------------------------------------

  protected async runReply(reply: ModelReply, type: TurnType): Promise<Step | null> {
    const given = this.input.program;
    const extracted: Extracted =
      given === undefined ? extractProgram(reply.content) : { ok: true, source: given, kept: given };
    const program = extracted.ok ? extracted.source : null;
    const turn: OpenTurn = {
      opening: { number: this.s.turn, raw_response: reply.content, program },
      params: { type, model: reply.model, tokens: reply.tokens, ...this.sent() },
      said: { role: "assistant", content: extracted.kept },
    };
    if (!extracted.ok) {
      const fail: Failure = { reason: "parse_error", message: extracted.message };
      if (isSingleShot(this.agent)) return this.endTurn(turn, { ...fail, reason: "no_code_found" }, failAsJson(fail));
      return this.goOn(turn, failAsJson(fail), () => feedback.noCode(extracted.message));
    }
    this.ledger.beginProgram(this.replied_at, reply);
    const running = new RunningProgram(startProgram(this.programOptions(extracted.source)), this.port());
    this.open = { turn, running };
    return this.goOnInTurn();
  }

  private programOptions(source: string): ProgramOptions {
    const { host, input, s, memory, journal, data } = this;
    const agent = input.max_heap === undefined ? this.agent : { ...this.agent, max_heap: input.max_heap };
    const depth = input.depth ?? 0;
    const { ledger } = this;
    const search = this.toolFinder((names) => {
      for (const name of names) this.found.add(name);
    });
    const world = { agent, state: s, memory, journal, ledger, data, depth, search };
    return programOptions(world, source, () => host.now());
  }

  private port(): ProgramPort {
    const { host } = this;
    return {
      turn: this.s.turn,
      callTool: ({ call, ...how }) => this.callTool(call, how),
      decideOtherEffect: (question, started) => this.decideOtherEffect(question, started),
      shouldPause: (underWay) => host.shouldPause?.(underWay) === true,
      beginSequence: ({ name }, program) =>
        host.beginSequence?.({ tool: name, ...this.nextCall() }, () => this.stateWith(program())),
      now: () => host.now(),
    };
  }

  private nextCall(): Omit<SequenceStart, "tool"> {
    const program = this.open?.turn.opening.program ?? "";
    return { turn: this.s.turn, several: (program.match(TOOL_NAME)?.length ?? 0) > 1 };
  }

  // --- in the middle of a program ----------------------------------------------------------------------------------

  override get isOpen(): boolean {
    return this.open !== null;
  }

  protected override async goOnInTurn(): Promise<Step | null> {
    const { turn, running } = this.open as OpenRun;
    const end = await running.advance();
    if (end === null) return null;
    this.open = null;
    this.keepChildren();
    return this.afterProgram(end, turn);
  }

  override get isPaused(): boolean {
    return this.open === null || this.open.running.isPaused;
  }

  override poke(): void {
    this.open?.running.poke();
  }

  override get state(): AgentState {
    return this.open === null ? super.state : this.stateWith(this.open.running.state());
  }

  /** The run in the middle of a turn. */
  private stateWith(program: OpenProgram): AgentState {
    const between = super.state;
    const { turn } = this.open as OpenRun;
    const { notices, journal } = this;
    const open = {
      turn,
      notices,
      children: [...this.children],
      approvals: journal?.openApprovals() ?? [],
      unrecorded: journal?.openUnrecorded() ?? [],
      ...(this.found.size === 0 ? {} : { found: [...this.found] }),
      program,
    };
    // The program's state holds them, with the values that it shares with them.
    return { ...between, memory: {}, history: [], open };
  }

  private restored({ turn, notices, children, approvals, unrecorded, found = [], program }: OpenTurnState): OpenRun {
    const written = program as OpenProgram;
    this.notices = notices;
    for (const name of found) this.found.add(name);
    for (const [call, step] of children) this.children.set(call, step);
    for (const [task, approval] of approvals) this.journal?.noteApproval(task, approval);
    for (const [task, done] of unrecorded) this.journal?.noteUnrecorded(task, done);
    const options = this.programOptions(turn.opening.program as string);
    const { program: continued, given } = continueProgram(written.machine, options);
    this.memory.adopt(given.memory, given.history);
    return { turn, running: new RunningProgram(continued, this.port(), written) };
  }

  private afterProgram(end: ProgramEnd, turn: OpenTurn): Step | null {
    this.host.stepped?.(end.steps);
    const tool_calls = end.tool_calls.map((call) => ({ ...call, result: recorded(call.result) }));
    this.s.last_program = { prints: end.prints, tool_calls, pmap_calls: end.pmap_calls };
    Object.assign(turn.params, { prints: end.prints, tool_calls });
    for (const { code, message } of end.warnings) this.warnOf(code, message);
    this.memory.toolCache = end.tool_cache;
    if (this.notConfigured) return this.endTurn(turn, this.notConfigured);
    const { outcome } = end;
    switch (outcome.kind) {
      case "error":
        return this.programError(turn, withTimeout(this.agent, outcome.fail, end.steps));
      case "fail":
        this.keepAtTheEnd(end);
        turn.params.memory = describeDefined(end);
        return this.endTurn(turn, deliberateFailure(this.agent, outcome.value), shown(this.agent, outcome.value));
      case "return":
        return this.returned(turn, end, outcome.value);
      case "value":
        return isOneTurn(this.agent)
          ? this.returned(turn, end, outcome.value)
          : this.plainValue(turn, end, outcome.value);
    }
  }

  /** Of every record that was given for another effect the model hears in the same turn. */
  private warnOf(code: string, message: string): void {
    if (code !== "other_effect") return this.warn(code, message);
    this.warnAgain(code, message);
    this.notices.push(message);
  }

  private programError(turn: OpenTurn, fail: Failure): Step | null {
    // No model could write another program.
    if (isSingleShot(this.agent) || this.input.program !== undefined) return this.endTurn(turn, fail);
    const shownFail = failAsJson(fail);
    return this.goOn(turn, shownFail, (left) => feedback.failure(this.agent, fail.message, left), shownFail);
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
      return this.close(turn, judged.result);
    }
    const message = renderMismatches(judged.mismatches);
    const errors = judged.mismatches.map(({ path, message: what }) => ({ path, message: what }));
    if (isOneTurn(agent)) return this.endTurn(turn, { reason: "validation_error", message, details: { errors } });
    this.s.last_validation = message;
    const signature = agentSignature(agent);
    const expected = signature === undefined ? ":any" : renderType(signature.output);
    const result = { reason: "return_validation_failed", message, actual_value: judged.actual, errors };
    return this.goOn(turn, result, (left) =>
      feedback.invalidReturn(agent, expected, judged.text, judged.mismatches, left),
    );
  }

  /** The program ended with a value and without return: its definitions stay, and the model sees its output. */
  private plainValue(turn: OpenTurn, end: ProgramEnd, value: Value): Step | null {
    const { agent } = this;
    const result = shown(agent, value);
    const kept = this.memory.keep(end.memory, agent.memory_limit);
    if (!kept.ok) {
      const { fail } = kept;
      // Definitions that cannot be stored at all are an error of the program; too many of them are a matter of limits.
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

  /** The run ends in any case: definitions that cannot be kept must not prevent that. */
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
    const notices = this.notices.map((notice) => `Note: ${notice}`);
    this.notices = [];
    const found = foundTools(this.agent, [...this.found]);
    this.keepFound([...this.found]);
    this.found.clear();
    const content = this.forModel(
      joined(...notices, found, say({ next: s.turn, work: s.work_left, retry: s.retry_left })),
    );
    s.messages = [...s.messages, turn.said, { role: "user", content }];
    return null;
  }

  /** Ends the run between turns with a fail, or with the newest value if that may replace a return. */
  protected override end(fail: Failure, turns: number): Step {
    const partial = fail.reason === "budget_callback_exceeded" && this.input.on_budget_exceeded === "return_partial";
    const mayFallBack = partial || fail.reason === "max_turns_exceeded" || fail.reason === "budget_exhausted";
    if (mayFallBack) {
      const value = this.memory.fallBack((found) => judgeReturn(this.agent, found).kind === "fits");
      const judged = value === undefined ? undefined : judgeReturn(this.agent, value);
      if (judged?.kind === "fits") return this.finish(this.step(judged.result, null, turns, { fallback_used: true }));
    }
    return this.finish(this.step(null, fail, turns));
  }

  protected override step(value: Json, fail: Failure | null, started: number, extra: Partial<Usage> = {}): Step {
    const stats =
      this.agent.compression !== null && started > 1
        ? { compression: compressionStats(this.agent, this.s.turns, started) }
        : {};
    return super.step(value, fail, started, { ...extra, ...stats });
  }
}
