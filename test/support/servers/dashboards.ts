import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";

/** What is in `deploy`, read as Grafana and Prometheus read it. */

const DEPLOY = path.join(__dirname, "../../../deploy");
const text = (file: string) => readFileSync(path.join(DEPLOY, file), "utf8");

export interface Panel {
  id: number;
  type: string;
  title: string;
  datasource: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { refId: string; expr: string; legendFormat?: string; datasource: { uid: string } }[];
}

export interface Dashboard {
  file: string;
  uid: string;
  title: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string; query: string }[] };
  panels: Panel[];
}

export function dashboards(): Dashboard[] {
  const folder = "grafana/dashboards";
  return readdirSync(path.join(DEPLOY, folder)).map((file) => ({ file, ...JSON.parse(text(`${folder}/${file}`)) }));
}

export interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

export const alerts = (): Alert[] =>
  (parse(text("prometheus/alerts.yml")) as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules);

/** The names of what Prometheus scrapes. */
export const scrapeJobs = (): string[] =>
  (parse(text("prometheus/prometheus.yml")) as { scrape_configs: { job_name: string }[] }).scrape_configs.map(
    ({ job_name }) => job_name,
  );

/** A metric that a query asks for, and the labels that the query wants of it. */
export interface Asked {
  /** The name as it stands. */
  series: string;
  /** The metric that it belongs to: without `_bucket`, `_sum` and `_count`. */
  metric: string;
  labels: string[];
  /** The values that it compares `job` with. */
  jobs: string[];
}

export interface Query {
  /** Where it stands. */
  place: string;
  expr: string;
  /** The labels in the legend. */
  legend: string[];
  asked: Asked[];
  /** The functions that it calls. */
  functions: string[];
}

/** All queries of dashboards and alerts. Throws for what is no PromQL, with its place. */
export function deployedQueries(): Query[] {
  const shown = dashboards().flatMap(({ file, panels }) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ expr, legendFormat = "" }) => ({ place: `${file}: ${title}`, expr, legend: legendFormat })),
    ),
  );
  const rules = alerts().map(({ alert, expr, annotations }) => ({
    place: `alerts.yml: ${alert}`,
    expr,
    // Its value has no label.
    legend: annotations.summary.replaceAll(/\{\{ (?:printf .*? )?\$value \}\}/g, "").replaceAll("$labels.", ""),
  }));
  return [...shown, ...rules].map(({ legend, ...query }) => ({
    ...query,
    legend: [...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label]) => label as string),
    ...readQuery(query.expr, query.place),
  }));
}

/** The metrics that the dashboards and alerts ask for, without `_bucket`, `_sum` and `_count`. */
export const dashboardMetrics = (): string[] =>
  [...new Set(deployedQueries().flatMap(({ asked }) => asked.map(({ metric }) => metric)))].sort();

/** Labels by metric in what a server serves for Prometheus. */
export function servedLabels(exposition: string): Map<string, Set<string>> {
  const served = new Map<string, Set<string>>();
  for (const [, series = "", labels = ""] of exposition.matchAll(/^([a-zA-Z_]\w*)(?:\{(.*)\})? /gm)) {
    const known = served.get(familyOf(series)) ?? new Set();
    for (const [, label] of labels.matchAll(/(?:^|,)(\w+)="/g)) known.add(label as string);
    served.set(familyOf(series), known);
  }
  return served;
}

/** Labels that are asked for and not there, with their places. What Prometheus adds is left out. */
export const missingLabels = (labelsOf: (asked: Asked) => ReadonlySet<string> | undefined): string[] =>
  deployedQueries().flatMap(({ place, asked }) =>
    asked.flatMap((one) => {
      const there = labelsOf(one);
      if (there === undefined) return [];
      const missing = one.labels.filter((label) => !there.has(label) && label !== "job" && label !== "instance");
      return missing.map((label) => `${place}: ${one.series} has no label ${label}`);
    }),
  );

const familyOf = (series: string): string => series.replace(/_(bucket|sum|count)$/, "");

type Node = ReturnType<typeof parser.parse>["topNode"];

function readQuery(expr: string, place: string): Pick<Query, "asked" | "functions"> {
  // Grafana fills it in.
  const query = expr.replaceAll("$__rate_interval", "5m");
  const [asked, functions]: [Asked[], string[]] = [[], []];
  const textOf = ({ from, to }: Node) => query.slice(from, to);
  const read = (node: Node, grouped: string[]): void => {
    if (node.type.isError) throw new Error(`${place}: this is no PromQL at ${node.from}: ${expr}`);
    if (node.name === "FunctionIdentifier") functions.push(textOf(node));
    if (node.name === "VectorSelector") {
      const [name] = node.getChildren("Identifier");
      if (name === undefined) throw new Error(`${place}: a metric without a name: ${expr}`);
      const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
      const compared = matchers.map((one) => textOf(one.getChild("LabelName") as Node));
      const jobs = matchers
        .filter((_, at) => compared[at] === "job")
        .map((one) => textOf(one.getChild("StringLiteral") as Node).slice(1, -1));
      const series = textOf(name);
      asked.push({ series, metric: familyOf(series), labels: [...new Set([...compared, ...grouped])], jobs });
    }
    const labels = node.getChild("AggregateModifier")?.getChild("GroupingLabels")?.getChildren("LabelName") ?? [];
    const below = [...grouped, ...labels.map(textOf)];
    for (let child = node.firstChild; child !== null; child = child.nextSibling) read(child, below);
  };
  read(parser.parse(query).topNode, []);
  return { asked, functions };
}
