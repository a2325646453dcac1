import type { AgentDefinition } from "../../agent/definition/definition";
import { extractProgram } from "../../agent/reply/extract-program";
import type { Step } from "../../agent/result/step";
import type { Turn } from "../../agent/result/turn";
import { turnType } from "../../agent/run/checks";
import { applyDelta, EMPTY_CONVERSATION } from "../../agent/run/conversation";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import type { Conversation, ConversationDelta } from "../../calls/model-call";
import type { FactOf } from "../read/facts";
import { numberAt } from "./number-at";
import type { TurnSpan } from "./span";
import { closeSpan, newSpan, type Span } from "./span";

/**
 * The turns of a run from its model calls: a turn starts with its first model call, and ends when the next one starts,
 * the mission parks, or the run ends. A history does not contain the invocation of a mission that was woken; but an
 * answered turn never comes again, so a repeated turn belongs to the next invocation.
 */
export class TurnReader {
  private readonly all: TurnSpan[] = [];
  private turn: TurnSpan | null = null;
  private invocation = 1;
  private parkedNow = false;
  private answered = false;
  private conversation: Conversation = EMPTY_CONVERSATION;
  /** Turns as the run passed them on when it continued as new. */
  private readonly records = new Map<number, readonly Turn[]>();
  private readonly program: boolean;

  constructor(
    private readonly run: Span,
    private readonly agent: AgentDefinition | null,
    input: JsonObject,
  ) {
    this.program = typeof input.program === "string";
  }

  started({ at, input }: FactOf<"started">): void {
    const continued = input?.carried;
    if (!isObject(continued)) {
      if (this.program) this.open(1, at);
      return;
    }
    this.close(at);
    const { invocation, state, parked } = continued;
    if (typeof invocation === "number") {
      this.invocation = invocation;
      // A run may continue as new while it waits: its next turn belongs to the next invocation.
      this.parkedNow = isObject(parked);
    }
    if (isObject(state) && Array.isArray(state.turns))
      this.records.set(this.invocation, state.turns as unknown as Turn[]);
  }

  /** The parent of a call: the current turn, or the run if there is none. */
  current(): Span {
    return this.turn ?? this.run;
  }

  modelAsked({ at }: FactOf<"activity_scheduled">, key: string, call: JsonObject): Span {
    const before = this.all.at(-1)?.number ?? 0;
    const number = typeof call.turn === "number" ? call.turn : this.answered ? before + 1 : Math.max(1, before);
    if (this.turn === null || number !== this.turn.number || this.answered) {
      this.close(at);
      const repeated = this.all.some((turn) => turn.invocation === this.invocation && turn.number >= number);
      if (this.parkedNow || repeated) this.invocation += 1;
      this.open(number, at);
    }
    const turn = this.turn as unknown as TurnSpan;
    const first = turn.children.length === 0;
    this.conversation = conversationOf(this.conversation, call.conversation);
    const { system, messages } = this.conversation;
    const llm = newSpan(
      "llm",
      key,
      at,
      {
        agent: this.agent?.name ?? null,
        turn: number,
        model: call.model,
        messages: messages as unknown as Json,
        // The same on every turn.
        system_prompt: first && number === 1 && system !== "" ? system : undefined,
      },
      { messages: messages.length },
    );
    turn.children.push(llm);
    return llm;
  }

  modelAnswered(llm: Span, at: number, reply: Json | undefined): void {
    const answer = isObject(reply) ? reply : {};
    const { content, tokens, model, tool_calls } = answer;
    closeSpan(llm, at, { response: content, tool_calls, model }, tokenCounts(tokens));
    if (this.turn === null) return;
    this.answered = true;
    if (typeof content !== "string") return;
    const found = this.agent?.output === "text" ? null : extractProgram(content);
    const { metadata, measurements } = this.turn.closed;
    Object.assign(measurements, tokenCounts(tokens));
    Object.assign(metadata, found?.ok ? { program: found.source } : { program: null, raw_response: content });
  }

  parked(at: number): void {
    this.close(at);
    this.parkedNow = true;
  }

  ended(at: number, step: Step | null): void {
    this.close(at);
    if (step?.turns) this.records.set(this.invocation, step.turns);
  }

  /** The turns, each with the run's own record of it, if there is one. */
  withRecords(): TurnSpan[] {
    for (const turn of this.all) {
      const record = this.records.get(turn.invocation)?.find(({ number }) => number === turn.number);
      if (record !== undefined) turn.record = record;
    }
    return this.all;
  }

  private open(number: number, at: number): void {
    const key = `turn/${this.invocation}.${number}`;
    const type = this.agent === null ? undefined : typeOf(this.agent, number, this.program);
    const span = newSpan("turn", key, at, {
      agent: this.agent?.name ?? null,
      turn: number,
      type,
      ...(this.invocation === 1 ? {} : { invocation: this.invocation }),
      ...(type === "retry" && this.agent !== null ? retryFacts(this.agent, number) : {}),
      tools_count: this.agent?.tools?.length,
    });
    this.turn = { ...span, number, invocation: this.invocation };
    this.answered = this.program;
    this.run.children.push(this.turn);
    this.all.push(this.turn);
  }

  /** Unanswered calls end with their turn: nobody waits for them any more. */
  close(at: number): void {
    const { turn } = this;
    if (turn === null) return;
    for (const call of turn.children) closeSpan(call, at, { exception: GIVEN_UP });
    const { type } = turn.opened.metadata;
    closeSpan(turn, at, { turn: turn.number, type });
    this.turn = null;
  }
}

const GIVEN_UP = { reason: "given_up", message: "It was not answered before its turn ended." };

/** The same rule as in the run itself. */
function typeOf(agent: AgentDefinition, number: number, program: boolean): string {
  return turnType({ work_left: (program ? 1 : agent.max_turns) - (number - 1) });
}

const retryFacts = ({ max_turns, retry_turns }: AgentDefinition, number: number) => ({
  attempt: number - max_turns,
  remaining: retry_turns - (number - max_turns),
});

function conversationOf(before: Conversation, delta: Json | undefined): Conversation {
  if (!isObject(delta) || !isObject(delta.system) || !isObject(delta.messages)) return EMPTY_CONVERSATION;
  return applyDelta(delta.base === 0 ? EMPTY_CONVERSATION : before, delta as unknown as ConversationDelta);
}

/** Token counts with the field names of a Step's usage. */
export function tokenCounts(tokens: unknown): JsonObject {
  if (!isObject(tokens)) return {};
  const { input, output, cache_creation, cache_read, total_cost } = tokens;
  const counts = {
    input_tokens: input,
    output_tokens: output,
    total_tokens: numberAt(tokens, "input") + numberAt(tokens, "output"),
    cache_creation_tokens: cache_creation,
    cache_read_tokens: cache_read,
    total_cost,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => typeof count === "number")) as JsonObject;
}
