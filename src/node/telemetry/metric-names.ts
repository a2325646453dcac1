/** A number that workers measure. */
export interface MeasuredMetric {
  /** As OpenTelemetry names it; Prometheus has `_` for each dot, and `_total` after counters. */
  name: string;
  kind: "counter" | "histogram" | "gauge";
  valueType: "int" | "float";
  unit: string;
  help: string;
  /** Its attributes; Prometheus has `_` for each dot. */
  labels: readonly string[];
  /** Upper ends of the classes of a histogram. */
  buckets?: readonly number[];
}

/** As the conventions for generative AI give them. */
const TOKEN_BUCKETS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const CALL_BUCKETS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const RUN_BUCKETS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];
const COST_BUCKETS = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

const MODEL = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"] as const;

const metric = (one: Omit<MeasuredMetric, "valueType" | "unit"> & Partial<MeasuredMetric>): MeasuredMetric => ({
  valueType: "int",
  unit: "",
  ...one,
});

/** All metrics of a worker that are not Temporal's own (docs/observability.md). Those of the conventions keep their names. */
export const METRICS = {
  tokens: metric({
    name: "gen_ai.client.token.usage",
    kind: "histogram",
    unit: "{token}",
    help: "Tokens of one model call, by type: input or output.",
    labels: [...MODEL, "gen_ai.token.type"],
    buckets: TOKEN_BUCKETS,
  }),
  modelSeconds: metric({
    name: "gen_ai.client.operation.duration",
    kind: "histogram",
    valueType: "float",
    unit: "s",
    help: "How long one attempt of a model call took.",
    labels: [...MODEL, "error.type"],
    buckets: CALL_BUCKETS,
  }),
  cost: metric({
    name: "navigator_model_cost_dollars",
    kind: "histogram",
    valueType: "float",
    help: "US dollars of one model call, where its price is known.",
    labels: ["gen_ai.provider.name", "gen_ai.request.model"],
    buckets: COST_BUCKETS,
  }),
  toolSeconds: metric({
    name: "gen_ai.execute_tool.duration",
    kind: "histogram",
    valueType: "float",
    unit: "s",
    help: "How long one attempt of a tool call took.",
    labels: ["gen_ai.tool.name", "error.type"],
    buckets: CALL_BUCKETS,
  }),
  toolCalls: metric({
    name: "navigator_tool_calls",
    kind: "counter",
    help: "Attempts of tool calls, by how they ended: ok, or the class of the error.",
    labels: ["gen_ai.tool.name", "outcome"],
  }),
  ledgerBlocks: metric({
    name: "navigator_ledger_blocks",
    kind: "counter",
    help: "Calls that were not made because another mission has made the same effect, or is making it.",
    labels: ["state"],
  }),
  runs: metric({
    name: "navigator_runs",
    kind: "counter",
    help: "Runs that have ended on this worker, by kind, name and outcome: ok, or the class of the error.",
    labels: ["kind", "name", "outcome"],
  }),
  runSeconds: metric({
    name: "navigator_run_seconds",
    kind: "histogram",
    valueType: "float",
    help: "How long such a run took from its start, waiting included.",
    labels: ["kind", "outcome"],
    buckets: RUN_BUCKETS,
  }),
  waitSeconds: metric({
    name: "navigator_wait_seconds",
    kind: "histogram",
    valueType: "float",
    help: "How long a question waited for people, by its kind.",
    labels: ["kind"],
    buckets: RUN_BUCKETS,
  }),
  deliveries: metric({
    name: "navigator_deliveries",
    kind: "counter",
    help: "Attempts to notify people, by channel and outcome: ok, or the class of the error.",
    labels: ["channel", "outcome"],
  }),
  unreadable: metric({
    name: "navigator_unreadable_payloads",
    kind: "counter",
    help: "Data that this worker cannot read, by the code of the error and what is missing: the id of a key, or an encoding.",
    labels: ["code", "name"],
  }),
  blockedSeconds: metric({
    name: "navigator_worker_blocked_seconds",
    kind: "histogram",
    valueType: "float",
    unit: "s",
    help: "How long tools kept the main thread of the worker from its other work, from one second. Unknown: the tool is one of several.",
    labels: ["gen_ai.tool.name"],
    buckets: RUN_BUCKETS,
  }),
  memory: metric({
    name: "navigator_worker_memory_bytes",
    kind: "gauge",
    help: "Main memory of the worker's process.",
    labels: [],
  }),
  memoryLimit: metric({
    name: "navigator_worker_memory_limit_bytes",
    kind: "gauge",
    help: "Main memory that the process may have: the limit of its container, else what the machine has.",
    labels: [],
  }),
} satisfies { [key: string]: MeasuredMetric };

/** The name of a metric in Prometheus, without `_bucket`, `_sum` and `_count`. */
export const prometheusName = ({ name, kind }: Pick<MeasuredMetric, "name" | "kind">): string =>
  `${name.replaceAll(".", "_")}${kind === "counter" ? "_total" : ""}`;
