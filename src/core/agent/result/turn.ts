import { defined } from "../../base/defined";
import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { Message, Tokens } from "../../calls/host";
import type { ToolRecord } from "../../lisp/program";
import { recorded } from "./sizes";

/**
 * The choices that a turn still has (agent reference, section 9.1). `must_return`: the last work turn. `retry`: no work
 * turns are left, only another try of the return.
 */
export type TurnType = "normal" | "must_return" | "retry";

/** The record of one turn (agent reference, section 11.2). It never changes. */
export interface Turn {
  /** 1-based. */
  readonly number: number;
  /** The whole reply, reasoning included. */
  readonly raw_response: string;
  /** null: nothing could be extracted from the reply. */
  readonly program: string | null;
  /** The value, or on failure `{reason, message, ...}`. */
  readonly result: Json;
  readonly prints: string[];
  readonly tool_calls: TurnCall[];
  /**
   * The definitions after the turn: those of all turns so far. A failed turn leaves them as they were. Histories and
   * queries contain only the turn's own definitions.
   */
  readonly memory: JsonObject;
  readonly success: boolean;
  /** The messages of this turn, when the run collected them (`collect_messages`); else null. */
  readonly messages: Message[] | null;
  /** The same for the system prompt. */
  readonly system_prompt: string | null;
  readonly type: TurnType;
  /** The printed output was cut before the model saw it. */
  readonly feedback_truncated?: true;
  /** The model that answered, if the provider reported it. */
  readonly model?: string;
  /** The tokens of its reply, if the provider reported them. */
  readonly tokens?: Tokens;
}

/** A tool call in the record of its turn (agent reference, section 4.2). `timestamp` is ms since 1970, `duration_ms` ms. */
export type TurnCall = Pick<
  ToolRecord,
  "name" | "args" | "result" | "error" | "timestamp" | "duration_ms" | "cached" | "child_trace_id"
>;

/** The parts of a Turn that have defaults. An absent part is empty. */
export interface TurnParams {
  prints?: string[];
  tool_calls?: readonly TurnCall[];
  memory?: JsonObject;
  messages?: Message[] | null;
  system_prompt?: string | null;
  type?: TurnType;
  feedback_truncated?: boolean;
  model?: string | undefined;
  tokens?: Tokens | undefined;
}

/** A turn in progress: the reply, and the content of its record. */
export interface TurnDraft {
  opening: Opening;
  params: TurnParams;
  /** The part of the reply that stays in the conversation. */
  said: Message;
}

type Opening = Pick<Turn, "number" | "raw_response" | "program">;

/**
 * A Turn that went well, for tests and for code that builds Steps (agent reference, section 11.2). `result` is the
 * value of its program.
 */
export function successTurn(opening: Opening, result: Json, params: TurnParams = {}): Turn {
  return turn(opening, result, true, params);
}

/**
 * A Turn that failed (agent reference, section 11.2). `error` is `{reason, message, ...}`, or for a memory limit the
 * value that came with it.
 */
export function failureTurn(opening: Opening, error: Json, params: TurnParams = {}): Turn {
  return turn(opening, error, false, params);
}

function turn(opening: Opening, result: Json, success: boolean, params: TurnParams): Turn {
  return {
    ...opening,
    result: recorded(result),
    prints: params.prints ?? [],
    tool_calls: (params.tool_calls ?? []).map(callOf),
    memory: params.memory ?? {},
    success,
    messages: params.messages ?? null,
    system_prompt: params.system_prompt ?? null,
    type: params.type ?? "normal",
    ...(params.feedback_truncated ? { feedback_truncated: true } : {}),
    ...defined({ model: params.model, tokens: params.tokens }),
  };
}

const callOf = ({ name, args, result, error, timestamp, duration_ms, cached, child_trace_id }: TurnCall): TurnCall => ({
  name,
  args,
  result,
  error,
  timestamp,
  duration_ms,
  ...defined({ cached, child_trace_id }),
});

/** A fail as the JSON that programs and records see. */
export const failAsJson = (fail: Failure): JsonObject => ({
  reason: fail.reason,
  message: fail.message,
  ...defined({ op: fail.op, details: fail.details }),
});
