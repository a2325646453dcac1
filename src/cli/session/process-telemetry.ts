import { NavigatorError } from "../../core/base/navigator-error";
import type { Logger } from "../../node/log";
import { type Telemetry, type TelemetryInput, telemetryOf } from "../../node/telemetry/settings";
import { type RunningTelemetry, startedTelemetry } from "../../node/telemetry/start-telemetry";
import { badUsage } from "../terminal/exit";

/**
 * Starts the telemetry of a command's process, unless it has begun.
 *
 * @param options.metricsPort of `--metrics-port`: a port of this machine, or HOST:PORT
 * @throws NavigatorError `bad_config` for variables that the project's own `telemetry.otlp` needs, `bad_usage` for a port that
 *   cannot be used
 */
export function processTelemetry(
  settings: TelemetryInput,
  log: Pick<Logger, "warn">,
  { servesMetrics = false, metricsPort }: { servesMetrics?: boolean; metricsPort?: string } = {},
): Promise<RunningTelemetry> {
  const found = usableTelemetry(settings, log);
  const asked = metricsPort === undefined ? found.prometheus : metricsAddress(metricsPort);
  // A command with a worker inside is over soon, and another process may have the port.
  const telemetry = { ...found, prometheus: servesMetrics ? asked : null };
  return startedTelemetry(telemetry, (problem) => log.warn("telemetry_not_sent", { problem }));
}

/**
 * A cluster may set OTEL_* for all that runs in it, as OTEL_EXPORTER_OTLP_PROTOCOL=grpc. A project that asks for no telemetry does not
 * stop because of them: it runs without, and reports it.
 */
function usableTelemetry(settings: TelemetryInput, log: Pick<Logger, "warn">): Telemetry {
  try {
    return telemetryOf(settings);
  } catch (error) {
    if (settings.otlp || !(error instanceof NavigatorError)) throw error;
    log.warn("telemetry_off", { problem: error.message });
    return telemetryOf(settings, { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" });
  }
}

function metricsAddress(given: string): string {
  const [, host = "127.0.0.1", port = ""] = /^(?:(\S+):)?(\d{1,5})$/.exec(given) ?? [];
  if (port === "" || Number(port) > 65_535)
    throw badUsage("--metrics-port", `--metrics-port must be a port, or HOST:PORT, got "${given}".`);
  return `${host}:${port}`;
}
