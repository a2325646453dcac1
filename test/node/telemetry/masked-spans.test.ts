import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { spanTarget, writeSpans } from "../../../src/cli/commands/trace";

import type { CommandIo } from "../../../src/cli/terminal/io";
import type { PlainSpan } from "../../../src/core/history/spans/plain-span";
import { knownSecrets } from "../../../src/node/secrets/known-secrets";
import { telemetryOf } from "../../../src/node/telemetry/settings";
import { Spans } from "../../../src/node/telemetry/spans";
import { openCollector, spansIn } from "../../support/servers/collector";

const spanned: PlainSpan & { end_ms: number } = {
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
beforeAll(() => void knownSecrets.add("SPANNED", "spanned-12345678"));

test("a span has no secret: in its attributes, in lists of them and in its error", () => {
  const exporter = new InMemorySpanExporter();
  const spans = Spans.of(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }), "1.0.0");
  spans.report(spanned);
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

test("an exported span has no secret either, in a request or in a file", async () => {
  const collector = await openCollector();
  const results: unknown[] = [];
  const io = { result: (data: unknown) => results.push(data) } as unknown as CommandIo;
  try {
    const target = spanTarget(`${collector.url}/v1/traces?api-key=abc`, telemetryOf({}, {}));
    await writeSpans(io, [spanned], target, { "service.name": "shop" });
    await writeSpans(io, [spanned], { file: "-" }, { "service.name": "shop" });
    const [sent] = spansIn(JSON.parse(String(collector.requests[0]?.body)));
    expect(sent).toMatchObject({
      attributes: { args: '{"key":"[secret SPANNED]"}', names: ["[secret SPANNED]"], plain: "shown" },
      status: { message: "401 for [secret SPANNED]" },
    });
    expect(JSON.stringify(results)).not.toMatch(/spanned-12345678|abc/);
    expect(results[0]).toMatchObject({ sent_to: `${collector.url}/v1/traces` });
    collector.answer = { status: 500, body: "" };
    const refused = writeSpans(io, [spanned], target, {});
    await expect(refused).rejects.toMatchObject({ details: { url: `${collector.url}/v1/traces` } });
    await expect(refused).rejects.not.toThrow("abc");
  } finally {
    await collector.close();
  }
});

test.each([
  () => telemetryOf({ otlp: "http://anna:word-77@collector:4318" }, {}),
  () => telemetryOf({}, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://anna:word-77@collector:4318" }),
  () => telemetryOf({}, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://word-77@collector/v1/metrics" }),
  () => spanTarget("http://anna:word-77@collector:4318", telemetryOf({}, {})),
  () => spanTarget("http://anna:word-77@:99999999", telemetryOf({}, {})),
])("an address with a password is refused, and not repeated (%#)", (read) => {
  const refusal = (() => {
    try {
      return read();
    } catch (error) {
      return JSON.stringify([(error as Error).message, error]);
    }
  })();
  expect(refusal).toMatch(/must not have a user and a password|must be an http/);
  expect(refusal).not.toContain("word-77");
});
