import { z } from "zod";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Attributes } from "../../core/history/spans/plain-span";

const HttpAddress = z.url({ protocol: /^https?$/, error: "must be an http(s) address" });

/** `telemetry` of a configuration (docs/observability.md). The standard variables OTEL_* win over it. */
export const TelemetrySettings = z.strictObject({
  /** Where traces and metrics are sent: the base address of a collector, `true` for http://localhost:4318, or both parts. */
  otlp: z
    .union(
      [
        z.boolean(),
        HttpAddress,
        z.strictObject({ url: HttpAddress, headers: z.record(z.string(), z.string()).optional() }),
      ],
      "must be true, the base address of a collector, or {url, headers?}",
    )
    .optional(),
  serviceName: z.string("must be a name").min(1, "must not be empty").optional(),
  /** Arguments, answers and texts go into spans. Default: no. */
  content: z.boolean("must be true or false").default(false),
  /** Where a worker serves its metrics for Prometheus. Default: it does not. */
  prometheus: z
    .string("must be HOST:PORT")
    .regex(/^\S+:\d{1,5}$/, 'must be HOST:PORT, as in "127.0.0.1:9464"')
    .optional(),
});
/** The fields of `telemetry`. */
export type TelemetryInput = z.input<typeof TelemetrySettings>;

/** A place that takes OTLP over HTTP. */
export interface OtlpTarget {
  /** The whole address, with `/v1/traces`. */
  url: string;
  headers: { [name: string]: string };
}

/** What is sent where. Everything may be off. */
export interface Telemetry {
  traces: OtlpTarget | null;
  metrics: OtlpTarget | null;
  /** How often metrics are sent, in milliseconds. */
  metricsEveryMs: number;
  /** HOST:PORT; null = not served. */
  prometheus: string | null;
  /** Of the process: `service.name` and the value of OTEL_RESOURCE_ATTRIBUTES. */
  resource: Attributes;
  content: boolean;
}

/** The collector that OpenTelemetry looks for if nobody names one. */
const DEFAULT_COLLECTOR = "http://localhost:4318";

/**
 * The settings of the configuration and the environment together.
 *
 * @throws NavigatorError `bad_config` for variables that cannot be used
 */
export function telemetryOf(settings: TelemetryInput = {}, env: NodeJS.ProcessEnv = process.env): Telemetry {
  const isOff = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true";
  const { otlp = false } = settings;
  const configured = typeof otlp === "object" ? otlp.url : typeof otlp === "string" ? otlp : DEFAULT_COLLECTOR;
  const headers = typeof otlp === "object" ? (otlp.headers ?? {}) : {};
  const target = (signal: "traces" | "metrics"): OtlpTarget | null => {
    const name = signal.toUpperCase();
    const exporter = text(env[`OTEL_${name}_EXPORTER`]);
    const own = text(env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`]);
    const base = text(env.OTEL_EXPORTER_OTLP_ENDPOINT);
    const wanted =
      exporter === undefined
        ? otlp !== false || own !== undefined || base !== undefined
        : exporter.split(",").includes("otlp");
    if (isOff || !wanted) return null;
    refuseGrpc(text(env[`OTEL_EXPORTER_OTLP_${name}_PROTOCOL`]) ?? text(env.OTEL_EXPORTER_OTLP_PROTOCOL));
    const url = own ?? signalAddress(base ?? configured, signal);
    const places = [
      [own, `OTEL_EXPORTER_OTLP_${name}_ENDPOINT`],
      [base, "OTEL_EXPORTER_OTLP_ENDPOINT"],
    ] as const;
    const [, place] = places.find(([fromEnv]) => fromEnv !== undefined) ?? [configured, "telemetry.otlp"];
    const fault = addressFault(url);
    if (fault !== null) throw badVariable(place, fault);
    const fromEnv = {
      ...pairs("OTEL_EXPORTER_OTLP_HEADERS", env),
      ...pairs(`OTEL_EXPORTER_OTLP_${name}_HEADERS`, env),
    };
    return { url, headers: { ...headers, ...fromEnv } };
  };
  return {
    traces: target("traces"),
    metrics: target("metrics"),
    metricsEveryMs: interval(env),
    prometheus: isOff ? null : (settings.prometheus ?? null),
    resource: {
      ...pairs("OTEL_RESOURCE_ATTRIBUTES", env),
      "service.name": text(env.OTEL_SERVICE_NAME) ?? settings.serviceName ?? serviceInResource(env) ?? "navigator",
    },
    content: captureContent(env) ?? settings.content ?? false,
  };
}

/** The mistake in the address of a collector; null: there is none. It never contains the address, which may contain a password. */
export function addressFault(url: string): string | null {
  if (!HttpAddress.safeParse(url).success) return "must be an http(s) address";
  const { username, password } = new URL(url);
  return username === "" && password === ""
    ? null
    : "must not have a user and a password in it: give the collector a header, such as authorization";
}

/** An address for people and logs: without its query, which may contain a key. */
export function shownAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** `http://host:4318` -> `http://host:4318/v1/traces` */
export const signalAddress = (base: string, signal: "traces" | "metrics"): string =>
  `${base.replace(/\/+$/, "")}/v1/${signal}`;

const text = (value: string | undefined): string | undefined => value?.trim() || undefined;

const serviceInResource = (env: NodeJS.ProcessEnv) => pairs("OTEL_RESOURCE_ATTRIBUTES", env)["service.name"];

function captureContent({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: fromEnv }: NodeJS.ProcessEnv) {
  const value = text(fromEnv)?.toLowerCase();
  return value === undefined ? undefined : value === "true" || value === "span_only" || value === "span_and_event";
}

/** As OpenTelemetry has it. */
const METRICS_EVERY_MS = 60_000;

function interval({ OTEL_METRIC_EXPORT_INTERVAL: fromEnv }: NodeJS.ProcessEnv): number {
  const given = Number(text(fromEnv) ?? METRICS_EVERY_MS);
  if (Number.isInteger(given) && given > 0) return given;
  throw badVariable("OTEL_METRIC_EXPORT_INTERVAL", "must be a number of milliseconds");
}

function refuseGrpc(protocol: string | undefined): void {
  if (protocol === "grpc")
    throw badVariable(
      "OTEL_EXPORTER_OTLP_PROTOCOL",
      "grpc is not spoken here; http/json and http/protobuf are the same port, 4318",
    );
}

/** `a=b,c=d` with percent-encoded values. */
function pairs(variable: string, env: NodeJS.ProcessEnv): { [name: string]: string } {
  const given = text(env[variable]);
  if (given === undefined) return {};
  // The standard lets a list end with a comma.
  const fromEnv = given.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    fromEnv.map((pair) => {
      const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw badVariable(variable, "must be a list like name=value,other=value");
      return [name, decoded(value)];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A lone % stays as it is.
    return value;
  }
}

const badVariable = (setting: string, problem: string): NavigatorError =>
  new NavigatorError("bad_config", `Bad configuration: ${setting}: ${problem}.`, {
    hint: "Correct the setting, or unset it to use the default.",
    details: { path: setting, issues: [{ setting, problem }] },
  });
