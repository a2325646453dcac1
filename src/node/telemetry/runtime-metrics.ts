import type { TelemetryOptions } from "@temporalio/worker";
import { METRICS } from "./metric-names";
import type { Telemetry } from "./settings";

/**
 * Where the SDK's native part sends the metrics of this process: Temporal's own and ours. `undefined`: nowhere. A process that
 * Prometheus scrapes sends nothing as OTLP, because the SDK has one way out.
 *
 * For `Runtime.install({ telemetryOptions: { metrics } })`, once per process and before anything else of the SDK.
 */
export function runtimeMetrics({
  prometheus,
  metrics,
  metricsEveryMs,
  resource,
}: Telemetry): TelemetryOptions["metrics"] {
  const attachServiceName = false;
  if (prometheus !== null)
    return {
      attachServiceName,
      prometheus: {
        bindAddress: prometheus,
        countersTotalSuffix: true,
        useSecondsForDurations: true,
        histogramBucketOverrides: buckets((name) => name.replaceAll(".", "_")),
      },
    };
  if (metrics === null) return undefined;
  const globalTags = { service_name: String(resource["service.name"]) };
  const { url, headers } = metrics;
  return {
    attachServiceName,
    globalTags,
    otel: {
      url,
      headers,
      http: true,
      useSecondsForDurations: true,
      metricsExportInterval: metricsEveryMs,
      histogramBucketOverrides: buckets((name) => name),
    },
  };
}

const buckets = (named: (name: string) => string): { [name: string]: number[] } =>
  Object.fromEntries(
    Object.values(METRICS).flatMap(({ name, buckets: ends }) => (ends === undefined ? [] : [[named(name), [...ends]]])),
  );
