import { jsonBytes } from "../../base/bytes";
import { defined } from "../../base/defined";
import type { Failure, Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { Message, ModelReply, NativeCall } from "../../calls/host";
import type { Journal } from "../../journal/journal";
import { renderType } from "../../signature/render";
import { missionText } from "../prompt/prompt";
import { answerSchema, answerType, nativeTools, textOpening, textSystemPrompt } from "../prompt/text-prompt";
import { type Answer, readAnswer } from "../reply/answer";
import type { Step, Usage } from "../result/step";
import { failAsJson, failureTurn, type OpenTurn, successTurn, type TurnType } from "../result/turn";
import { askModels, type ModelAnswer } from "./ask-models";
import { BaseRun } from "./base-run";
import { refusedByTime } from "./checks";
import { callNativeTool } from "./native-call";

const MAX_SHOWN_REPLY = 500;

/** A run whose model answers directly, in prose or JSON, with its provider's own tool calling (agent reference, section 15). */
export class TextRun extends BaseRun {
  private get hasTools(): boolean {
    return this.tools.size > 0;
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
    const content = textOpening(agent, input, data, prompt, this.hasTools);
    const before = (input.initial_messages ?? []).filter((one): one is Message => one.role !== "system");
    return { prompt, messages: [...before, { role: "user", content }] };
  }

  protected again(live: Journal | undefined): TextRun {
    return new TextRun(this.host, this.input, undefined, this.observer, live);
  }

  protected askModel(): Promise<Result<ModelAnswer>> {
    const { agent, input, s } = this;
    const schema = this.hasTools ? undefined : answerSchema(agent);
    return askModels(this.host, input, {
      turn: s.turn,
      system: this.system,
      messages: s.messages,
      output: "text",
      tool_names: [...this.tools.keys()],
      ...(this.hasTools ? { tools: nativeTools(this.tools.values()) } : {}),
      ...defined({ schema }),
      ...(input.on_chunk === undefined || answerType(agent) !== null ? {} : { listener: input.on_chunk }),
      ...(input.cache ? { cache: true } : {}),
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

  /** The calls of one reply, in order. A failure is the tool's answer and never ends the run. */
  private async runTools(turn: OpenTurn, calls: NativeCall[]): Promise<Step | null> {
    const { host, agent, s, tools, memory } = this;
    const { opening, params } = turn;
    this.ledger?.beginProgram(this.replied_at, { content: opening.raw_response, model: params.model });
    const cache = new Map(memory.toolCache);
    const answers: Message[] = [];
    const records = [];
    for (const [i, call] of calls.entries()) {
      const limit = agent.max_tool_calls;
      const called = await callNativeTool(
        { tools, cache, now: () => host.now(), spent: limit !== null && s.native_calls >= limit ? limit : null },
        call,
        (name, args) => this.callTool({ name, args, turn: s.turn, call: i + 1 }),
      );
      answers.push({ role: "tool", content: called.content, tool_call_id: call.id, tool_name: call.name });
      if (called.record === undefined) continue;
      records.push(called.record);
      if (!called.record.cached) s.native_calls += 1;
    }
    this.keepChildren();
    memory.toolCache = cache;
    s.last_program = { ...s.last_program, tool_calls: [...s.last_program.tool_calls, ...records] };
    Object.assign(turn.params, { tool_calls: records });
    if (this.notConfigured) return this.endTurn(turn, this.notConfigured);
    this.record(successTurn(turn.opening, null, turn.params));
    return this.next([{ ...turn.said, tool_calls: calls }, ...answers]);
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
    const type = answerType(this.agent);
    const shown = turn.opening.raw_response.slice(0, MAX_SHOWN_REPLY);
    const expected = type === null ? "text" : renderType(type);
    return this.askAgain(
      turn,
      fail,
      `Your answer cannot be used: ${fail.message}\nReceived: ${shown}\nExpected: JSON of the type ${expected}. Answer again with JSON only.`,
    );
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
