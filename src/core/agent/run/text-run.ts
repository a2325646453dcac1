import { jsonBytes } from "../../base/bytes";
import { defined } from "../../base/defined";
import type { Failure, Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import type { Message, ModelReply, NativeCall } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import type { Journal } from "../../journal/journal";
import { NativeJournal } from "../native/native-journal";
import { NativeSearch } from "../native/native-search";
import { alsoTold, missionLogNews, toldRecords, withNews } from "../prompt/mission-log-news";
import { missionText } from "../prompt/prompt";
import { answerSchema, answerType, offeredTools, textOpening, textSystemPrompt } from "../prompt/text-prompt";
import { type Answer, answerAgain, readAnswer } from "../reply/answer";
import type { Step, Usage } from "../result/step";
import { failAsJson, failureTurn, type OpenTurn, successTurn, type TurnType } from "../result/turn";
import { askModels, type ModelAnswer } from "./ask-models";
import { BaseRun, type RunArguments } from "./base-run";
import { refusedByTime } from "./checks";
import { NativeReply, type NativeRun } from "./native-reply";
import { taskEffects } from "./program-options";
import type { AgentState } from "./state";

/** A run whose model answers directly, in prose or JSON, with its provider's own tool calling (agent reference, section 15). */
export class TextRun extends BaseRun {
  private open: NativeReply | null = null;
  private readonly native: NativeJournal;
  private readonly nativeSearch: NativeSearch;

  constructor(...args: RunArguments) {
    super(...args);
    this.native = new NativeJournal(
      this.journal,
      onFirstUse(() => taskEffects(this.agent, this.ledger)),
      (task) => this.toldByAnswer(task),
      this.s.met_tasks,
    );
    this.nativeSearch = new NativeSearch(this.agent, this.specs, this.search);
    const { open } = this.s;
    if (open === undefined) return;
    delete this.s.open;
    this.open = NativeReply.restored(this.nativeRun, open);
  }

  private get hasTools(): boolean {
    return this.tools.size > 0;
  }

  private get specs(): ToolSpec[] {
    return [...this.tools.values()].map(({ spec }) => spec);
  }

  private get isLastTurn(): boolean {
    return this.s.turn >= this.agent.max_turns;
  }

  protected get system(): string {
    return this.s.prompt === null ? "" : textSystemPrompt(this.agent, this.hasTools);
  }

  protected refusedTurn(): Failure | null {
    const { agent, s } = this;
    if (s.turn > agent.max_turns)
      return { reason: "max_turns_exceeded", message: `No answer within ${agent.max_turns} turn(s).` };
    if (s.remaining_turns <= 0)
      return { reason: "turn_budget_exhausted", message: `The turn budget is used up after ${s.turn - 1} turn(s).` };
    return refusedByTime(agent, s, this.host.now());
  }

  protected opening(): { prompt: string; messages: Message[] } {
    const { agent, input, data } = this;
    const prompt = missionText(agent, data);
    const log = this.forModel(this.shownJournal?.missionLog() ?? "");
    const content = textOpening(agent, input, data, prompt, this.hasTools, log);
    const before = (input.initial_messages ?? []).filter((one): one is Message => one.role !== "system");
    return { prompt, messages: [...before, { role: "user", content }] };
  }

  /** The journal that the model is told of. */
  private get shownJournal(): Journal | null {
    return this.hasTools && this.agent.journaling !== false ? this.journal : null;
  }

  /** What others have recorded since the model was told: people, for example. */
  private tellNews(): void {
    const { s, shownJournal } = this;
    if (shownJournal === null) return;
    const rows = shownJournal.logRows();
    // The first message has the whole log.
    if (s.told_log !== undefined) s.messages = withNews(s.messages, this.forModel(missionLogNews(s.told_log, rows)));
    s.told_log = toldRecords(rows);
  }

  /** The answer of a call has told the model of its record as it is now. A person may change it before the model is asked again. */
  private toldByAnswer(task: string): void {
    const { s } = this;
    const row = this.shownJournal?.logRow(task);
    if (row !== undefined && s.told_log !== undefined) s.told_log = alsoTold(s.told_log, row);
  }

  protected again(live: Journal | undefined): TextRun {
    return new TextRun(this.host, this.input, undefined, this.observer, live);
  }

  protected askModel(): Promise<Result<ModelAnswer>> {
    const { agent, input, s } = this;
    this.tellNews();
    const schema = this.hasTools ? undefined : answerSchema(agent);
    return askModels(this.host, input, {
      turn: s.turn,
      system: this.system,
      messages: s.messages,
      output: "text",
      tool_names: [...this.tools.keys()],
      ...(this.hasTools ? { tools: offeredTools(agent, this.specs, s.found_tools) } : {}),
      ...defined({ schema }),
      ...(input.on_chunk === undefined || answerType(agent) !== null ? {} : { listener: input.on_chunk }),
      ...(this.caches ? { cache: true } : {}),
      ...(s.deadline_ms === null ? {} : { deadline_ms: s.deadline_ms }),
    });
  }

  protected async runReply(reply: ModelReply, type: TurnType): Promise<Step | null> {
    const turn: OpenTurn = {
      opening: { number: this.s.turn, raw_response: reply.content, program: null },
      params: { type, model: reply.model, tokens: reply.tokens, ...this.sent() },
      said: { role: "assistant", content: reply.content },
    };
    const calls = this.hasTools ? (reply.tool_calls ?? []) : [];
    if (calls.length > 0) {
      if (reply.replay !== undefined) turn.said.replay = reply.replay;
      return this.runTools(turn, this.withIds(calls));
    }
    if (this.hasTools && reply.content.trim() === "") return this.emptyReply(turn);
    const answer = readAnswer(this.agent, answerType(this.agent), reply.content);
    return answer.ok ? this.answered(turn, answer.value) : this.unusable(turn, answer);
  }

  /** Ids are the numbers of the calls if the provider gives none. */
  private withIds(calls: NonNullable<ModelReply["tool_calls"]>): NativeCall[] {
    const before = this.s.messages.reduce((sum, message) => sum + (message.tool_calls?.length ?? 0), 0);
    return calls.map((call, i) => ({ ...call, id: call.id ?? `tc_${before + i + 1}` }));
  }

  /** The calls of one reply. A failure is the tool's answer and never ends the run. */
  private runTools(turn: OpenTurn, calls: NativeCall[]): Promise<Step | null> {
    const { opening, params } = turn;
    this.ledger.beginProgram(this.replied_at, { content: opening.raw_response, model: params.model });
    this.open = new NativeReply(this.nativeRun, turn, calls);
    return this.goOnInTurn();
  }

  private get nativeRun(): NativeRun {
    const { host, agent, s, tools, memory } = this;
    return {
      state: s,
      tools,
      memory,
      search: this.nativeSearch,
      limit: agent.pmap_max_concurrency,
      max_calls: agent.max_tool_calls,
      ledger: this.ledger,
      journal: this.journal,
      children: this.children,
      call: (call, started) => this.callTool(call, started),
      found: (names) => this.keepFound(names),
      record: (tool, args, place, tasks) =>
        this.native.record(tool, args, place, tasks, (why) => this.warn("journal_full", why)),
      shouldPause: (underWay) => host.shouldPause?.(underWay) === true,
      now: () => host.now(),
    };
  }

  // --- in the middle of a reply ------------------------------------------------------------------------------------

  override get isOpen(): boolean {
    return this.open !== null;
  }

  protected override async goOnInTurn(): Promise<Step | null> {
    const { turn, calls } = this.open as NativeReply;
    const called = await (this.open as NativeReply).advance();
    if (called === null) return null;
    this.open = null;
    this.notices = [];
    this.keepChildren();
    const { s } = this;
    const answers = called.map(({ content }, i): Message => {
      const { id, name } = calls[i] as NativeCall;
      return { role: "tool", content, tool_call_id: id, tool_name: name };
    });
    const records = called.flatMap(({ record }) => record ?? []);
    s.last_program = { ...s.last_program, tool_calls: [...s.last_program.tool_calls, ...records] };
    Object.assign(turn.params, { tool_calls: records });
    if (this.notConfigured) return this.endTurn(turn, this.notConfigured);
    this.record(successTurn(turn.opening, null, turn.params));
    return this.next([{ ...turn.said, tool_calls: [...calls] }, ...answers]);
  }

  override get isPaused(): boolean {
    return this.open === null || this.open.isPaused;
  }

  override poke(): void {
    this.open?.poke();
  }

  override get state(): AgentState {
    const { met } = this.native;
    const between = { ...super.state, ...(met.size === 0 ? {} : { met_tasks: [...met] }) };
    if (this.open === null) return between;
    return { ...between, open: this.open.state() };
  }

  private answered(turn: OpenTurn, value: Json): Step {
    this.record(successTurn(turn.opening, value, turn.params));
    return this.close(turn, value);
  }

  private emptyReply(turn: OpenTurn): Step | null {
    const fail: Failure = { reason: "empty_response", message: "The reply has neither text nor tool calls." };
    if (this.isLastTurn) return this.endTurn(turn, fail);
    return this.askAgain(turn, fail, "Your reply was empty: call a tool, or answer.");
  }

  private unusable(turn: OpenTurn, { fail }: Extract<Answer, { ok: false }>): Step | null {
    if (this.isLastTurn) return this.endTurn(turn, fail);
    return this.askAgain(turn, fail, answerAgain(answerType(this.agent), turn.opening.raw_response, fail));
  }

  private askAgain(turn: OpenTurn, fail: Failure, feedback: string): null {
    this.record(failureTurn(turn.opening, failAsJson(fail), turn.params));
    return this.next([turn.said, { role: "user", content: feedback }]);
  }

  private next(said: Message[]): null {
    const { s } = this;
    s.work_left -= 1;
    s.turn += 1;
    s.remaining_turns -= 1;
    s.messages = [...s.messages, ...said];
    return null;
  }

  protected override step(value: Json, fail: Failure | null, started: number, extra: Partial<Usage> = {}): Step {
    const schema: JsonObject | undefined = this.hasTools ? undefined : answerSchema(this.agent);
    const used = schema === undefined ? {} : { schema_used: true, schema_bytes: jsonBytes(schema) };
    return super.step(value, fail, started, { ...extra, ...used });
  }
}
