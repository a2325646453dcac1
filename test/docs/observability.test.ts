import { readFileSync } from "node:fs";
import path from "node:path";
import { processTelemetry } from "../../src/cli/session/process-telemetry";
import { METRICS, prometheusName } from "../../src/node/telemetry/metric-names";
import { telemetryOf } from "../../src/node/telemetry/settings";
import { setEnv } from "../support/cli";
import {
  dashboardMetrics,
  dashboards,
  deployedQueries,
  missingLabels,
  scrapeJobs,
} from "../support/servers/dashboards";

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
  // Prometheus makes `up` itself.
  const known = new Set([...worker, ...web, "navigator_configuration_errors_total", "up"]);
  expect(asked.filter((name) => !known.has(name) && !name.startsWith("temporal_"))).toEqual([]);
});

/** Metrics and their labels in the table of the web reference. */
const webLabels = new Map(
  [...read("docs/reference/web.md").matchAll(/^\| (`navigator_[^|]+)\|[^|]+\|([^|]+)\|$/gm)].flatMap(
    ([, names, labels]) => {
      const words = (cell = "") => [...cell.matchAll(/`([\w.]+)`/g)].map(([, word]) => word as string);
      return words(names).map((name) => [name, new Set(words(labels))] as const);
    },
  ),
);

test("each query is PromQL, and asks for labels that its metric has, also in its legend", () => {
  const workers = new Map(ours.map((one) => [prometheusName(one), one]));
  const labelsOf = ({ metric, series }: { metric: string; series: string }) => {
    const own = workers.get(metric)?.labels.map((label) => label.replaceAll(".", "_"));
    const labels = own === undefined ? webLabels.get(metric) : new Set(own);
    return labels && new Set([...labels, ...(series.endsWith("_bucket") ? ["le"] : [])]);
  };
  expect(missingLabels(labelsOf)).toEqual([]);
  const queries = deployedQueries();
  const wrong = queries.filter(({ legend, expr, asked }) => {
    // What is summed has only the labels by which it is summed.
    const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
    const there = /\b(sum|max|min|count|avg)\b/.test(expr)
      ? new Set(groups)
      : new Set(asked.flatMap((one) => [...(labelsOf(one) ?? [])]));
    return legend.some((label) => !there.has(label) && label !== "instance");
  });
  expect(wrong.map(({ place }) => place)).toEqual([]);
  const histograms = new Set(ours.filter(({ kind }) => kind === "histogram").map(prometheusName));
  const asked = queries.flatMap((query) => query.asked);
  expect(
    asked.filter(({ metric, series }) => workers.has(metric) && histograms.has(metric) === (metric === series)),
  ).toEqual([]);
  expect(asked.flatMap(({ jobs }) => jobs).filter((job) => !scrapeJobs().includes(job))).toEqual([]);
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
const DATA_SOURCE = "${datasource}";

test("dashboards are such that Grafana can import them: ids, data source, a grid without overlaps", () => {
  const all = dashboards();
  expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length);
  for (const { file, title, schemaVersion, templating, panels } of all) {
    expect([file, title]).toEqual([expect.stringMatching(/\.json$/), expect.stringMatching(/^Navigator: /)]);
    expect(schemaVersion).toBeGreaterThan(30);
    expect(templating.list).toContainEqual(
      expect.objectContaining({ name: "datasource", type: "datasource", query: "prometheus" }),
    );
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { title: panel, type, datasource, gridPos, targets } of panels) {
      const { x, y, w, h } = gridPos;
      expect([panel, panel !== "" && type !== "" && x + w <= 24 && targets.length > 0]).toEqual([panel, true]);
      expect(new Set([datasource, ...targets.map((one) => one.datasource)].map(({ uid }) => uid))).toEqual(
        new Set([DATA_SOURCE]),
      );
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      const cells = Array.from({ length: w * h }, (_, at) => `${x + (at % w)}.${y + Math.floor(at / w)}`);
      expect([file, panel, cells.filter((cell) => taken.has(cell))]).toEqual([file, panel, []]);
      for (const cell of cells) taken.add(cell);
    }
  }
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

test("variables of a cluster do not stop a command whose project asks for no telemetry", async () => {
  const takeBack = setEnv({ OTEL_EXPORTER_OTLP_ENDPOINT: URL, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
  const warn = jest.fn();
  try {
    const { telemetry } = await processTelemetry({}, { warn });
    expect(telemetry).toMatchObject({ traces: null, metrics: null });
    expect(warn.mock.calls).toEqual([
      ["telemetry_off", { problem: expect.stringContaining("grpc is not spoken here") }],
    ]);
    expect(() => processTelemetry({ otlp: true }, { warn })).toThrow("grpc is not spoken here");
  } finally {
    takeBack();
  }
});
