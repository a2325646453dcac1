import type { Hono } from "hono";
import { thrownText } from "../../core/base/navigator-error";
import type { WebContext, WebEnv } from "../context/context";
import type { MissionTails } from "../events/mission-tail";
import { EXPOSITION_TYPE, type Metric, renderMetrics } from "./exposition";
import type { RequestCounts } from "./request-counts";
import { gauge, serverMetrics } from "./server-metrics";

/** How long the numbers of the server are new enough, in ms: who asks often does not load it. */
const FRESH_MS = 10_000;
/** A slow server must not keep the numbers of this process. */
const LIMIT_MS = 8_000;

/**
 * `GET /metrics`: the state of the work and of this process in the text format of Prometheus (web reference, section 8). It needs a
 * token, as the API does. Without a Temporal server it has the numbers of the process, and `navigator_server_up 0`.
 */
export function metricsRoutes(
  app: Hono<WebEnv>,
  context: WebContext,
  { tails, requests }: { tails: Pick<MissionTails, "load">; requests: RequestCounts },
): void {
  const work = fresh(async (): Promise<Metric[]> => {
    const began = performance.now();
    try {
      const { client } = await context.backend();
      const found = await client.temporal.withDeadline(Date.now() + LIMIT_MS, () => serverMetrics(client));
      return [...found, up(1), took(began)];
    } catch (error) {
      context.log.warn("metrics_not_read", { error: thrownText(error) });
      return [up(0), took(began)];
    }
  });
  app.get("/metrics", async (c) => {
    const metrics = [...(await work()), ...requests.metrics(), ...eventMetrics(tails), ...processMetrics(context)];
    return c.body(renderMetrics(metrics), 200, { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" });
  });
}

const up = (value: number) =>
  gauge("navigator_server_up", "Whether the Temporal server returned these numbers.", [{ value }]);
const took = (began: number) =>
  gauge("navigator_metrics_read_seconds", "How long the server took to return them.", [
    { value: (performance.now() - began) / 1_000 },
  ]);

function eventMetrics(tails: Pick<MissionTails, "load">): Metric[] {
  const { missions, readers } = tails.load;
  return [
    gauge("navigator_event_readers", "Readers of events that are connected to this process.", [{ value: readers }]),
    gauge("navigator_event_missions", "Missions that this process follows for them.", [{ value: missions }]),
  ];
}

function processMetrics({ version }: Pick<WebContext, "version">): Metric[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge("navigator_build_info", "The version of this process.", [{ labels: { version }, value: 1 }]),
    gauge("process_resident_memory_bytes", "Memory of this process.", [{ value: rss }]),
    gauge("nodejs_heap_size_used_bytes", "The part of it that JavaScript uses.", [{ value: heapUsed }]),
    gauge("process_start_time_seconds", "When it was started, in seconds since 1970.", [
      { value: Math.round(Date.now() / 1_000 - process.uptime()) },
    ]),
    {
      name: "process_cpu_seconds_total",
      help: "CPU time of this process.",
      type: "counter",
      samples: [{ value: (user + system) / 1e6 }],
    },
  ];
}

/** The same answer for all who ask within some time. */
function fresh<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined;
  return () => {
    if (last === undefined || Date.now() - last.at >= FRESH_MS) last = { at: Date.now(), answer: read() };
    return last.answer;
  };
}
