import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { hasFlag } from "../../base/run-format";
import type { Message, ModelReply } from "../../calls/host";
import { continueProgram, startProgram } from "../../lisp/machine/start";
import type { ProgramEnd, ProgramOptions } from "../../lisp/program";
import type { ToolFinder } from "../../lisp/values/context";
import type { Value } from "../../lisp/values/values";
import { renderMismatches } from "../../signature/check";
import { renderType } from "../../signature/render";
import { type AgentDefinition, agentSignature, isOneTurn } from "../definition/definition";
import { compressed, compressionStats } from "../prompt/compress";
import * as feedback from "../prompt/feedback";
import { foundTools } from "../prompt/inventory";
import { listedRecords, missionLogNews, withNews } from "../prompt/mission-log-news";
import { progressForModel } from "../prompt/progress";
import { joined, missionText, openingMessage, systemPrompt } from "../prompt/prompt";
import { needsSearch } from "../prompt/tool-index";
import { type Extracted, extractProgram } from "../reply/extract-program";
import { rulesOfReason } from "../result/run-reasons";
import { recorded } from "../result/sizes";
import type { Usage } from "../result/step";
import { failAsJson, failureTurn, successTurn, type TurnDraft, type TurnType } from "../result/turn";
import { isSingleShot } from "../tools/run-tools";
import { refusedTurn } from "./checks";
import { failedEnd, type Mode, type ModeOf, type ModeRun, type OpenTurn, type TurnEnd, type TurnRequest } from "./mode";
import { deliberateFailure, judgeReturn, shown } from "./outcome";
import { programOptions, withTimeout } from "./program-options";
import { describeDefined } from "./run-memory";
import { type OpenProgram, type ProgramPort, RunningProgram } from "./run-program";
import { type AgentState, keepFound, type OpenTurnState, warnEach, warnOnce } from "./state";

/** The model answers with programs (agent reference, section 9). */
export const programMode: ModeOf = (run) => new ProgramMode(run);

/** The fields that a turn with a program has in the state. */
interface WrittenTurn {
  notices: string[];
  /** Absent = none. */
  found?: string[];
  program: OpenProgram;
}

/** A place where a program names a tool that it calls. */
const TOOL_NAME = /\btool\//g;

class ProgramMode implements Mode {
  /** Notes to the model about this turn. */
  private notices: string[] = [];
  /** Tools that the searches of this turn have found. */
  private readonly found = new Set<string>();

  constructor(private readonly run: ModeRun) {}

  private get agent(): AgentDefinition {
    return this.run.input.agent;
  }

  // --- before the model is asked -----------------------------------------------------------------------------------

  refusal(): Failure | null {
    return refusedTurn(this.agent, this.run.state, this.run.host.now());
  }

  opening(): { prompt: string; messages: Message[] } {
    const { agent } = this;
    const { input, data } = this.run;
    const prompt = missionText(agent, data);
    const content = openingMessage(agent, input, data, prompt, this.progressForModel());
    return { prompt, messages: [{ role: "user", content }] };
  }

  get system(): string {
    const { input, data, state } = this.run;
    const { prompt, mission_log } = state;
    if (prompt === null || mission_log === null) return "";
    return systemPrompt(this.agent, input, data, prompt, this.showsJournal(), mission_log);
  }

  /** Prompt parts about the journal: on when there is one, or a plan; an explicit option wins. */
  private showsJournal(): boolean {
    return this.agent.journaling ?? (this.run.journal !== null || this.agent.plan.length > 0);
  }

  private progressForModel(): string {
    return this.showsJournal() ? progressForModel(this.agent.plan, this.run.memory.summaries) : "";
  }

  ask(type: TurnType): TurnRequest {
    const { host, state, tools } = this.run;
    const news = this.missionLogNews();
    // A compressed history is not in the conversation: the record of the turn has it.
    const instead: Message[] | null = this.compresses()
      ? [{ role: "user", content: joined(this.run.forModel(this.compressedHistory()), news) }]
      : null;
    if (instead === null) state.messages = withNews(state.messages, news);
    host.asksModel?.(() => this.run.asState());
    return {
      system: this.system,
      messages: instead ?? state.messages,
      output: "ptc_lisp",
      tool_names: type === "normal" ? [...tools.keys()] : [],
    };
  }

  /**
   * The records of the Mission Log that are new to the model. The first request has the log in the system prompt, which
   * stays. A compressed history is sent anew in each turn, so the news since then are sent again with it.
   */
  private missionLogNews(): string {
    const { journal, state, forModel } = this.run;
    const shownJournal = journal !== null && this.agent.journaling !== false ? journal : null;
    state.mission_log ??= shownJournal === null ? "" : forModel(shownJournal.missionLog());
    if (shownJournal === null) return "";
    const rows = shownJournal.logRows();
    const news = state.told_log === undefined ? "" : forModel(missionLogNews(state.told_log, rows));
    if (state.told_log === undefined || !this.compresses()) state.told_log = listedRecords(rows);
    return news;
  }

  private compresses(): boolean {
    const { compression, max_turns, retry_turns } = this.agent;
    return compression !== null && this.run.state.turn > 1 && (max_turns > 1 || retry_turns > 0);
  }

  private compressedHistory(): string {
    const { data, input, memory, state } = this.run;
    const { definitions } = memory;
    return compressed({ agent: this.agent, data, input, definitions, state, progress: this.progressForModel() });
  }

  // --- a program from its reply to its end -------------------------------------------------------------------------

  reply({ content }: ModelReply, draft: TurnDraft): OpenTurn | TurnEnd {
    const given = this.run.input.program;
    const extracted: Extracted =
      given === undefined ? extractProgram(content) : { ok: true, source: given, kept: given };
    draft.said.content = extracted.kept;
    if (!extracted.ok) {
      const fail: Failure = { reason: "parse_error", message: extracted.message };
      if (isSingleShot(this.agent)) return failedEnd(draft, { ...fail, reason: "no_code_found" }, failAsJson(fail));
      return this.next(draft, failAsJson(fail), () => feedback.noCode(extracted.message));
    }
    draft.opening = { ...draft.opening, program: extracted.source };
    const program = startProgram(this.programOptions(extracted.source));
    return this.opened(draft, new RunningProgram(program, this.port(extracted.source)));
  }

  restored(written: OpenTurnState): OpenTurn {
    const { turn, notices, found = [], program } = written as OpenTurnState & WrittenTurn;
    this.notices = notices;
    for (const name of found) this.found.add(name);
    const source = turn.opening.program as string;
    const { program: continued, given } = continueProgram(program.machine, this.programOptions(source));
    this.run.memory.adopt(given.memory, given.history);
    return this.opened(turn, new RunningProgram(continued, this.port(source), program));
  }

  private opened(draft: TurnDraft, running: RunningProgram): OpenTurn<ProgramEnd> {
    return {
      get isPaused() {
        return running.isPaused;
      },
      advance: () => running.advance(),
      end: (end) => this.ended(end, draft),
      recheck: () => running.recheck(),
      state: () => this.written(running.state()),
    };
  }

  private written(program: OpenProgram): WrittenTurn {
    const { notices, found } = this;
    return { notices, ...(found.size === 0 ? {} : { found: [...found] }), program };
  }

  /** The state of an open program has the memory and the history, with the values that it shares with them. */
  state(isOpen: boolean): Partial<AgentState> {
    return isOpen ? { memory: {}, history: [] } : {};
  }

  private programOptions(source: string): ProgramOptions {
    const { host, input, state, memory, journal, ledger, data } = this.run;
    const agent = input.max_heap === undefined ? this.agent : { ...this.agent, max_heap: input.max_heap };
    const comparesTexts = hasFlag(input, "compares-texts");
    const search = this.toolFinder();
    const world = { agent, state, memory, journal, ledger, comparesTexts, data, depth: input.depth ?? 0, search };
    return programOptions(world, source, () => host.now());
  }

  /** The search of this run's tools. It notes the names that it found, unless the prompt shows all tools. */
  private toolFinder(): ToolFinder {
    const { search } = this.run;
    const isNeeded = needsSearch(this.agent, search.size);
    return {
      size: search.size,
      isNeeded,
      find: (words, limit) => {
        const found = search.find(words, limit);
        if (isNeeded) for (const { name } of found) this.found.add(name);
        return found;
      },
    };
  }

  private port(source: string): ProgramPort {
    const { host, calls, state } = this.run;
    const { turn } = state;
    const several = (source.match(TOOL_NAME)?.length ?? 0) > 1;
    return {
      turn,
      callTool: ({ call, ...how }) => calls.call(call, how),
      decideOtherEffect: (question, started) => calls.decideOther(question, started),
      noted: (notice) => void this.notices.push(notice),
      shouldPause: (underWay) => host.shouldPause?.(underWay) === true,
      beginSequence: ({ name }, program) =>
        host.beginSequence?.({ tool: name, turn, several }, () => this.run.asState(this.written(program()))),
      now: () => host.now(),
    };
  }

  // --- the end of a turn -------------------------------------------------------------------------------------------

  private ended(end: ProgramEnd, draft: TurnDraft): TurnEnd {
    const { agent } = this;
    const { host, state, memory, calls } = this.run;
    host.stepped?.(end.steps);
    const tool_calls = end.tool_calls.map((call) => ({ ...call, result: recorded(call.result) }));
    state.last_program = { prints: end.prints, tool_calls, pmap_calls: end.pmap_calls };
    Object.assign(draft.params, { prints: end.prints, tool_calls });
    for (const { code, message } of end.warnings) this.warn(code, message);
    memory.toolCache = end.tool_cache;
    if (calls.notConfigured) return failedEnd(draft, calls.notConfigured);
    const { outcome } = end;
    switch (outcome.kind) {
      case "error":
        return this.programError(draft, withTimeout(agent, outcome.fail, end.steps));
      case "fail":
        this.keepAtTheEnd(end);
        draft.params.memory = describeDefined(end);
        return failedEnd(draft, deliberateFailure(agent, outcome.value), shown(agent, outcome.value));
      case "return":
        return this.returned(draft, end, outcome.value);
      case "value":
        return isOneTurn(agent) ? this.returned(draft, end, outcome.value) : this.plainValue(draft, end, outcome.value);
    }
  }

  /** The model is informed in the same turn of every record that was given for another effect. */
  private warn(code: string, message: string): void {
    const { state } = this.run;
    if (code !== "other_effect") return warnOnce(state, code, message);
    warnEach(state, code, message);
    this.notices.push(message);
  }

  private programError(draft: TurnDraft, fail: Failure): TurnEnd {
    // No model could write another program.
    if (isSingleShot(this.agent) || this.run.input.program !== undefined) return failedEnd(draft, fail);
    const shownFail = failAsJson(fail);
    return this.next(draft, shownFail, (left) => feedback.failure(this.agent, fail.message, left), {
      lastFail: shownFail,
    });
  }

  private returned(draft: TurnDraft, end: ProgramEnd, value: Value): TurnEnd {
    const { agent } = this;
    const { journal, memory, state } = this.run;
    const judged = judgeReturn(agent, value, journal !== null);
    if (judged.kind === "unusable") return this.programError(draft, judged.fail);
    this.keepAtTheEnd(end);
    draft.params.memory = describeDefined(end);
    if (judged.kind === "fits") {
      memory.mergeSummaries(end.summaries);
      const turn = successTurn(draft.opening, judged.result, draft.params);
      return { turn, value: judged.result, fail: null };
    }
    const message = renderMismatches(judged.mismatches);
    const errors = judged.mismatches.map(({ path, message: what }) => ({ path, message: what }));
    if (isOneTurn(agent)) return failedEnd(draft, { reason: "validation_error", message, details: { errors } });
    state.last_validation = message;
    const signature = agentSignature(agent);
    const expected = signature === undefined ? ":any" : renderType(signature.output);
    const result = { reason: "return_validation_failed", message, actual_value: judged.actual, errors };
    return this.next(draft, result, (left) =>
      feedback.invalidReturn(agent, expected, judged.text, judged.mismatches, left),
    );
  }

  /** The program ended with a value and without return: its definitions stay, and the model sees its output. */
  private plainValue(draft: TurnDraft, end: ProgramEnd, value: Value): TurnEnd {
    const { agent } = this;
    const { memory } = this.run;
    const result = shown(agent, value);
    const kept = memory.keep(end.memory, agent.memory_limit);
    if (!kept.ok) {
      const { fail } = kept;
      // Definitions that cannot be stored at all are an error of the program; too many of them are a matter of limits.
      if (fail.reason !== "memory_limit_exceeded") return this.programError(draft, fail);
      if (agent.memory_strategy === "strict") return failedEnd(draft, fail, result);
      return this.next(draft, result, () => feedback.rollback(fail.message));
    }
    memory.mergeSummaries(end.summaries);
    memory.remember(value, agent.format_options.history_max_bytes);
    draft.params.memory = describeDefined(end);
    const printed = feedback.printed(agent, end.prints);
    draft.params.feedback_truncated = printed.truncated;
    return this.next(
      draft,
      result,
      (left) => feedback.success(agent, printed.text, end.defined, left, this.progressForModel()),
      { success: true },
    );
  }

  /** The run ends in any case: definitions that cannot be kept must not prevent that. */
  private keepAtTheEnd(end: ProgramEnd): void {
    const kept = this.run.memory.keep(end.memory, this.agent.memory_limit);
    if (kept.ok) return;
    const message = `The last definitions were not kept: ${kept.fail.message}`;
    warnOnce(this.run.state, "definitions_dropped", message);
  }

  /** @param lastFail `data/fail` of the next program */
  private next(
    draft: TurnDraft,
    result: Json,
    feedbackOf: (left: feedback.TurnsLeft) => string,
    { lastFail = null, success = false }: { lastFail?: JsonObject | null; success?: boolean } = {},
  ): TurnEnd {
    const turn = (success ? successTurn : failureTurn)(draft.opening, result, draft.params);
    this.run.state.last_fail = lastFail;
    return { turn, next: (left) => [draft.said, { role: "user", content: this.content(feedbackOf(left)) }] };
  }

  /** The message to the model after a turn: the notes of the turn, the tools that it found, and the feedback. */
  private content(text: string): string {
    const notices = this.notices.map((notice) => `Note: ${notice}`);
    const found = [...this.found];
    this.notices = [];
    this.found.clear();
    keepFound(this.run.state, found);
    return this.run.forModel(joined(...notices, foundTools(this.agent, found), text));
  }

  // --- the end of the run ------------------------------------------------------------------------------------------

  /** The newest value, if the run may end with it instead of a return. */
  fallback({ reason }: Failure): Json | undefined {
    const { input, memory } = this.run;
    const partial = reason === "budget_callback_exceeded" && input.on_budget_exceeded === "return_partial";
    if (!partial && !rulesOfReason(reason).out_of_turns) return undefined;
    const value = memory.fallBack((found) => judgeReturn(this.agent, found).kind === "fits");
    const judged = value === undefined ? undefined : judgeReturn(this.agent, value);
    return judged?.kind === "fits" ? judged.result : undefined;
  }

  usage(startedTurns: number): Partial<Usage> {
    if (this.agent.compression === null || startedTurns <= 1) return {};
    return { compression: compressionStats(this.agent, this.run.state.turns, startedTurns) };
  }
}
