import { hasTracerProvider } from "./global-provider";
import { type Telemetry, type TelemetryInput, telemetryOf } from "./settings";

/** The telemetry of a process. */
export interface RunningTelemetry {
  /** What was found in settings and environment. */
  telemetry: Telemetry;
  /** Sends the waiting spans, and ends the export. For the end of the process. A collector that is gone delays it by some seconds at most. */
  stop(): Promise<void>;
}

/** Sends what has waited so long, in ms. */
const EXPORT_MS = 2_000;
/** A collector that does not answer must not keep a process alive. */
const STOP_MS = 5_000;

/**
 * Registers a tracer provider that sends spans as OTLP over HTTP (docs/observability.md). Client and worker of this
 * process use it. A process that has registered its own one keeps it. Nothing is loaded when neither the settings
 * nor the environment's OTEL_* variables ask for traces.
 *
 * @throws NavigatorError `bad_config` for variables that cannot be used
 */
export async function startTelemetry(
  settings: TelemetryInput = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<RunningTelemetry> {
  return startedTelemetry(telemetryOf(settings, env));
}

/** The same with settings that have been read. @param onProblem is called when spans could not be sent: work continues without them */
export async function startedTelemetry(
  telemetry: Telemetry,
  onProblem: (message: string) => void = () => {},
): Promise<RunningTelemetry> {
  const { traces, resource } = telemetry;
  if (traces === null || hasTracerProvider()) return { telemetry, stop: async () => {} };
  const [
    { diag, DiagLogLevel },
    { BasicTracerProvider, BatchSpanProcessor },
    { OTLPTraceExporter },
    { Resource },
    { AsyncContextManager },
  ] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("./context-manager"),
  ]);
  const quiet = () => {};
  const report = (message: string, ...more: unknown[]) => onProblem([message, ...more.map(String)].join(" "));
  diag.setLogger({ error: report, warn: report, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({ url: traces.url, headers: traces.headers });
  const provider = new BasicTracerProvider({
    resource: Resource.default().merge(new Resource(resource)),
    spanProcessors: [
      new BatchSpanProcessor(exporter, { scheduledDelayMillis: EXPORT_MS, exportTimeoutMillis: STOP_MS }),
    ],
  });
  provider.register({ contextManager: new AsyncContextManager() });
  const stop = async () => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
    await Promise.race([provider.shutdown().catch((error: unknown) => onProblem(String(error))), late]);
  };
  return { telemetry, stop };
}
