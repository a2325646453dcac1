import type { Step } from "../../agent/result/step";
import { canonical } from "../../base/canonical";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { cutText } from "../../base/whole-characters";
import type { ToolRecord } from "../../lisp/program";
import { MAX_ARGS_BYTES, MAX_RESULT_BYTES } from "./event-facts";
import type { ReadRun } from "./read-run";
import type { TurnSpan } from "./span";
import { closeSpan, newSpan, type Span } from "./span";
import { shortenedTo } from "./summarise";

/**
 * The facts that only the run knew, and reported at its end: values and output of its programs, calls without a worker
 * (answered from a cache, by the engine, or refused by a person), arguments of local reads, parallel sections.
 */
const MAX_PREVIEW_CHARS = 65_536;

/** Adds the records of a run to the turns that made them. */
export function addRecords({ run, turns, step }: ReadRun): void {
  for (const turn of turns) addTurn(turn);
  const invocation = turns.at(-1)?.invocation;
  const newest = turns.filter((turn) => turn.invocation === invocation).reverse();
  if (step === null) return;
  // Besides the turns only the last program's calls have times: in text mode they are those of the whole run.
  const ran = newest.find(({ closed }) => typeof closed.metadata.program === "string");
  if (ran !== undefined) {
    addTimes(ran, step.tool_calls);
    addSections(ran, step.pmap_calls);
  } else if (isText(run)) addTimesOfAll(newest, step.tool_calls);
}

const isText = ({ opened }: Span): boolean =>
  isObject(opened.metadata.agent) && opened.metadata.agent.output === "text";

/** @param turns the last one first; each has the number of its calls */
function addTimesOfAll(turns: readonly TurnSpan[], records: readonly ToolRecord[]): void {
  let end = records.length;
  for (const turn of turns) {
    const own = turn.record?.tool_calls.length ?? 0;
    addTimes(turn, records.slice(Math.max(0, end - own), end));
    end -= own;
  }
}

function addTurn(turn: TurnSpan): void {
  const { record } = turn;
  if (record === undefined) return;
  const { program, success, result, prints, type, raw_response } = record;
  Object.assign(turn.closed.metadata, {
    type,
    success,
    program,
    ...(program === null ? { raw_response } : {}),
    result_preview: cutText(JSON.stringify(result), MAX_PREVIEW_CHARS),
    prints,
  });
  const unmatched = turn.children.filter(({ kind }) => kind === "tool");
  for (const [index, call] of record.tool_calls.entries()) {
    const span = take(unmatched, call.name, call.args, call.result);
    if (span === undefined) turn.children.push(unseenCall(turn, index, call));
    else span.opened.metadata = { ...called(call.name, call.args), ...span.opened.metadata, tool_name: call.name };
  }
}

const called = (tool_name: string, args: Json) => ({ tool_name, args: shortenedTo(args, MAX_ARGS_BYTES) });

/**
 * The call of the history for a record: the same name and arguments; for a local read, whose arguments the history
 * lacks, the same answer.
 */
function take(calls: Span[], name: string, args: Json, result: Json): Span | undefined {
  const shown = canonical(shortenedTo(args, MAX_ARGS_BYTES));
  const gave = canonical(shortenedTo(result, MAX_RESULT_BYTES));
  // Nearly always it is the first call that is left: a look at all of them would take the square of their number.
  const find = (fits: (call: Span) => boolean) =>
    calls.find((call) => sameName(String(call.opened.metadata.tool_name), name) && fits(call));
  const found =
    find(({ opened }) => canonical(opened.metadata.args) === shown) ??
    find(({ opened, closed }) => opened.metadata.args === undefined && canonical(closed.metadata.result) === gave) ??
    find(({ opened }) => opened.metadata.args === undefined);
  if (found !== undefined) calls.splice(calls.indexOf(found), 1);
  return found;
}

const sameName = (shown: string, name: string): boolean => shown.replaceAll("-", "_") === name.replaceAll("-", "_");

/**
 * The call used no worker, so the history does not contain it: it is shown at the end of its turn, without a duration.
 */
function unseenCall(
  turn: TurnSpan,
  index: number,
  { name, args, result, error }: Pick<ToolRecord, "name" | "args" | "result"> & Partial<Pick<ToolRecord, "error">>,
): Span {
  const at = turn.end ?? turn.start;
  const span = newSpan("tool", `${turn.key}/call/${index}`, at, { ...called(name, args), recorded: "step" });
  span.timed = false;
  const failed = typeof error === "string";
  closeSpan(span, at, failed ? { exception: { message: error } } : { result: shortenedTo(result, MAX_RESULT_BYTES) });
  return span;
}

/** Times, errors and notes of the calls that the Step reports. */
function addTimes(turn: TurnSpan, records: readonly ToolRecord[]): void {
  const calls = turn.children.filter(({ kind }) => kind === "tool");
  for (const record of records) {
    const span = take(calls, record.name, record.args, record.result);
    if (span === undefined) continue;
    const { metadata } = span.closed;
    if (record.cached) metadata.cached = true;
    if (record.approval) metadata.approval = record.approval as unknown as Json;
    if (record.error !== null && metadata.exception === undefined && span.opened.metadata.recorded === "step") {
      delete metadata.result;
      metadata.exception = { message: record.error };
    }
    if (!span.timed) placeAt(span, turn, record);
  }
}

function placeAt(span: Span, turn: TurnSpan, { timestamp, duration_ms }: ToolRecord): void {
  const end = turn.end ?? timestamp + duration_ms;
  span.start = Math.min(Math.max(timestamp, turn.start), end);
  span.end = Math.min(Math.max(timestamp + duration_ms, span.start), end);
  span.timed = true;
}

/** Parallel sections of the last program, and which calls were made in them. */
function addSections(turn: TurnSpan, sections: Step["pmap_calls"]): void {
  const end = turn.end ?? Number.POSITIVE_INFINITY;
  const spans = sections.map((section, index) => {
    const start = Math.min(Math.max(section.timestamp, turn.start), end);
    const { type, count, success_count, error_count, child_trace_ids } = section;
    const span = newSpan("pmap", `${turn.key}/pmap/${index}`, start, { type }, { count });
    closeSpan(
      span,
      Math.min(start + section.duration_ms, end),
      { type, child_trace_ids },
      { count, success_count, error_count },
    );
    return span;
  });
  // The innermost is the one that was recorded first: a section is recorded when it ends.
  const parentOf = (child: Span, among: Span[]) => among.find((section) => contains(section, child)) ?? turn;
  const calls = turn.children.filter(({ kind }) => kind === "tool");
  turn.children = turn.children.filter(({ kind }) => kind !== "tool");
  for (const call of calls) parentOf(call, spans).children.push(call);
  for (const [index, span] of spans.entries()) parentOf(span, spans.slice(index + 1)).children.push(span);
}

const contains = (section: Span, span: Span): boolean =>
  section.start <= span.start && span.end !== null && section.end !== null && span.end <= section.end;
