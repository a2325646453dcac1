/** One kind of number that is watched, with its values. */
export interface Metric {
  /** `navigator_missions`. */
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  samples: Sample[];
}

/** One value. A histogram has samples of `_bucket`, `_sum` and `_count`. */
export interface Sample {
  labels?: { [name: string]: string };
  value: number;
  /** Follows the name of the metric: `_bucket`. */
  suffix?: "_bucket" | "_sum" | "_count";
}

/** What the text is served as. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Metrics in the text format of Prometheus, version 0.0.4. A metric without values is left out.
 *
 * @throws Error for a name that the format does not have: a bug
 */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const head = [`# HELP ${checked(NAME, name)} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`];
      return `${[...head, ...samples.map((sample) => line(name, sample))].join("\n")}\n`;
    })
    .join("");
}

function line(name: string, { labels = {}, value, suffix }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${checked(LABEL, label)}="${escapedLabel(text)}"`);
  return `${name}${suffix ?? ""}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${numberText(value)}`;
}

function checked(form: RegExp, name: string): string {
  if (!form.test(name)) throw new Error(`Prometheus has no name like ${JSON.stringify(name)}.`);
  return name;
}

const escapedHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapedLabel = (text: string): string => escapedHelp(text).replaceAll('"', '\\"');

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}
