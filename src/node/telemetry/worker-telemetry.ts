import { type InjectedSinks, Runtime, type WorkerOptions } from "@temporalio/worker";
import { defined } from "../../core/base/defined";
import type { PlainSpan } from "../../core/history/spans/plain-span";
import { packageVersion } from "../package-version";
import { hasTracerProvider } from "./global-provider";

/** What a worker reports of its work. */
export interface WorkerTelemetryOptions {
  /** Arguments, answers and error texts go into spans. Default: no. */
  content?: boolean;
  /** Model calls, tool calls and runs are counted in the SDK's meter. Default: if its `Runtime` has a way out for metrics. */
  metrics?: boolean;
}

/** What workflows call: a worker without telemetry takes no notice. */
const SILENT: InjectedSinks<TelemetrySink> = {
  navigatorTelemetry: { span: { fn: () => {}, callDuringReplay: false } },
};

/** The options with a sink that takes no notice of spans: a replay reports nothing, and does not warn that nobody listens. */
export const withSilentTelemetry = <T extends { sinks?: object }>(options: T): T => ({
  ...options,
  sinks: { ...SILENT, ...options.sinks },
});

/** The sink of `src/workflows/telemetry`, as the worker sees it. */
type TelemetrySink = { navigatorTelemetry: { span(span: PlainSpan): void } };

/** Where the SDK's metrics go; null: nowhere, or they are not wanted. */
const metricsExporter = ({ metrics }: WorkerTelemetryOptions) =>
  metrics === false ? null : Runtime.instance().options.runtimeOptions.metricsExporter;

/** Whether a worker with these options has anybody to report to. */
export const reportsTelemetry = (options: WorkerTelemetryOptions = {}): boolean =>
  hasTracerProvider() || metricsExporter(options) !== null;

/**
 * The options of a worker with what reports spans and metrics: to the tracer provider that the process has registered, and to the
 * SDK's meter. Interceptors and sinks of the user's own stay.
 */
export async function withTelemetry(
  options: WorkerOptions,
  telemetry: WorkerTelemetryOptions = {},
): Promise<WorkerOptions> {
  const { content = false } = telemetry;
  const traces = hasTracerProvider();
  const exporter = metricsExporter(telemetry);
  if (!traces && exporter === null) return withSilentTelemetry(options);
  const [{ TracedActivity }, spans, counted] = await Promise.all([
    import("./activity-spans"),
    traces ? globalSpans() : null,
    exporter === null ? null : callMetrics(exporter.type === "prometheus"),
  ]);
  const span = (_: unknown, one: PlainSpan) => {
    counted?.ended(one);
    if (one.end_ms !== null) spans?.report({ ...one, end_ms: one.end_ms });
  };
  counted?.reportMemory();
  counted?.reportBlocks();
  const dataConverter = counted?.countingUnreadable(options.dataConverter);
  return {
    ...options,
    ...defined({ dataConverter }),
    sinks: { navigatorTelemetry: { span: { fn: span, callDuringReplay: false } }, ...options.sinks },
    interceptors: {
      ...options.interceptors,
      activity: [
        ...(options.interceptors?.activity ?? []),
        (context) => ({ inbound: new TracedActivity(context, spans, counted, { content }) }),
      ],
    },
  };
}

async function globalSpans() {
  const [{ trace }, { Spans }] = await Promise.all([import("@opentelemetry/api"), import("./spans")]);
  const provider = trace.getTracerProvider();
  // What the API gives out stands before the one that was registered, and knows nothing of ids.
  const delegate = (provider as { getDelegate?: () => typeof provider }).getDelegate?.() ?? provider;
  const spans = Spans.of(delegate, packageVersion());
  if (!spans.keepsIds)
    process.emitWarning(
      "The tracer provider of this process makes up ids of spans: the spans of one mission will not hang together.",
      { code: "NAVIGATOR_SPAN_IDS" },
    );
  return spans;
}

async function callMetrics(forPrometheus: boolean) {
  const { CallMetrics } = await import("./call-metrics");
  return new CallMetrics(Runtime.instance().metricMeter, forPrometheus);
}
