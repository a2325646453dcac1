import { totalmem } from "node:os";
import type { DataConverter, MetricMeter, Payload, PayloadCodec } from "@temporalio/common";
import { isObject } from "../../core/base/is-object";
import type { Attributes, PlainSpan, SpanError } from "../../core/history/spans/plain-span";
import { unreadableError } from "../encoding/unreadable-payload";
import { onBlock } from "../heartbeats/blocking-tools";
import { METRICS, type MeasuredMetric } from "./metric-names";

/** Different values that one label of a metric may have. What comes later is counted as `other`: names may come from anybody. */
const MAX_VALUES = 100;
/** Different combinations of labels that one metric may have: values multiply. Each is a time series, and 11 to 16 in a histogram. */
const MAX_SERIES = 500;
const MEMORY_EVERY_MS = 10_000;
const OTHER = "other";
const OK = "ok";
/** Labels with names that people chose. After MAX_SERIES they are dropped; kinds and outcomes stay, so that failures and successes stay separate. */
const NAMES: ReadonlySet<string> = new Set([
  "name",
  "gen_ai.tool.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
]);

type Key = keyof typeof METRICS;
type Recorder = (value: number, tags: { [label: string]: string }) => void;

/** Counts what a worker does, in the meter of the SDK: it comes out where Temporal's own metrics do, for Prometheus or as OTLP. */
export class CallMetrics {
  private readonly recorders: { [K in Key]: Recorder };
  /** By metric, and by metric and label. */
  private readonly seen = new Map<string, Set<string>>();

  /** @param forPrometheus names of metrics and labels have `_` for each dot: the SDK's registry drops others without a word */
  constructor(
    meter: MetricMeter,
    private readonly forPrometheus: boolean,
  ) {
    const named = (one: MeasuredMetric) => (forPrometheus ? { ...one, name: one.name.replaceAll(".", "_") } : one);
    const entries = Object.entries(METRICS).map(([key, one]) => [key, recorderOf(meter, named(one))]);
    this.recorders = Object.fromEntries(entries) as { [K in Key]: Recorder };
  }

  /** One attempt of a model call or a tool call. @param attributes of its span */
  call(attributes: Attributes, seconds: number, error: SpanError | undefined): void {
    const failed: Attributes = error === undefined ? {} : { "error.type": error.type };
    if (attributes["gen_ai.operation.name"] === "execute_tool") {
      this.record("toolSeconds", seconds, { ...attributes, ...failed });
      return this.record("toolCalls", 1, { ...attributes, outcome: error?.type ?? OK });
    }
    this.record("modelSeconds", seconds, { ...attributes, ...failed });
    for (const type of ["input", "output"]) {
      const tokens = attributes[`gen_ai.usage.${type}_tokens`];
      if (typeof tokens === "number") this.record("tokens", tokens, { ...attributes, "gen_ai.token.type": type });
    }
    const cost = attributes["navigator.cost.usd"];
    if (typeof cost === "number") this.record("cost", cost, attributes);
  }

  /** An activity that is no call of a model or a tool, and has succeeded. @param args its first argument */
  other(activity: string, args: unknown, answer: unknown): void {
    if (activity === "deliver") return this.delivery(args, OK);
    if (activity !== "claimEffect" || !isObject(answer) || !isObject(answer.value)) return;
    const { state, holder } = answer.value;
    if (state === "held" && isObject(holder)) this.record("ledgerBlocks", 1, { state: String(holder.state) });
  }

  /** The same, and it has failed. @param type the class of its error */
  otherFailed(activity: string, args: unknown, type: string): void {
    if (activity === "deliver") this.delivery(args, type);
  }

  /** Data that cannot be read here. @param name of the key or the encoding */
  unreadable(code: string, name: string): void {
    this.record("unreadable", 1, { code, name });
  }

  /** The data converter of a worker, which counts the payloads that it cannot read: such work fails before any call of ours begins. */
  countingUnreadable(dataConverter: DataConverter | undefined): DataConverter | undefined {
    const { payloadCodecs } = dataConverter ?? {};
    if (payloadCodecs === undefined) return dataConverter;
    const counting = (codec: PayloadCodec): PayloadCodec => ({
      encode: codec.encode.bind(codec),
      decode: async (payloads: Payload[]) => {
        try {
          return await codec.decode(payloads);
        } catch (error) {
          const unreadable = unreadableError(error);
          if (unreadable !== undefined) this.unreadable(unreadable.code, nameOf(unreadable.details));
          throw error;
        }
      },
    });
    return { ...dataConverter, payloadCodecs: payloadCodecs.map(counting) };
  }

  /** Reports the bytes that this process has and may have, while it lives. It keeps no process alive. */
  reportMemory(): void {
    if (isMemoryReported) return;
    isMemoryReported = true;
    const report = () => {
      this.record("memory", process.memoryUsage.rss(), {});
      this.record("memoryLimit", memoryLimit(), {});
    };
    report();
    setInterval(report, MEMORY_EVERY_MS).unref();
  }

  /** Reports the blocks of the main thread, each with the tool that caused it. */
  reportBlocks(): void {
    onBlock(({ blocked_ms, tools: [tool = OTHER, ...others] }) =>
      this.record("blockedSeconds", blocked_ms / 1_000, { "gen_ai.tool.name": others.length === 0 ? tool : "unknown" }),
    );
  }

  private delivery(args: unknown, outcome: string): void {
    if (isObject(args)) this.record("deliveries", 1, { channel: String(args.channel), outcome });
  }

  /** A run, or a wait for people, that has ended. */
  ended({ name, attributes, start_ms, end_ms, error }: PlainSpan): void {
    const seconds = Math.max(0, (end_ms ?? start_ms) - start_ms) / 1_000;
    const wait = attributes["navigator.wait.kind"];
    if (wait !== undefined) return this.record("waitSeconds", seconds, { kind: wait });
    const type = attributes["navigator.workflow.type"];
    if (typeof type !== "string") return;
    const tags = { kind: KINDS[type] ?? type, outcome: error?.type ?? OK };
    this.record("runs", 1, { ...tags, name: name.split(" ").slice(1).join(" ") });
    this.record("runSeconds", seconds, tags);
  }

  private record(key: Key, value: number, attributes: Attributes): void {
    const { labels } = METRICS[key];
    const values = labels.flatMap((label): [string, string][] => {
      const one = attributes[label];
      return one === undefined ? [] : [[label, this.bounded(`${key} ${label}`, String(one))]];
    });
    const isKept = this.isKnown(key, JSON.stringify(values), MAX_SERIES);
    const tags = values.map(([label, one]) => [
      this.forPrometheus ? label.replaceAll(".", "_") : label,
      isKept || !NAMES.has(label) ? one : OTHER,
    ]);
    this.recorders[key](value, Object.fromEntries(tags));
  }

  private bounded(place: string, value: string): string {
    return value === OK || this.isKnown(place, value, MAX_VALUES) ? value : OTHER;
  }

  /** Whether a value is one of the first ones. */
  private isKnown(place: string, value: string, most: number): boolean {
    const seen = this.seen.get(place) ?? new Set();
    this.seen.set(place, seen);
    if (seen.size < most) seen.add(value);
    return seen.has(value);
  }
}

const KINDS: { [workflowType: string]: string } = {
  agentRun: "agent",
  navigatorTask: "task",
  planRun: "plan",
  undoRun: "undo",
};

function recorderOf(meter: MetricMeter, { name, kind, valueType, unit, help }: MeasuredMetric): Recorder {
  if (kind === "counter") {
    const counter = meter.createCounter(name, unit, help);
    return (value, tags) => counter.add(value, tags);
  }
  if (kind === "gauge") {
    const gauge = meter.createGauge(name, valueType, unit, help);
    return (value, tags) => gauge.set(value, tags);
  }
  const histogram = meter.createHistogram(name, valueType, unit, help);
  return (value, tags) => histogram.record(value, tags);
}

const nameOf = (details: unknown): string => String((details as { name?: unknown } | undefined)?.name ?? "");

/** One process reports its memory once. */
let isMemoryReported = false;

/** Bytes that this process may have. Without a limit, the system reports 0 or a number that is larger than the machine. */
export function memoryLimit(
  constrained: number | undefined = process.constrainedMemory?.(),
  machine: number = totalmem(),
): number {
  return constrained === undefined || constrained <= 0 ? machine : Math.min(constrained, machine);
}
