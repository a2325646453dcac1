import { jsonBytes } from "../../base/bytes";
import { defined } from "../../base/defined";
import type { Failure } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { hasFlag } from "../../base/run-format";
import type { Message, ModelReply, NativeCall } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import type { Journal } from "../../journal/journal";
import type { AgentDefinition } from "../definition/definition";
import { NativeJournal } from "../native/native-journal";
import { NativeSearch } from "../native/native-search";
import { alsoListed, listedRecords, missionLogNews, withNews } from "../prompt/mission-log-news";
import { missionText } from "../prompt/prompt";
import { answerSchema, answerType, offeredTools, textOpening, textSystemPrompt } from "../prompt/text-prompt";
import { answerAgain, readAnswer } from "../reply/answer";
import type { Usage } from "../result/step";
import { failAsJson, failureTurn, successTurn, type TurnDraft } from "../result/turn";
import { refusedByTime } from "./checks";
import { failedEnd, type Mode, type ModeOf, type ModeRun, type OpenTurn, type TurnEnd, type TurnRequest } from "./mode";
import { type NativeParts, NativeReply, type WrittenReply } from "./native-reply";
import { taskEffects } from "./program-options";
import { type AgentState, type OpenTurnState, warnOnce } from "./state";

/** The model answers in prose or JSON, with its provider's own tool calling (agent reference, section 15). */
export const textMode: ModeOf = (run) => new TextMode(run);

class TextMode implements Mode {
  private readonly records: NativeJournal;
  private readonly search: NativeSearch;

  constructor(private readonly run: ModeRun) {
    const { journal, ledger, state } = run;
    const { input } = run;
    const { agent } = input;
    this.records = new NativeJournal(
      journal,
      onFirstUse(() => taskEffects(agent, ledger, hasFlag(input, "compares-texts"))),
      (task) => this.noteInAnswer(task),
      state.met_tasks,
    );
    this.search = new NativeSearch(agent, this.specs, run.search);
  }

  private get agent(): AgentDefinition {
    return this.run.input.agent;
  }

  private get hasTools(): boolean {
    return this.run.tools.size > 0;
  }

  private get specs(): ToolSpec[] {
    return [...this.run.tools.values()].map(({ spec }) => spec);
  }

  private get isLastTurn(): boolean {
    return this.run.state.turn >= this.agent.max_turns;
  }

  // --- before the model is asked -----------------------------------------------------------------------------------

  refusal(): Failure | null {
    const { agent } = this;
    const { host, state } = this.run;
    if (state.turn > agent.max_turns)
      return { reason: "max_turns_exceeded", message: `No answer within ${agent.max_turns} turn(s).` };
    if (state.remaining_turns <= 0) {
      const message = `The turn budget is used up after ${state.turn - 1} turn(s).`;
      return { reason: "turn_budget_exhausted", message };
    }
    return refusedByTime(agent, state, host.now());
  }

  opening(): { prompt: string; messages: Message[] } {
    const { agent } = this;
    const { input, data, forModel } = this.run;
    const prompt = missionText(agent, data);
    const log = forModel(this.shownJournal?.missionLog() ?? "");
    const content = textOpening(agent, input, data, prompt, this.hasTools, log);
    const before = (input.initial_messages ?? []).filter((one): one is Message => one.role !== "system");
    return { prompt, messages: [...before, { role: "user", content }] };
  }

  get system(): string {
    return this.run.state.prompt === null ? "" : textSystemPrompt(this.agent, this.hasTools);
  }

  ask(): TurnRequest {
    const { agent, hasTools } = this;
    const { input, state, tools } = this.run;
    this.addNews();
    const schema = hasTools ? undefined : answerSchema(agent);
    return {
      system: this.system,
      messages: state.messages,
      output: "text",
      tool_names: [...tools.keys()],
      ...(hasTools ? { tools: offeredTools(agent, this.specs, state.found_tools) } : {}),
      ...defined({ schema }),
      ...(input.on_chunk === undefined || answerType(agent) !== null ? {} : { listener: input.on_chunk }),
    };
  }

  /** The journal that the prompt shows. */
  private get shownJournal(): Journal | null {
    return this.hasTools && this.agent.journaling !== false ? this.run.journal : null;
  }

  /** Adds the records that others, such as people, have made since the last request. */
  private addNews(): void {
    const { state, forModel } = this.run;
    const { shownJournal } = this;
    if (shownJournal === null) return;
    const rows = shownJournal.logRows();
    // The first message has the whole log.
    if (state.told_log !== undefined)
      state.messages = withNews(state.messages, forModel(missionLogNews(state.told_log, rows)));
    state.told_log = listedRecords(rows);
  }

  /** The answer of a call shows its record as it is now. A person may change the record before the next request. */
  private noteInAnswer(task: string): void {
    const { state } = this.run;
    const row = this.shownJournal?.logRow(task);
    if (row !== undefined && state.told_log !== undefined) state.told_log = alsoListed(state.told_log, row);
  }

  // --- after the model answered ------------------------------------------------------------------------------------

  reply(reply: ModelReply, draft: TurnDraft): OpenTurn | TurnEnd {
    const { agent } = this;
    const calls = this.hasTools ? (reply.tool_calls ?? []) : [];
    if (calls.length > 0) {
      if (reply.replay !== undefined) draft.said.replay = reply.replay;
      return new NativeReply(this.run, this.parts, draft, this.withIds(calls));
    }
    if (this.hasTools && reply.content.trim() === "") {
      const fail: Failure = { reason: "empty_response", message: "The reply has neither text nor tool calls." };
      return this.unusable(draft, fail, "Your reply was empty: call a tool, or answer.");
    }
    const answer = readAnswer(agent, answerType(agent), reply.content);
    if (!answer.ok)
      return this.unusable(draft, answer.fail, answerAgain(answerType(agent), reply.content, answer.fail));
    return { turn: successTurn(draft.opening, answer.value, draft.params), value: answer.value, fail: null };
  }

  restored(written: OpenTurnState): OpenTurn {
    const { native } = written as OpenTurnState & WrittenReply;
    return new NativeReply(this.run, this.parts, written.turn, native.calls, native);
  }

  private unusable(draft: TurnDraft, fail: Failure, feedback: string): TurnEnd {
    if (this.isLastTurn) return failedEnd(draft, fail);
    const turn = failureTurn(draft.opening, failAsJson(fail), draft.params);
    return { turn, next: () => [draft.said, { role: "user", content: feedback }] };
  }

  /** Ids are the numbers of the calls if the provider gives none. */
  private withIds(calls: NonNullable<ModelReply["tool_calls"]>): NativeCall[] {
    const before = this.run.state.messages.reduce((sum, message) => sum + (message.tool_calls?.length ?? 0), 0);
    return calls.map((call, i) => ({ ...call, id: call.id ?? `tc_${before + i + 1}` }));
  }

  private get parts(): NativeParts {
    const { records, search } = this;
    const warnFull = (why: string) => warnOnce(this.run.state, "journal_full", why);
    return { search, record: (tool, args, place, tasks) => records.record(tool, args, place, tasks, warnFull) };
  }

  // --- the state and the Step --------------------------------------------------------------------------------------

  state(): Partial<AgentState> {
    const { met } = this.records;
    return met.size === 0 ? {} : { met_tasks: [...met] };
  }

  usage(): Partial<Usage> {
    const schema: JsonObject | undefined = this.hasTools ? undefined : answerSchema(this.agent);
    return schema === undefined ? {} : { schema_used: true, schema_bytes: jsonBytes(schema) };
  }
}
