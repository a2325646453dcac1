import { toolCacheKey } from "../../base/call-digest";
import type { Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { NativeCall } from "../../calls/host";
import type { ToolRecord } from "../../lisp/program";
import { nativeName } from "../prompt/text-prompt";
import { recorded } from "../result/sizes";
import type { RunTool } from "../tools/run-tools";
import type { Answered } from "./answered";

interface NativeCalls {
  tools: ReadonlyMap<string, RunTool>;
  /** Results of cached tools; changed here. */
  cache: Map<string, Json>;
  now(): number;
  /** The limit of calls, when it is reached. */
  spent: number | null;
}

/** What the model is told, and the record of a call that really was one. */
export interface Called {
  content: string;
  record?: ToolRecord;
}

/** One native tool call. Any error is an answer to the model: `{"error": text}`. */
export async function callNativeTool(
  { tools, cache, now, spent }: NativeCalls,
  call: NativeCall,
  run: (name: string, args: JsonObject) => Promise<Answered>,
): Promise<Called> {
  if (spent !== null) return refused(`Tool call limit reached: at most ${spent} in this run.`);
  const tool = [...tools.values()].find(({ spec }) => nativeName(spec.name) === nativeName(call.name));
  if (!tool) return refused(`Unknown tool: ${call.name}. Available tools: ${[...tools.keys()].join(", ")}`);
  if (call.args_error !== undefined) return refused(`Bad arguments for ${call.name}: ${call.args_error}`);
  const { name } = tool.spec;
  const record: ToolRecord = {
    name,
    args: call.args,
    result: null,
    error: null,
    timestamp: now(),
    duration_ms: 0,
  };
  const key = tool.spec.cache ? toolCacheKey(name, call.args) : null;
  const cached = key === null ? undefined : cache.get(key);
  if (cached !== undefined)
    return { content: shown(cached), record: { ...record, result: recorded(cached), cached: true } };
  const { answer, notes, notice } = await run(name, call.args);
  record.duration_ms = now() - record.timestamp;
  Object.assign(record, notes);
  const changed = notes?.approval?.requested_args !== undefined;
  const called = answered(answer, record, changed ? null : key, cache);
  return notice === undefined ? called : { ...called, content: JSON.stringify({ result: record.result, notice }) };
}

function answered(answer: Result<Json>, record: ToolRecord, key: string | null, cache: Map<string, Json>): Called {
  if (!answer.ok) {
    record.error = answer.fail.message;
    return { ...refused(answer.fail.message), record };
  }
  record.result = recorded(answer.value);
  if (key !== null) cache.set(key, answer.value);
  return { content: shown(answer.value), record };
}

/** Fields whose names begin with `_` are for programs and applications, never for a model. */
const shown = (value: Json): string =>
  JSON.stringify(value, (key, item: unknown) => (key.startsWith("_") ? undefined : item));

const refused = (error: string): Called => ({ content: JSON.stringify({ error }) });
