import { otlpTraces } from "../../core/history/spans/otlp-json";
import type { Attributes, PlainSpan } from "../../core/history/spans/plain-span";
import { packageVersion } from "../../node/package-version";
import { sendSpans } from "../../node/telemetry/export-spans";
import { maskedSpan } from "../../node/telemetry/masked-span";
import { shownAddress } from "../../node/telemetry/settings";
import type { SpanTarget } from "../input/otlp-target";
import type { CommandIo } from "../terminal/io";
import { writeOutput } from "../terminal/write-output";

/** Hands the spans of a mission on, and says what was handed on. @throws NavigatorError `service_unavailable`, `file_error` */
export async function writeSpans(
  io: CommandIo,
  all: readonly PlainSpan[],
  target: SpanTarget,
  resource: Attributes,
): Promise<void> {
  // A secret may be in a history that another client has written.
  const spans = all.filter(({ end_ms }) => end_ms !== null).map(maskedSpan);
  const scope = { name: "navigator-agents", version: packageVersion() };
  const counts = { spans: spans.length, open: all.length - spans.length, trace_ids: traceIds(all) };
  if ("collector" in target) {
    await sendSpans(spans, target.collector, resource, scope);
    const sent_to = shownAddress(target.collector.url);
    return io.result({ ...counts, sent_to }, () => said(sent_to, counts));
  }
  const { file } = target;
  const body = otlpTraces(spans, resource, scope);
  if (file === "-") return io.result(body, () => JSON.stringify(body));
  writeOutput(file, "spans", `${JSON.stringify(body)}\n`, 0o600);
  io.result({ ...counts, file }, () => said(file, counts));
}

const traceIds = (spans: readonly PlainSpan[]): string[] => [...new Set(spans.map(({ trace_id }) => trace_id))];

function said(place: string, { spans, open, trace_ids }: { spans: number; open: number; trace_ids: string[] }): string {
  const rest = open === 0 ? "" : ` ${open} ${open === 1 ? "has" : "have"} not ended: export again later.`;
  return `${place}: ${spans} spans of trace ${trace_ids.join(", ")}.${rest}`;
}
