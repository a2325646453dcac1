import { addressFault, type OtlpTarget, signalAddress, type Telemetry } from "../../node/telemetry/settings";
import { badUsage } from "../terminal/exit";

/** Where exported spans go: to a collector, or into a file. */
export type SpanTarget = { collector: OtlpTarget } | { file: string };

/**
 * @param given of `--otlp`: the address of a collector, a file, `-`, or true for the collector of the project
 * @throws NavigatorError `bad_usage` if nobody says where
 */
export function spanTarget(given: string | true, { traces }: Telemetry): SpanTarget {
  if (given === true) {
    if (traces !== null) return { collector: traces };
    throw badUsage(
      "--otlp",
      "--otlp does not know where to: no collector is set.",
      "Name one, or a file: --otlp http://localhost:4318, --otlp trace.json. Or set `telemetry` or OTEL_EXPORTER_OTLP_ENDPOINT.",
    );
  }
  if (!/^https?:\/\//.test(given)) return { file: given };
  const fault = addressFault(given);
  if (fault !== null)
    throw badUsage(
      "--otlp",
      `--otlp: the address ${fault}.`,
      "--otlp http://localhost:4318, with OTEL_EXPORTER_OTLP_HEADERS for what the collector asks for.",
    );
  // Its own path is taken as it is; without one it is the base address of a collector.
  const { pathname } = new URL(given);
  const url = pathname === "/" ? signalAddress(given, "traces") : given;
  return { collector: { url, headers: traces?.headers ?? {} } };
}
