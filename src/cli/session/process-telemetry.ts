import { NavigatorError } from "../../core/base/navigator-error";
import type { Logger } from "../../node/log";
import { type TelemetryInput, telemetryOf } from "../../telemetry/settings";
import { type RunningTelemetry, startedTelemetry } from "../../telemetry/start-telemetry";

/**
 * Starts the telemetry of a command's process, unless it has begun.
 *
 * @param options.metricsPort of `--metrics-port`: a port of this machine, or HOST:PORT
 * @throws NavigatorError `bad_config` for variables, `bad_usage` for a port that cannot be used
 */
export function processTelemetry(
  settings: TelemetryInput,
  log: Pick<Logger, "warn">,
  { servesMetrics = false, metricsPort }: { servesMetrics?: boolean; metricsPort?: string } = {},
): Promise<RunningTelemetry> {
  const found = telemetryOf(settings);
  const asked = metricsPort === undefined ? found.prometheus : metricsAddress(metricsPort);
  // A command with a worker inside is over soon, and another process may have the port.
  const telemetry = { ...found, prometheus: servesMetrics ? asked : null };
  return startedTelemetry(telemetry, (problem) => log.warn("telemetry_not_sent", { problem }));
}

function metricsAddress(given: string): string {
  const [, host = "127.0.0.1", port = ""] = /^(?:(\S+):)?(\d{1,5})$/.exec(given) ?? [];
  if (port === "" || Number(port) > 65_535)
    throw new NavigatorError("bad_usage", `--metrics-port must be a port, or HOST:PORT, got "${given}".`);
  return `${host}:${port}`;
}
