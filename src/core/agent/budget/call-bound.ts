import { utf8Bytes } from "../../base/bytes";
import type { Message, ModelRequest, Price } from "../../calls/host";
import { mostCost } from "./price";

/**
 * The upper bound of one model call, before it is made. A budget must reserve it, so that parallel calls cannot
 * overspend together.
 *
 * A token of today's tokenizers stands for at least one byte of UTF-8 (bytes are their smallest pieces), so bytes bound
 * tokens from above; in practice there are three to four times as many bytes. Allowances bound what providers add
 * around texts. The bound covers one answer: what a provider bills for failed attempts is not known.
 */
interface CallBound {
  tokens: number;
  /** US dollars; absent without a price. */
  cost?: number;
}

/** The tokens that a provider writes between messages: role names and separators, a handful. */
const PER_MESSAGE = 16;
/** Around each native call, its id included, and each tool. */
const PER_CALL = 64;
/** Providers describe in their own words how to call tools, or to answer with JSON: up to several hundred tokens. */
const INSTRUCTIONS = 2_000;
/** Schemas are written out for the model in another notation, as TypeScript or with line breaks. */
const NOTATION = 3;

type Sent = Pick<ModelRequest, "system" | "messages" | "tools" | "schema">;

/**
 * @param max_output_tokens what the call is limited to (`ModelRequest.max_output_tokens`)
 * @param price of the dearest model that may answer
 */
export function boundOf(request: Sent, max_output_tokens: number, price?: Price): CallBound {
  const input = inputBound(request);
  const tokens = input + max_output_tokens;
  return price === undefined ? { tokens } : { tokens, cost: mostCost({ input, output: max_output_tokens }, price) };
}

function inputBound({ system, messages, tools = [], schema }: Sent): number {
  const spoken = messages.reduce((sum, message) => sum + messageBound(message), utf8Bytes(system) + PER_MESSAGE);
  const described = tools.reduce((sum, tool) => sum + jsonBytesOf(tool) * NOTATION + PER_CALL, 0);
  const asked = schema === undefined ? 0 : jsonBytesOf(schema) * NOTATION;
  return spoken + described + asked + (tools.length > 0 || schema !== undefined ? INSTRUCTIONS : 0);
}

function messageBound({ role, content, tool_calls = [], replay }: Message): number {
  // A tool's answer may be sent as a text inside JSON: its quotes and line breaks are escaped then.
  const text = role === "tool" ? jsonBytesOf(content) : utf8Bytes(content);
  const calls = tool_calls.reduce((sum, call) => sum + jsonBytesOf(call) + PER_CALL, 0);
  return PER_MESSAGE + text + calls + (replay === undefined ? 0 : jsonBytesOf(replay));
}

const jsonBytesOf = (value: unknown): number => utf8Bytes(JSON.stringify(value));
