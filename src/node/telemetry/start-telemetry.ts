import { NavigatorError } from "../../core/base/navigator-error";
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
 * @throws NavigatorError `bad_config` for variables that cannot be used, or when the optional packages that export spans are not installed
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
  const { context, diag, DiagLogLevel, propagation, trace } = await import("@opentelemetry/api");
  const {
    AsyncContextManager,
    BasicTracerProvider,
    BatchSpanProcessor,
    CompositePropagator,
    defaultResource,
    OTLPTraceExporter,
    resourceFromAttributes,
    W3CBaggagePropagator,
    W3CTraceContextPropagator,
  } = await exportParts();
  const quiet = () => {};
  const report = (message: string, ...more: unknown[]) => onProblem([message, ...more.map(String)].join(" "));
  diag.setLogger({ error: report, warn: report, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({ url: traces.url, headers: traces.headers });
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(resource)),
    spanProcessors: [
      new BatchSpanProcessor(exporter, { scheduledDelayMillis: EXPORT_MS, exportTimeoutMillis: STOP_MS }),
    ],
  });
  context.setGlobalContextManager(new AsyncContextManager());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  trace.setGlobalTracerProvider(provider);
  const stop = async () => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
    await Promise.race([provider.shutdown().catch((error: unknown) => onProblem(String(error))), late]);
  };
  return { telemetry, stop };
}

/** What a process needs to export spans. These packages are optional: a process without traces does not need them. */
async function exportParts() {
  try {
    const [core, sdk, exporter, resources, manager] = await Promise.all([
      import("@opentelemetry/core"),
      import("@opentelemetry/sdk-trace-base"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("./context-manager"),
    ]);
    return { ...core, ...sdk, ...exporter, ...resources, ...manager };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new NavigatorError("bad_config", "Traces are on, and the packages that export them are not installed.", {
      details: { path: "telemetry" },
      hint: `Run \`npm install ${EXPORT_PACKAGES.join(" ")}\`, or unset OTEL_TRACES_EXPORTER and the OTEL_EXPORTER_OTLP_* variables.`,
    });
  }
}

const EXPORT_PACKAGES = [
  "@opentelemetry/core@2",
  "@opentelemetry/sdk-trace-base@2",
  "@opentelemetry/resources@2",
  "@opentelemetry/exporter-trace-otlp-http@0.223",
];
