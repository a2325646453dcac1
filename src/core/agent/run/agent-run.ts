import { type Failure, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { Message, ModelReply } from "../../calls/host";
import type { PackedLedger } from "../../effects/packed-ledger";
import { RunLedger } from "../../effects/run-ledger";
import { givenJournal } from "../../journal/given-journal";
import type { Journal } from "../../journal/journal";
import { budgetFailure, countTokens, type TokenCounts } from "../budget/token-counts";
import type { AgentInput } from "../definition/agent-input";
import { isOneTurn } from "../definition/definition";
import { TemplateError } from "../definition/template";
import { hiddenTexts, hideTexts } from "../prompt/hidden-values";
import { renderProgress } from "../prompt/progress";
import { rulesOfReason } from "../result/run-reasons";
import type { Step, Usage } from "../result/step";
import type { TurnDraft, TurnParams, TurnType } from "../result/turn";
import { runTools } from "../tools/run-tools";
import { ToolSearch } from "../tools/tool-search";
import { askModels, type ModelAnswer, passedOverText } from "./ask-models";
import { buildStep } from "./build-step";
import { missionTimeout, refusedStart, startingJournal, turnType } from "./checks";
import { readData } from "./given-data";
import type { AgentHost } from "./host";
import type { Mode, ModeOf, OpenTurn, TurnEnd } from "./mode";
import { RunCalls } from "./run-calls";
import { RunMemory } from "./run-memory";
import { type AgentState, newState, warnOnce } from "./state";

/** Receives the events of a run while a turn runs. */
export interface AgentObserver {
  turnStarted?(turn: number, type: TurnType): void;
}

/** Stands for the model's name in the turn of a program that no model wrote. */
const COMPILED = "compiled";

/** The parts of a mission that its next invocation takes over from the one before. */
interface EarlierInvocation {
  journal?: Journal | null;
  ledger?: RunLedger;
  /** The usage of the mission, and its budget, are counted over all its invocations. */
  tokens?: TokenCounts;
}

export type RunArguments = [
  host: AgentHost,
  input: AgentInput,
  state?: AgentState,
  observer?: AgentObserver,
  earlier?: EarlierInvocation,
];

/** A turn in its middle. */
interface BegunTurn {
  draft: TurnDraft;
  work: OpenTurn;
}

/**
 * A run as a state machine on an AgentHost (agent reference, section 9): the loop of turns, which all modes share. Between
 * two turns the whole run is `state`: plain JSON from which another process can continue.
 */
export class AgentRun {
  /** Live: people may record decisions in it at any time. */
  readonly journal: Journal | null;
  /** The effects of this run and of the agents below it. */
  readonly ledger: RunLedger;
  private readonly s: AgentState;
  private readonly data: JsonObject;
  private readonly memory: RunMemory;
  private readonly calls: RunCalls;
  private readonly mode: Mode;
  private readonly startFailure: Failure | null;
  private open: BegunTurn | null = null;
  private over: Step | null = null;
  /** When the model's last reply arrived, ms since 1970. */
  private replied_at = 0;
  /** The messages of this turn, when they are not the conversation. */
  private sentInstead: Message[] | null = null;

  constructor(
    private readonly modeOf: ModeOf,
    private readonly host: AgentHost,
    private readonly input: AgentInput,
    state?: AgentState,
    private readonly observer: AgentObserver = {},
    earlier: EarlierInvocation = {},
  ) {
    const given = givenJournal(input);
    const { data, changes, fail } = readData(input.agent, given.data);
    this.data = data;
    this.s = state ? { ...state } : newState(host, input);
    this.s.tokens = earlier.tokens ?? this.s.tokens;
    this.ledger = earlier.ledger ?? new RunLedger(input.effects ?? { mission: host.mission, lane: "" }, this.s.effects);
    this.memory = new RunMemory(this.s);
    const journal = earlier.journal ? ok(earlier.journal) : this.startingJournal(given.journal, state);
    this.journal = journal.ok ? journal.value : null;
    if (!state && given.fromContext) warnOnce(this.s, "journal_in_context", JOURNAL_IN_CONTEXT);
    if (!state && changes.length > 0) warnOnce(this.s, "input_coerced", changes.join("; "));
    this.startFailure = journal.ok ? (refusedStart(input, this.s, data) ?? fail) : journal.fail;
    const tools = new Map(runTools(input.agent).map((tool) => [tool.spec.name, tool]));
    const { s, memory, ledger } = this;
    const parts = { host, input, data, state: s, memory, journal: this.journal, ledger, tools };
    this.calls = new RunCalls(parts);
    this.mode = modeOf({
      ...parts,
      calls: this.calls,
      search: new ToolSearch([...tools.values()].map(({ spec }) => spec)),
      forModel: (text) => this.forModel(text),
      asState: (work) => this.asState(work),
    });
    this.restoreOpenTurn();
  }

  /**
   * One turn: a model call and its consequences. Returns a Step when the run has ended, null when another turn follows,
   * or when the host needs a pause: then the next call continues in the middle of the turn.
   */
  async turn(): Promise<Step | null> {
    if (this.over) return this.over;
    this.calls.moveDeadline();
    if (this.open) return this.continueTurn(this.open);
    const refusal = this.startFailure ?? this.mode.refusal() ?? this.openConversation();
    if (refusal) return this.unstarted(this.end(refusal, this.s.turn - 1));
    const type = turnType(this.s);
    this.observer.turnStarted?.(this.s.turn, type);
    const { program } = this.input;
    this.replied_at = this.host.startedAt ?? this.host.now();
    if (program !== undefined) return this.runReply({ content: program, model: COMPILED }, type);
    const reply = await this.askModel(type);
    this.replied_at = this.host.now();
    if (!reply.ok && rulesOfReason(reply.fail.reason).unasked) return this.end(reply.fail, this.s.turn - 1);
    if (!reply.ok) {
      const late = reply.fail.reason === "mission_timeout";
      return this.end(late ? missionTimeout(this.input.agent) : reply.fail, this.s.turn);
    }
    if (reply.value.passed_over.length > 0)
      warnOnce(this.s, "model_passed_over", passedOverText(reply.value, this.s.turn));
    return this.afterReply(reply.value, type);
  }

  /** The rest of a turn, of a run from the state in which it asked its model. */
  replied(reply: ModelReply): Promise<Step | null> {
    this.replied_at = this.host.now();
    return this.afterReply(reply, turnType(this.s));
  }

  /** Starts the mission again with the present journal, including its authors. A parked mission continues like this. */
  reinvoked(): AgentRun {
    const { host, input, observer, journal, ledger } = this;
    const again = new AgentRun(this.modeOf, host, input, undefined, observer, {
      journal,
      ledger,
      tokens: this.s.tokens,
    });
    ledger.reopen((task) => journal?.has(task) === true);
    return again;
  }

  /** Ends the run between two turns, for a reason that only its host knows. */
  stop(fail: Failure): Step {
    return this.over ?? this.end(fail, this.s.turns.length);
  }

  /** Marks a run that ended with a return before continue-as-new: it waits for a decision. */
  endedWith(value: Json): void {
    this.over = this.step(value, null, this.s.turns.length);
  }

  /** The effects for the ledger of the run that started this one. */
  handedBack(): PackedLedger {
    return this.ledger.handedBack(this.journal?.taskCalls());
  }

  get turnNumber(): number {
    return this.s.turn;
  }

  /** The run in a pause, or between two turns. In the middle of a turn no call may be under way (`isPaused`). */
  get state(): AgentState {
    return this.asState(this.open?.work.state());
  }

  /** A turn is open in its middle. */
  get isOpen(): boolean {
    return this.open !== null;
  }

  /** No call is under way, so that `state` is the whole run. */
  get isPaused(): boolean {
    return this.open === null || this.open.work.isPaused;
  }

  /** Asks the host again whether a pause is needed, while the run waits for people. */
  recheck(): void {
    this.open?.work.recheck();
  }

  progress(): string {
    return renderProgress(this.input.agent.plan, this.memory.summaries);
  }

  /** The Step as it would be now, for people who look while it runs; its `return` is nil. */
  partialStep(): Step {
    return this.over ?? this.step(null, null, this.s.turns.length);
  }

  // --- from the model to the end of a turn -------------------------------------------------------------------------

  /** A mission whose prompt cannot be rendered does not start. */
  private openConversation(): Failure | null {
    if (this.s.prompt !== null) return null;
    try {
      const { prompt, messages } = this.mode.opening();
      this.s.prompt = prompt;
      this.s.messages = messages;
      return null;
    } catch (error) {
      if (error instanceof TemplateError) return { reason: "template_error", message: error.message };
      throw error;
    }
  }

  private askModel(type: TurnType): Promise<Result<ModelAnswer>> {
    const { host, input, s } = this;
    const request = this.mode.ask(type);
    this.sentInstead = request.messages === s.messages ? null : request.messages;
    return askModels(host, input, {
      turn: s.turn,
      ...request,
      ...(this.caches ? { cache: true } : {}),
      ...(s.deadline_ms === null ? {} : { deadline_ms: s.deadline_ms }),
    });
  }

  /** Whether the beginning of the conversation will be sent again, so that a cache pays. */
  private get caches(): boolean {
    const { cache, program, agent } = this.input;
    return cache ?? (program === undefined && !isOneTurn(agent));
  }

  private async afterReply(reply: ModelReply, type: TurnType): Promise<Step | null> {
    this.s.tokens = countTokens(this.s.tokens, reply.tokens);
    const spent = budgetFailure(this.s.tokens, this.input.token_limit ?? null);
    return spent ? this.end(spent, this.s.turn) : this.runReply(reply, type);
  }

  private async runReply(reply: ModelReply, type: TurnType): Promise<Step | null> {
    const draft: TurnDraft = {
      opening: { number: this.s.turn, raw_response: reply.content, program: null },
      params: { type, model: reply.model, tokens: reply.tokens, ...this.sent() },
      said: { role: "assistant", content: reply.content },
    };
    const begun = this.mode.reply(reply, draft);
    if (!("advance" in begun)) return this.endTurn(draft, begun);
    this.ledger.beginProgram(this.replied_at, reply);
    this.open = { draft, work: begun };
    return this.continueTurn(this.open);
  }

  private async continueTurn({ draft, work }: BegunTurn): Promise<Step | null> {
    const done = await work.advance();
    if (done === null) return null;
    this.open = null;
    this.calls.keepChildren();
    return this.endTurn(draft, work.end(done));
  }

  private endTurn({ said }: TurnDraft, end: TurnEnd): Step | null {
    const { s } = this;
    this.ledger.endProgram(end.turn.success);
    s.turns = [...s.turns, end.turn];
    if ("next" in end) {
      this.countTurn();
      // After the turn is recorded: `forModel` hides the answers of its calls, too.
      const messages = end.next({ next: s.turn, work: s.work_left, retry: s.retry_left });
      s.messages = [...s.messages, ...messages];
      return null;
    }
    s.messages = [...s.messages, said];
    return this.finish(this.step(end.value, end.fail, s.turns.length));
  }

  private countTurn(): void {
    const { s } = this;
    if (s.work_left <= 0) s.retry_left -= 1;
    else s.work_left -= 1;
    s.turn += 1;
    s.remaining_turns -= 1;
  }

  // --- the end of the run ------------------------------------------------------------------------------------------

  /** Ends the run between turns, with a failure or with the value that replaces a missing return. */
  private end(fail: Failure, turns: number): Step {
    const value = this.mode.fallback?.(fail);
    if (value === undefined) return this.finish(this.step(null, fail, turns));
    return this.finish(this.step(value, null, turns, { fallback_used: true }));
  }

  /** A run that was refused before it started used nothing (agent reference, section 11.1). */
  private unstarted(step: Step): Step {
    if (this.s.prompt !== null || step.fail === null || rulesOfReason(step.fail.reason).counted) return step;
    return this.finish({ ...step, usage: null });
  }

  private finish(step: Step): Step {
    this.over = step;
    return step;
  }

  private step(value: Json, fail: Failure | null, started: number, extra: Partial<Usage> = {}): Step {
    const { host, input, s: state, memory, journal, mode } = this;
    const end = { value, fail, started_turns: started, extra: { ...extra, ...mode.usage?.(started) } };
    return buildStep({ now: host.now(), input, state, memory, journal, system: mode.system }, end);
  }

  // --- the state ---------------------------------------------------------------------------------------------------

  private asState(work?: object): AgentState {
    this.calls.moveDeadline();
    const { open, journal } = this;
    const between = {
      ...this.s,
      ...this.memory.state(),
      journal: journal?.list() ?? null,
      effects: this.ledger.state(),
      ...this.mode.state?.(work !== undefined),
    };
    if (work === undefined || open === null) return between;
    const written = {
      turn: open.draft,
      notices: [],
      children: [...this.calls.children],
      approvals: journal?.openApprovals() ?? [],
      unrecorded: journal?.openUnrecorded() ?? [],
      ...work,
    };
    return { ...between, open: written };
  }

  private restoreOpenTurn(): void {
    const { s, journal } = this;
    const { open } = s;
    if (open === undefined) return;
    delete s.open;
    for (const [call, child] of open.children) this.calls.children.set(call, child);
    for (const [task, approval] of open.approvals) journal?.noteApproval(task, approval);
    for (const [task, done] of open.unrecorded) journal?.noteUnrecorded(task, done);
    this.open = { draft: open.turn, work: this.mode.restored(open) };
  }

  /** The journal as it was when the run stopped, else the given one. */
  private startingJournal(given: Json, state: AgentState | undefined): Result<Journal | null> {
    const { host, input } = this;
    const records = { tasks: input.effects?.effects?.tasks, records: input.retry?.records };
    return startingJournal(given, state, () => host.now(), records);
  }

  private forModel(text: string): string {
    const answers = [this.s.last_program, ...this.s.turns].flatMap(
      (turn) => turn?.tool_calls.map(({ result }) => result) ?? [],
    );
    const records = this.journal?.list().map(({ value }) => value) ?? [];
    return hideTexts(text, hiddenTexts([this.data, ...answers, ...records]));
  }

  /**
   * The messages of this turn, if they are collected and the conversation does not have them. The record has the system
   * prompt when it changed: readers of the Step get it in every turn.
   */
  private sent(): Pick<TurnParams, "messages" | "system_prompt"> {
    if (!this.input.collect_messages) return {};
    const { system } = this.mode;
    const last = this.s.turns.findLast(({ system_prompt }) => system_prompt !== null)?.system_prompt;
    return { messages: this.sentInstead, system_prompt: system === last ? null : system };
  }
}

const JOURNAL_IN_CONTEXT =
  "The journal was taken from the context. The run option `journal` is the better place for it.";
