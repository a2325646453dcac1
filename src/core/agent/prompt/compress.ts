import type { JsonObject } from "../../base/json";
import { escapeLineBreaks, joinLines } from "../../base/one-line";
import { Closure, describeFunction } from "../../lisp";
import { PMap, PSet, Vec } from "../../lisp/values/collections";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { printValue } from "../../lisp/values/print";
import type { Value } from "../../lisp/values/values";
import type { AgentDefinition } from "../definition/definition";
import type { CompressionStats } from "../result/step";
import type { Turn } from "../result/turn";
import { turnLine } from "./feedback";
import { type DataLabels, dataInventory, type SampleLimits, sampleOf, toolInventory, typeWordOf } from "./inventory";
import { expectedOutput, joined } from "./prompt";

/** The facts about the run so far in the message. */
interface RunSoFar {
  prompt: string | null;
  turns: readonly Turn[];
  /** Number of the coming turn. */
  turn: number;
  work_left: number;
  retry_left: number;
  found_tools?: string[];
}

/**
 * The conversation so far as one message: what is available, what was stored, which tools were called, what was printed
 * (agent reference, section 14). Errors of earlier turns are dropped once a turn succeeds.
 */
export function compressed(run: {
  agent: AgentDefinition;
  input: DataLabels;
  data: JsonObject;
  definitions: ReadonlyMap<string, Value>;
  state: RunSoFar;
  /** The checklist of a plan; "" without one. */
  progress: string;
}): string {
  const { agent, data, state } = run;
  const limits = limitsOf(agent);
  const sample = { items: limits.sample_limit, chars: limits.sample_printable_limit };
  return joined(
    `<mission>\n${state.prompt}\n</mission>`,
    toolInventory(agent, state.found_tools),
    dataInventory(agent, run.input, data, sample),
    definitionInventory(run.definitions, sample),
    expectedOutput(agent),
    compressedTurns(state.turns, limits),
    run.progress,
    turnsLeft(agent, state),
  );
}

/** The summary of turns: their calls, their output, and why the last one failed. */
export function compressedTurns(turns: readonly Turn[], limits: HistoryLimits): string {
  const { calls, prints, lastError } = history(turns);
  return joined(
    calls.length === 0
      ? ";; No tool calls made"
      : [";; Tool calls made:", ...newest(calls, limits.tool_call_limit).map(callLine)].join("\n"),
    prints.length === 0 ? "" : [";; Output:", ...newest(prints, limits.println_limit)].join("\n"),
    lastError,
  );
}

type HistoryLimits = Pick<ReturnType<typeof limitsOf>, "tool_call_limit" | "println_limit">;

/**
 * Counts the parts that the compressed message of the last turn showed and left out.
 * @param last its number
 */
export function compressionStats(agent: AgentDefinition, all: readonly Turn[], last: number): CompressionStats {
  const limits = limitsOf(agent);
  const turns = all.filter(({ number }) => number < last);
  const { calls, prints } = history(turns);
  const shown = (count: number, limit: number) => Math.min(count, limit);
  const lastFailed = turns.at(-1)?.success === false;
  return {
    enabled: true,
    strategy: agent.compression?.strategy ?? "",
    turns_compressed: turns.length,
    tool_calls_total: calls.length,
    tool_calls_shown: shown(calls.length, limits.tool_call_limit),
    tool_calls_dropped: calls.length - shown(calls.length, limits.tool_call_limit),
    printlns_total: prints.length,
    printlns_shown: shown(prints.length, limits.println_limit),
    printlns_dropped: prints.length - shown(prints.length, limits.println_limit),
    error_turns_collapsed: turns.filter((turn) => !turn.success).length - (lastFailed ? 1 : 0),
  };
}

const limitsOf = (agent: AgentDefinition) => (agent.compression as NonNullable<AgentDefinition["compression"]>).options;

const newest = <T>(items: readonly T[], limit: number): readonly T[] => (limit === 0 ? [] : items.slice(-limit));

function history(turns: readonly Turn[]) {
  const good = turns.filter((turn) => turn.success);
  const last = turns.at(-1);
  return {
    calls: good.flatMap((turn) => turn.tool_calls),
    prints: good.flatMap((turn) => turn.prints),
    lastError: last === undefined || last.success ? "" : errorText(last),
  };
}

function errorText({ program, result }: Turn): string {
  const { message } = (result ?? {}) as { message?: unknown };
  const failed = program === null ? "" : `Your last program:\n\`\`\`clojure\n${program}\n\`\`\`\n`;
  return `${failed}Error: ${typeof message === "string" ? message : JSON.stringify(result)}`;
}

function callLine({ name, args }: Turn["tool_calls"][number]): string {
  try {
    const text = escapeLineBreaks(printValue(fromJson(args), { items: 3, chars: 60 }));
    return `;   (tool/${name} ${text})`;
  } catch (error) {
    if (error instanceof LispError) return `;   (tool/${name} ...)`;
    throw error;
  }
}

/** Functions with their parameters and docstring, then values with type and sample. Empty parts are left out. */
function definitionInventory(definitions: ReadonlyMap<string, Value>, sample: SampleLimits): string {
  const entries = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
  const functions = entries.flatMap(([name, value]) => (value instanceof Closure ? [functionLine(name, value)] : []));
  const values = entries.flatMap(([name, value]) =>
    value instanceof Closure || isEmpty(value) ? [] : [valueLine(name, value, sample)],
  );
  return functions.length + values.length === 0 ? "" : [";; === user/ ===", ...functions, ...values].join("\n");
}

function functionLine(name: string, closure: Closure): string {
  const { params, doc } = describeFunction(closure);
  return `(${[name, ...params].join(" ")})${doc ? `  ; ${joinLines(doc)}` : ""}`;
}

const valueLine = (name: string, value: Value, sample: SampleLimits): string =>
  `${name.padEnd(30)}; ${typeWordOf(value)}, ${name.startsWith("_") ? "[Hidden]" : `sample: ${sampleOf(value, sample)}`}`;

function isEmpty(value: Value): boolean {
  if (value === null || value === "") return true;
  if (value instanceof Vec) return value.length === 0;
  return (value instanceof PMap || value instanceof PSet) && value.size === 0;
}

/** How many turns remain after this one, or that it is the last. */
function turnsLeft(agent: AgentDefinition, { turn, work_left, retry_left }: RunSoFar): string {
  const left = work_left + retry_left - 1;
  return left > 0 ? `Turns left: ${left}` : turnLine(agent, { next: turn, work: work_left, retry: retry_left });
}
