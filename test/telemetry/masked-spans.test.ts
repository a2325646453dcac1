import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { PlainSpan } from "../../src/core/telemetry/plain-span";
import { knownSecrets } from "../../src/secrets/known-secrets";
import { Spans } from "../../src/telemetry/spans";

test("a span has no secret: in its attributes, in lists of them and in its error", () => {
  knownSecrets.add("SPANNED", "spanned-12345678");
  const exporter = new InMemorySpanExporter();
  const spans = Spans.of(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }), "1.0.0");
  const span: PlainSpan & { end_ms: number } = {
    trace_id: "1".repeat(32),
    span_id: "1".repeat(16),
    name: "execute_tool pay",
    kind: "internal",
    attributes: { plain: "shown", args: '{"key":"spanned-12345678"}', names: ["spanned-12345678"], count: 3 },
    error: { type: "tool_error", message: "401 for spanned-12345678" },
    sampling: "open",
    start_ms: 1,
    end_ms: 2,
  };
  spans.report(span);
  const [sent] = exporter.getFinishedSpans();
  expect(sent?.attributes).toEqual({
    plain: "shown",
    args: '{"key":"[secret SPANNED]"}',
    names: ["[secret SPANNED]"],
    count: 3,
    "error.type": "tool_error",
  });
  expect(sent?.status.message).toBe("401 for [secret SPANNED]");
});
