import { type Failure, failed, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { Message, ModelReply, ToolCall } from "../../calls/host";
import type { PackedLedger } from "../../effects/packed-ledger";
import { RunLedger } from "../../effects/run-ledger";
import { givenJournal } from "../../journal/given-journal";
import type { Journal } from "../../journal/journal";
import type { OtherEffectQuestion } from "../../lisp/program";
import type { ToolFinder } from "../../lisp/values/context";
import { UNDO } from "../../lisp/values/tool-values";
import { termsWith } from "../../review/policy/terms";
import { budgetFailure, countTokens } from "../budget/token-counts";
import type { AgentInput } from "../definition/agent-input";
import { type AgentDefinition, isOneTurn } from "../definition/definition";
import { TemplateError } from "../definition/template";
import { hiddenTexts, hideTexts } from "../prompt/hidden-values";
import { renderProgress } from "../prompt/progress";
import { needsSearch } from "../prompt/tool-index";
import type { Answered } from "../result/answered";
import type { Step, Usage } from "../result/step";
import { failAsJson, failureTurn, type OpenTurn, type Turn, type TurnParams, type TurnType } from "../result/turn";
import { decidedOther, otherEffectRequest } from "../tools/other-effect";
import { type RunTool, runTools } from "../tools/run-tools";
import { keptFinds, ToolSearch } from "../tools/tool-search";
import { type ModelAnswer, passedOverText } from "./ask-models";
import { buildStep } from "./build-step";
import { type Caller, callRunTool, placeInRun } from "./call-tool";
import { missionTimeout, refusedStart, startingJournal, turnType } from "./checks";
import { readData } from "./given-data";
import type { AgentHost } from "./host";
import { RunMemory } from "./run-memory";
import type { StartedCall } from "./run-program";
import { type AgentState, newState } from "./state";

/** What a host can observe while a turn runs. */
export interface AgentObserver {
  turnStarted?(turn: number, type: TurnType): void;
}

/** Stands for the model's name in the turn of a program that no model wrote. */
const COMPILED = "compiled";

/** The turn had not started: no model was called. */
const NOT_ASKED: readonly string[] = ["budget_callback_exceeded", "listener_not_found"];

/** These refusals belong to the loop: the run has started, with usage of zero. */
const COUNTED: readonly string[] = [
  "chained_failure",
  "max_depth_exceeded",
  "turn_budget_exhausted",
  "mission_timeout",
];

export type RunArguments = [
  host: AgentHost,
  input: AgentInput,
  state?: AgentState,
  observer?: AgentObserver,
  live?: Journal,
];

/**
 * A run as a state machine on an AgentHost (agent reference, section 9): the code that both output modes share. Between
 * two turns the whole run is `state`: plain JSON from which another process can continue.
 */
export abstract class BaseRun {
  /** Live: decisions from outside may be recorded in it at any time. */
  readonly journal: Journal | null;
  protected readonly host: AgentHost;
  protected readonly input: AgentInput;
  protected readonly agent: AgentDefinition;
  protected readonly s: AgentState;
  protected readonly memory: RunMemory;
  protected readonly data: JsonObject;
  protected readonly tools: ReadonlyMap<string, RunTool>;
  protected readonly search: ToolSearch;
  protected readonly observer: AgentObserver;
  private effects: RunLedger;
  private readonly startFailure: Failure | null;
  private over: Step | null = null;
  /** Runs of agents in this turn by the number of the call: the Step lists them in the order of the calls. */
  protected readonly children = new Map<number, Step>();
  /** The part of the host's blocked time by which the deadline was moved. */
  private blocked_ms = 0;
  /** A call found no worker that has what it needs: the run ends with this, whatever its program makes of it. */
  protected notConfigured: Failure | null = null;
  /** When the model's last reply was there, ms since 1970. */
  protected replied_at = 0;
  /** Notes to the model about this turn. */
  protected notices: string[] = [];
  /** The messages of this turn, when they are not the conversation. */
  protected compressed: Message[] | null = null;

  constructor(...[host, input, state, observer = {}, live]: RunArguments) {
    this.host = host;
    this.input = input;
    this.agent = input.agent;
    this.observer = observer;
    const given = givenJournal(input);
    const read = readData(input.agent, given.data);
    this.data = read.data;
    this.s = state ? { ...state } : newState(host, input);
    this.effects = new RunLedger(input.effects ?? { mission: host.mission, lane: "" }, this.s.effects);
    this.memory = new RunMemory(this.s);
    this.tools = new Map(runTools(input.agent).map((tool) => [tool.spec.name, tool]));
    this.search = new ToolSearch([...this.tools.values()].map(({ spec }) => spec));
    const journal: Result<Journal | null> = live
      ? { ok: true, value: live }
      : startingJournal(given.journal, state, () => host.now(), {
          tasks: input.effects?.effects?.tasks,
          records: input.retry?.records,
        });
    this.journal = journal.ok ? journal.value : null;
    if (!state && given.fromContext)
      this.warn(
        "journal_in_context",
        "The journal was taken from the context. The run option `journal` is the better place for it.",
      );
    if (!state && read.changes.length > 0) this.warn("input_coerced", read.changes.join("; "));
    this.startFailure = journal.ok ? (refusedStart(input, this.s, this.data) ?? read.fail) : journal.fail;
  }

  /**
   * One turn: a model call and its consequences. Returns a Step when the run has ended, null when another turn follows,
   * or when the host needs a pause: then the next call goes on in the middle of the turn.
   */
  async turn(): Promise<Step | null> {
    if (this.over) return this.over;
    this.moveDeadline();
    if (this.isOpen) return this.goOnInTurn();
    const refusal = this.startFailure ?? this.refusedTurn() ?? this.openConversation();
    if (refusal) return this.unstarted(this.end(refusal, this.s.turn - 1));
    const type = turnType(this.s);
    this.observer.turnStarted?.(this.s.turn, type);
    const { program } = this.input;
    this.replied_at = this.host.startedAt ?? this.host.now();
    if (program !== undefined) return this.runReply({ content: program, model: COMPILED }, type);
    const reply = await this.askModel(type);
    this.replied_at = this.host.now();
    if (!reply.ok && NOT_ASKED.includes(reply.fail.reason)) return this.end(reply.fail, this.s.turn - 1);
    if (!reply.ok) {
      const late = reply.fail.reason === "mission_timeout";
      return this.end(late ? missionTimeout(this.agent) : reply.fail, this.s.turn);
    }
    if (reply.value.passed_over.length > 0) this.warn("model_passed_over", passedOverText(reply.value, this.s.turn));
    return this.afterReply(reply.value, type);
  }

  /** The rest of a turn, of a run from the state in which it asked its model. */
  replied(reply: ModelReply): Promise<Step | null> {
    this.replied_at = this.host.now();
    return this.afterReply(reply, turnType(this.s));
  }

  private async afterReply(reply: ModelReply, type: TurnType): Promise<Step | null> {
    this.s.tokens = countTokens(this.s.tokens, reply.tokens);
    const spent = budgetFailure(this.s.tokens, this.input.token_limit ?? null);
    return spent ? this.end(spent, this.s.turn) : this.runReply(reply, type);
  }

  /** A run that was refused before it started used nothing (agent reference, section 11.1). */
  private unstarted(step: Step): Step {
    if (this.s.prompt !== null || step.fail === null || COUNTED.includes(step.fail.reason)) return step;
    return this.finish({ ...step, usage: null });
  }

  /** The reason why no further turn follows. */
  protected abstract refusedTurn(): Failure | null;
  /**
   * The mission, and the first messages of the conversation.
   * @throws TemplateError
   */
  protected abstract opening(): { prompt: string; messages: Message[] };
  protected abstract askModel(type: TurnType): Promise<Result<ModelAnswer>>;
  protected abstract runReply(reply: ModelReply, type: TurnType): Promise<Step | null>;
  /** The system prompt sent last; "" before the first. */
  protected abstract get system(): string;
  protected abstract again(live: Journal | undefined): BaseRun;

  /**
   * Starts the mission again with the present journal, including its authors: this is how a parked mission continues.
   * The journal keeps its listener.
   */
  reinvoked(): BaseRun {
    const again = this.again(this.journal ?? undefined);
    // The usage of the mission, and its budget, are counted over all its invocations.
    again.s.tokens = this.s.tokens;
    again.effects = this.effects;
    this.effects.reopen((task) => this.journal?.has(task) === true);
    return again;
  }

  /** Ends the run between two turns, for a reason that only its host knows. */
  stop(fail: Failure): Step {
    return this.over ?? this.end(fail, this.s.turns.length);
  }

  /** The effects of this run and of the agents below it. */
  get ledger(): RunLedger {
    return this.effects;
  }

  /** What the run that started this one hears of its effects. */
  handedBack(): PackedLedger {
    return this.effects.handedBack(this.journal?.taskCalls());
  }

  get turnNumber(): number {
    return this.s.turn;
  }

  /** The run in a pause, or between two turns. In the middle of a turn nothing may be under way (`isPaused`). */
  get state(): AgentState {
    this.moveDeadline();
    const journal = this.journal?.list() ?? null;
    return { ...this.s, ...this.memory.state(), journal, effects: this.effects.state() };
  }

  /** A turn is open in its middle. */
  get isOpen(): boolean {
    return false;
  }
  protected goOnInTurn(): Promise<Step | null> {
    throw new Error("no turn is open");
  }

  /** Nothing is under way, so that `state` is the whole run. */
  get isPaused(): boolean {
    return true;
  }

  /** Whether the beginning of the conversation will be sent again, so that a cache pays. */
  protected get caches(): boolean {
    const { cache, program } = this.input;
    return cache ?? (program === undefined && !isOneTurn(this.agent));
  }

  /** Looks again whether the host needs a pause, while the run waits for people. */
  poke(): void {}

  /** A run that ended with a return before it was carried here: it waits for a decision. */
  endedWith(value: Json): void {
    this.over = this.step(value, null, this.s.turns.length);
  }

  progress(): string {
    return renderProgress(this.agent.plan, this.memory.summaries);
  }

  /** The Step as it would be now, for people who look while it runs; its `return` is nil. */
  partialStep(): Step {
    return this.over ?? this.step(null, null, this.s.turns.length);
  }

  /** A mission whose prompt cannot be rendered does not start. */
  private openConversation(): Failure | null {
    if (this.s.prompt !== null) return null;
    try {
      const { prompt, messages } = this.opening();
      this.s.prompt = prompt;
      this.s.messages = messages;
      return null;
    } catch (error) {
      if (error instanceof TemplateError) return { reason: "template_error", message: error.message };
      throw error;
    }
  }

  /** A tool call of this run, its child remembered. One in a parallel branch has a time limit of its own. */
  protected async callTool(
    call: ToolCall,
    { parallel, since, person, alone }: Partial<Omit<StartedCall, "call">> = {},
  ): Promise<Answered> {
    const { limited, branch_ms } = this.limited(call, parallel, since);
    return this.noted(call, await callRunTool(this.caller, limited, person, alone), branch_ms);
  }

  private get caller(): Caller {
    const { host, input, s: state, tools, ledger } = this;
    return { host, input, state, tools, ledger };
  }

  /** A call with its time limit. `branch_ms`: the limit of its branch, if that one comes first. */
  private limited(call: ToolCall, parallel = false, since?: number): { limited: ToolCall; branch_ms: number | null } {
    const { host, s: state } = this;
    this.moveDeadline();
    const missionEnd = state.deadline_ms;
    const limit = parallel ? this.agent.pmap_timeout : null;
    const branchEnd = limit === null ? null : (since ?? host.now()) + limit;
    const deadline_ms = earlier(missionEnd, branchEnd);
    const pausedBefore = host.pausedMs?.() ?? 0;
    const limited = {
      ...call,
      ...(deadline_ms === null ? {} : { deadline_ms, ...(pausedBefore === 0 ? {} : { paused_ms: pausedBefore }) }),
      ...(parallel ? { parallel: true as const } : {}),
    };
    return { limited, branch_ms: deadline_ms === missionEnd ? null : limit };
  }

  /** What the run keeps of a call. @returns what its program is given */
  private noted(call: ToolCall, answered: Answered, branch_ms: number | null): Answered {
    if (answered.child) this.children.set(call.call, answered.child);
    if (answered.notice !== undefined) this.notices.push(answered.notice);
    for (const { code, message } of answered.warnings ?? []) this.warnAgain(code, message);
    const approval = answered.notes?.approval;
    if (approval && call.task !== undefined) this.journal?.noteApproval(call.task, approval);
    if (answered.unrecorded !== undefined && call.task !== undefined)
      this.journal?.noteUnrecorded(call.task, answered.unrecorded);
    // The task is not done any more. Before the program goes on: its next form may be the task again.
    if (call.name === UNDO && answered.answer.ok) this.forget(String(call.args.task));
    if (answered.answer.ok) return answered;
    const { fail } = answered.answer;
    if (fail.reason === "configuration_error") this.notConfigured ??= fail;
    if (fail.reason !== "mission_timeout" || branch_ms === null) return answered;
    return { ...answered, answer: failed("timeout", `it took longer than the pmap_timeout of ${branch_ms} ms`) };
  }

  /** A message as the model may see it. */
  protected forModel(message: string): string {
    const answers = [this.s.last_program, ...this.s.turns].flatMap(
      (turn) => turn?.tool_calls.map(({ result }) => result) ?? [],
    );
    const records = this.journal?.list().map(({ value }) => value) ?? [];
    return hideTexts(message, hiddenTexts([this.data, ...answers, ...records]));
  }

  /** The search of this run's tools. @param note hears what was found, if not all tools are shown anyway */
  protected toolFinder(note: (names: string[]) => void): ToolFinder {
    const { search } = this;
    const isNeeded = needsSearch(this.agent, search.size);
    return {
      size: search.size,
      isNeeded,
      find: (words, limit) => {
        const found = search.find(words, limit);
        if (isNeeded) note(found.map(({ name }) => name));
        return found;
      },
    };
  }

  /** What was found stays known. */
  protected keepFound(names: readonly string[]): void {
    if (names.length > 0) this.s.found_tools = keptFinds(this.s.found_tools ?? [], names);
  }

  private forget(task: string): void {
    this.ledger.noteReset(task, true);
    this.journal?.reset(task);
  }

  /** A person says what becomes of a recorded task that asks for another effect. */
  protected async decideOtherEffect(
    { recorded, value }: OtherEffectQuestion,
    { call, person }: Pick<StartedCall, "call" | "person">,
  ): Promise<Answered> {
    this.moveDeadline();
    const deadline = this.s.deadline_ms ?? undefined;
    const spec = this.tools.get(call.name)?.spec ?? { name: call.name, effect: "write" };
    const before = { ...(recorded ? { call: recorded } : {}), value };
    const request = termsWith(this.input.agent.people, otherEffectRequest(spec, call, before));
    const decision = await person(() => this.host.requestReview(request, deadline, placeInRun(call)));
    return { answer: decision.ok ? decidedOther(call.name, decision.value) : decision };
  }

  /** The time during which the run was blocked or paused is not the mission's. */
  private moveDeadline(): void {
    const blocked = this.host.blockedMs?.() ?? 0;
    if (this.s.deadline_ms !== null) this.s.deadline_ms += blocked - this.blocked_ms;
    this.blocked_ms = blocked;
  }

  /** Adds the children of the turn to the run, in the order of their calls. */
  protected keepChildren(): void {
    if (this.children.size === 0) return;
    const steps = [...this.children].sort(([a], [b]) => a - b).map(([, step]) => step);
    this.s.child_steps = [...this.s.child_steps, ...steps];
    this.children.clear();
  }

  /** Ends the run in this turn, with a fail. */
  protected endTurn(turn: OpenTurn, fail: Failure, result: Json = failAsJson(fail)): Step {
    this.record(failureTurn(turn.opening, result, turn.params));
    return this.close(turn, null, fail);
  }

  /** Ends the run with this turn; its reply is the last message of the conversation. */
  protected close(turn: OpenTurn, value: Json, fail: Failure | null = null): Step {
    this.s.messages = [...this.s.messages, turn.said];
    return this.finish(this.step(value, fail, this.s.turns.length));
  }

  /**
   * What was sent in this turn, when it is collected and the conversation does not have it. The system prompt is recorded
   * when it changed: readers of the Step get it in every turn.
   */
  protected sent(): Pick<TurnParams, "messages" | "system_prompt"> {
    const { system, compressed } = this;
    if (!this.input.collect_messages) return {};
    const last = this.s.turns.findLast(({ system_prompt }) => system_prompt !== null)?.system_prompt;
    return { messages: compressed, system_prompt: system === last ? null : system };
  }

  protected record(turn: Turn): void {
    this.effects.endProgram(turn.success);
    this.s.turns = [...this.s.turns, turn];
  }

  /** Ends the run between turns, with a fail. */
  protected end(fail: Failure, turns: number): Step {
    return this.finish(this.step(null, fail, turns));
  }

  protected finish(step: Step): Step {
    this.over = step;
    return step;
  }

  protected warn(code: string, message: string): void {
    if (!this.s.warnings.some((warning) => warning.code === code))
      this.s.warnings = [...this.s.warnings, { code, message }];
  }

  /** A warning that may come more than once, about different things. */
  protected warnAgain(code: string, message: string): void {
    const alike = this.s.warnings.filter((warning) => warning.code === code);
    if (alike.length >= MAX_ALIKE || alike.some((warning) => warning.message === message)) return;
    this.s.warnings = [...this.s.warnings, { code, message }];
  }

  protected step(value: Json, fail: Failure | null, started: number, extra: Partial<Usage> = {}): Step {
    const { host, input, s: state, memory, journal, system } = this;
    const end = { value, fail, started_turns: started, extra };
    return buildStep({ now: host.now(), input, state, memory, journal, system }, end);
  }
}

/** Warnings of one code that a Step lists. */
const MAX_ALIKE = 50;

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);
