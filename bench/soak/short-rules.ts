import { readFileSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";

/** The alert rules of `deploy`, with times and thresholds that fit into minutes. All else of them stays as it is. */

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: object;
  annotations: object;
}

interface Short {
  for?: string;
  /** Texts of the expression, and what stands for them here. */
  expr?: { [text: string]: string };
}

/** An extra worker takes so many bytes for itself when its memory is to run out. */
export const HOG_BYTES = 1_200 * 2 ** 20;
const MUCH_MEMORY = 1_000 * 2 ** 20;

/** @param memory of the machine: the share that is much is so small here that one worker may take it */
const shortFor = (memory: number): { [alert: string]: Short } => ({
  NavigatorServerUnreachable: { for: "4s" },
  NavigatorMissionControlDown: { for: "20s" },
  NavigatorNoWorker: { for: "20s" },
  NavigatorWorkerDown: { for: "20s" },
  NavigatorWorkerCutOff: { for: "14s", expr: { "[2m]": "[10s]" } },
  NavigatorWorkerSlotsUsedUp: { for: "6s" },
  NavigatorWorkerMemory: { for: "6s", expr: { "> 0.9": `> ${(MUCH_MEMORY / memory).toFixed(4)}` } },
  NavigatorBacklogGrows: { for: "6s", expr: { "> 300": "> 25" } },
  NavigatorMissionsBlocked: { for: "14s" },
  NavigatorConfigurationErrors: { for: "20s", expr: { "[5m]": "[15s]" } },
  NavigatorKeyMissing: { for: "4s", expr: { "[30m]": "[60s]" } },
  NavigatorWorkflowTasksFail: { for: "4s", expr: { "[30m]": "[60s]", "offset 30m": "offset 60s" } },
  NavigatorRunsFail: { expr: { "[30m]": "[60s]" } },
  NavigatorPeopleWaitTooLong: { for: "4s", expr: { "> 14400": "> 45" } },
  NavigatorMessagesNotDelivered: { for: "4s", expr: { "[30m]": "[60s]" } },
  NavigatorEffectsUnknown: { for: "4s" },
  NavigatorSpendSpike: {
    for: "4s",
    expr: { "[1h]": "[60s]", "> 10 ": "> 5 ", "[1d] offset 1h": "[300s] offset 60s", "/ 24": "/ 5" },
  },
});

const RULES = path.join(process.cwd(), "deploy/prometheus/alerts.yml");

/** @returns the rules as YAML, and the names of the alerts. Throws for a rule that this file does not know, or knows otherwise. */
export function shortRules(memory: number, text = readFileSync(RULES, "utf8")): { yaml: string; alerts: string[] } {
  const { groups } = parse(text) as { groups: { name: string; rules: Rule[] }[] };
  const short = shortFor(memory);
  const shortened = (rule: Rule): Rule => {
    const { for: time, expr = {} } = short[rule.alert] ?? fail(`${rule.alert} has no short form`);
    if ((rule.for === undefined) !== (time === undefined)) fail(`${rule.alert}: "for" is ${rule.for}`);
    const changed = Object.entries(expr).reduce(
      (whole, [from, to]) => (whole.includes(from) ? whole.replaceAll(from, to) : fail(`${rule.alert}: no ${from}`)),
      rule.expr,
    );
    return { ...rule, expr: changed, ...(time === undefined ? {} : { for: time }) };
  };
  const changed = groups.map(({ name, rules }) => ({ name, rules: rules.map(shortened) }));
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const unknown = Object.keys(short).filter((alert) => !alerts.includes(alert));
  if (unknown.length > 0) fail(`There is no alert ${unknown.join(", ")}`);
  return { yaml: stringify({ groups: changed }), alerts };
}

function fail(message: string): never {
  throw new Error(`bench/soak/short-rules.ts: ${message}.`);
}
