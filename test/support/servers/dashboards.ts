import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";

const DEPLOY = path.join(__dirname, "../../../deploy");

/** The metrics that the dashboards and alerts in `deploy` ask for, as families: without `_bucket`, `_sum` and `_count`. */
export function dashboardMetrics(): string[] {
  const folder = path.join(DEPLOY, "grafana/dashboards");
  const asked = readdirSync(folder).flatMap((file) => {
    const { panels } = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as {
      panels: { targets: { expr: string }[] }[];
    };
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  });
  const { groups } = parse(readFileSync(path.join(DEPLOY, "prometheus/alerts.yml"), "utf8")) as {
    groups: { rules: { expr: string }[] }[];
  };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  return [...new Set([...asked, ...alerts].flatMap(metricsIn))].sort();
}

/** Without labels, groupings and ranges an expression of PromQL has only functions, which are called, and metrics. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replace(/\{[^}]*\}/g, "")
    .replace(/\b(by|without)\s*\([^)]*\)/g, "")
    .replace(/\[[^\]]*\]/g, "");
  const names = bare.match(/[a-zA-Z_][a-zA-Z0-9_]*(?!\w)(?!\s*\()/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|sum|count)$/, ""));
}
