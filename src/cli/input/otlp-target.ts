import { NavigatorError } from "../../core/base/navigator-error";
import { addressFault, type OtlpTarget, signalAddress, type Telemetry } from "../../node/telemetry/settings";

/** Where exported spans go: to a collector, or into a file. */
export type SpanTarget = { collector: OtlpTarget } | { file: string };

/**
 * @param given of `--otlp`: the address of a collector, a file, `-`, or true for the collector of the project
 * @throws NavigatorError `bad_usage` if nobody says where
 */
export function spanTarget(given: string | true, { traces }: Telemetry): SpanTarget {
  if (given === true) {
    if (traces !== null) return { collector: traces };
    throw new NavigatorError("bad_usage", "--otlp does not know where to: no collector is set.", {
      hint: "Name one, or a file: --otlp http://localhost:4318, --otlp trace.json. Or set `telemetry` or OTEL_EXPORTER_OTLP_ENDPOINT.",
      details: { path: "--otlp" },
    });
  }
  if (!/^https?:\/\//.test(given)) return { file: given };
  const fault = addressFault(given);
  if (fault !== null)
    throw new NavigatorError("bad_usage", `--otlp: the address ${fault}.`, {
      hint: "--otlp http://localhost:4318, with OTEL_EXPORTER_OTLP_HEADERS for what the collector asks for.",
      details: { path: "--otlp" },
    });
  // Its own path is taken as it is; without one it is the base address of a collector.
  const { pathname } = new URL(given);
  const url = pathname === "/" ? signalAddress(given, "traces") : given;
  return { collector: { url, headers: traces?.headers ?? {} } };
}
