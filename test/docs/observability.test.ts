import { readFileSync } from "node:fs";
import path from "node:path";
import { METRICS, prometheusName } from "../../src/telemetry/metric-names";
import { telemetryOf } from "../../src/telemetry/settings";
import { dashboardMetrics } from "../support/servers/dashboards";

/** What docs/observability.md says is what the code does. */
const read = (file: string) => readFileSync(path.join(__dirname, "../..", file), "utf8");
/** The names in the first cells of a table. */
const namesIn = (text: string) =>
  [...text.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell]) =>
    [...(cell as string).matchAll(/`([a-z][\w.]*)`/g)].map(([, name]) => name as string),
  );
const ours = Object.values(METRICS);

test("the table of metrics has each metric of a worker, under both of its names, and no other", () => {
  const [, table = ""] = /## Metrics of workers\n(.*)\n## Dashboards/s.exec(read("docs/observability.md")) ?? [];
  const names = ours.flatMap((one) => [one.name, prometheusName(one)]);
  expect(new Set(namesIn(table))).toEqual(new Set([...names, "navigator_configuration_errors_total"]));
});

test("dashboards and alerts ask only for what a worker, the SDK or Mission Control has", () => {
  const web = namesIn(read("docs/reference/web.md"));
  const worker = new Set(ours.map(prometheusName));
  const asked = dashboardMetrics();
  expect(asked.length).toBeGreaterThan(25);
  expect(asked.filter((name) => !worker.has(name) && !web.includes(name) && !name.startsWith("temporal_"))).toEqual([]);
});

const URL = "http://collector:4318";
test.each([
  { settings: {}, env: {}, traces: null, metrics: null },
  { settings: {}, env: { OTEL_EXPORTER_OTLP_ENDPOINT: URL }, traces: `${URL}/v1/traces`, metrics: `${URL}/v1/metrics` },
  { settings: {}, env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${URL}/t` }, traces: `${URL}/t`, metrics: null },
  {
    settings: { otlp: true },
    env: {},
    traces: "http://localhost:4318/v1/traces",
    metrics: "http://localhost:4318/v1/metrics",
  },
  { settings: { otlp: `${URL}/` }, env: { OTEL_METRICS_EXPORTER: "none" }, traces: `${URL}/v1/traces`, metrics: null },
  {
    settings: { otlp: "http://other:1" },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: URL, OTEL_METRICS_EXPORTER: "none" },
    traces: `${URL}/v1/traces`,
    metrics: null,
  },
  {
    settings: { otlp: true, prometheus: "127.0.0.1:9464" },
    env: { OTEL_SDK_DISABLED: "true" },
    traces: null,
    metrics: null,
  },
])("$settings with $env sends traces to $traces and metrics to $metrics", ({ settings, env, traces, metrics }) => {
  const found = telemetryOf(settings, env);
  expect([found.traces?.url ?? null, found.metrics?.url ?? null, found.prometheus]).toEqual([traces, metrics, null]);
});

test("headers, resource and content come from the standard variables", () => {
  const found = telemetryOf(
    { otlp: { url: URL, headers: { a: "1", b: "2" } } },
    {
      OTEL_EXPORTER_OTLP_HEADERS: "b=3%20x, c=4,",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=prod",
      OTEL_SERVICE_NAME: "shop",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    },
  );
  expect(found.traces?.headers).toEqual({ a: "1", b: "3 x", c: "4" });
  expect(found.resource).toEqual({ "deployment.environment": "prod", "service.name": "shop" });
  expect(found.content).toBe(true);
});

test.each([
  { env: { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, words: "OTEL_EXPORTER_OTLP_ENDPOINT: must be an http" },
  { env: { OTEL_EXPORTER_OTLP_ENDPOINT: URL, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, words: "grpc is not spoken here" },
  {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: URL, OTEL_EXPORTER_OTLP_HEADERS: "nonsense" },
    words: "a list like name=value",
  },
  { env: { OTEL_METRIC_EXPORT_INTERVAL: "soon" }, words: "must be a number of milliseconds" },
])("$env is refused: $words", ({ env, words }) => expect(() => telemetryOf({}, env)).toThrow(words));
