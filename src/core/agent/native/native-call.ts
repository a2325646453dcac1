import { toolCacheKey } from "../../base/call-digest";
import type { Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { NativeCall } from "../../calls/host";
import type { ToolRecord } from "../../lisp/program";
import { nativeName } from "../definition/native-name";
import type { Answered } from "../result/answered";
import { recorded } from "../result/sizes";
import type { RunTool } from "../tools/run-tools";
import type { NativeRecord } from "./native-journal";

/** The parts of its run that a native call needs. */
interface NativeCaller {
  tools: ReadonlyMap<string, RunTool>;
  /** Results of cached tools; changed here. */
  cache: Map<string, Json>;
  now(): number;
  /** The limit of calls, when it is reached. */
  spent: number | null;
  /** Why there is no such tool. */
  unknown(name: string): string;
  /** The call is really made now. */
  begins(): void;
  /** The records of calls that are finished; undefined: the call is not recorded. */
  journal(tool: RunTool, args: JsonObject): NativeRecord | undefined;
  run(name: string, args: JsonObject, task: string | undefined): Promise<Answered>;
}

/** The text that the model receives, and the record of a call that was made. */
export interface Called {
  content: string;
  record?: ToolRecord;
}

/** One native tool call. Any error is an answer to the model: `{"error": text}`. */
export async function callNativeTool(caller: NativeCaller, call: NativeCall): Promise<Called> {
  const { tools, cache, now, spent } = caller;
  if (spent !== null) return refused(`Tool call limit reached: at most ${spent} in this run.`);
  const tool = toolOf(tools, call.name);
  if (!tool) return refused(caller.unknown(call.name));
  if (call.args_error !== undefined) return refused(`Bad arguments for ${call.name}: ${call.args_error}`);
  const { name } = tool.spec;
  const { args } = call;
  const record: ToolRecord = { name, args, result: null, error: null, timestamp: now(), duration_ms: 0 };
  const key = cacheKeyOf(tool, args);
  const cached = key === null ? undefined : cache.get(key);
  if (cached !== undefined) return { content: shown(cached), record: given(record, cached) };
  const journaled = caller.journal(tool, args);
  if (journaled !== undefined) record.task = journaled.task;
  if (journaled?.recorded) {
    const { value } = journaled.recorded;
    return { content: JSON.stringify({ result: visible(value), notice: SERVED }), record: given(record, value) };
  }
  caller.begins();
  const { answer, notes, notice } = await caller.run(name, args, journaled?.task);
  record.duration_ms = now() - record.timestamp;
  Object.assign(record, notes);
  const changed = notes?.approval?.requested_args !== undefined;
  const called = answered(answer, record, changed ? null : key, cache);
  const notices = notice === undefined ? [] : [notice];
  // Recorded before the run continues: a crash between the two must find the record on replay.
  if (answer.ok) notices.push(journaled?.done(args, answer.value) ?? "");
  else journaled?.failed();
  const allNotices = notices.filter((text) => text !== "").join(" ");
  if (allNotices === "") return called;
  const outcome = answer.ok ? { result: visible(answer.value) } : { error: answer.fail.message };
  return { ...called, content: JSON.stringify({ ...outcome, notice: allNotices }) };
}

const SERVED =
  "This call was finished before in this mission: you are given its recorded answer, and it is not made again.";

const given = (record: ToolRecord, value: Json): ToolRecord => ({ ...record, result: recorded(value), cached: true });

/** The tool that a model means: providers write `_` for `-`. No two tools of a run are written the same. */
export const toolOf = (tools: ReadonlyMap<string, RunTool>, name: string): RunTool | undefined =>
  [...tools.values()].find(({ spec }) => nativeName(spec.name) === nativeName(name));

/** The key of the call's answer in the cache; null where nothing is kept. */
export const cacheKeyOf = ({ spec }: RunTool, args: JsonObject): string | null =>
  spec.cache ? toolCacheKey(spec.name, args) : null;

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

const visible = (value: Json): Json => JSON.parse(shown(value)) as Json;

/** An error as the answer of a call. */
export const refused = (error: string): Called => ({ content: JSON.stringify({ error }) });
