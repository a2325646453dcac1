import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { PlainSpan } from "../../../src/core/history/spans/plain-span";
import { Spans } from "../../../src/node/telemetry/spans";

test("workers of one process that report to one provider keep the ids of their own spans", () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const workers = [Spans.of(provider, "1.0.0"), Spans.of(provider, "1.0.0")];
  const span = (digit: string): PlainSpan & { end_ms: number } => ({
    trace_id: digit.repeat(32),
    span_id: digit.repeat(16),
    name: `turn ${digit}`,
    kind: "internal",
    attributes: {},
    sampling: "open",
    start_ms: 1,
    end_ms: 2,
  });
  for (const digit of ["1", "2", "3", "4"]) workers[Number(digit) % 2]?.report(span(digit));
  expect(exporter.getFinishedSpans().map((sent) => [sent.spanContext().traceId, sent.spanContext().spanId])).toEqual(
    ["1", "2", "3", "4"].map((digit) => [digit.repeat(32), digit.repeat(16)]),
  );
});
