import { Client } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { METRICS, prometheusName } from "../../src/node/telemetry/metric-names";
import { renderMetrics } from "../../src/web/monitoring/exposition";
import { agent, fenced } from "../support/rig";
import { dashboardMetrics, missingLabels, servedLabels } from "../support/servers/dashboards";
import { until } from "../support/until";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** What monitoring reads: health, readiness and metrics. */

let control: MissionControl;
beforeAll(async () => {
  control = await openMissionControl({
    page: false,
    rateLimit: { perSecond: 0.001, burst: 30 },
    script: {
      writer: [{ content: fenced("(return 1)"), tokens: { input: 100, output: 20, total_cost: 0.5 } }],
      waiter: [fenced("(return {:status :waiting})")],
    },
  });
});
afterAll(() => control?.stop());

interface Read {
  types: Map<string, string>;
  samples: Map<string, number>;
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\S+)$/;

/** Reads the text as Prometheus does, and refuses what it would refuse. */
function parsed(text: string): Read {
  expect(text.endsWith("\n")).toBe(true);
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.slice(0, -1).split("\n")) {
    const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (name !== undefined) {
      expect(types.has(name)).toBe(false);
      types.set(name, type as string);
    }
    if (line.startsWith("#")) continue;
    const [, sample, labels = "", value] = SAMPLE.exec(line) ?? [];
    if (sample === undefined) throw new Error(`This is no sample: ${line}`);
    const family = types.get(sample) ?? types.get(sample.replace(/_(bucket|sum|count)$/, ""));
    if (family === undefined) throw new Error(`This sample has no type before it: ${line}`);
    expect(samples.has(`${sample}${labels}`)).toBe(false);
    samples.set(`${sample}${labels}`, Number(value === "+Inf" ? Number.POSITIVE_INFINITY : value));
  }
  return { types, samples };
}

const COST = 'navigator_day_cost_dollars{kind="agent",name="writer"}';

const scrape = async () => parsed(await (await control.fetch("/metrics")).text());

/** What a server that has just been started tells: one that runs tells what it has read for some seconds more. */
async function scrapeAnew(): Promise<Read> {
  await control.stopWeb();
  await control.startWeb();
  // The first request may take a connection that the stopped server has closed.
  await control.fetch("/healthz").catch(() => {});
  return scrape();
}

test("labels and help with any characters are escaped", () => {
  const text = renderMetrics([
    {
      name: "a",
      help: "One\nand \\two",
      type: "gauge",
      samples: [{ labels: { name: 'x"\\\n{},=' }, value: Number.POSITIVE_INFINITY }],
    },
    { name: "none", help: "", type: "counter", samples: [] },
  ]);
  expect(text).toBe('# HELP a One\\nand \\\\two\n# TYPE a gauge\na{name="x\\"\\\\\\n{},="} +Inf\n');
  expect(() => renderMetrics([{ name: "a b", help: "", type: "gauge", samples: [{ value: 1 }] }])).toThrow("no name");
});

test("the process lives, and is ready with a worker: without a token, and without more words", async () => {
  const live = await control.fetch("/healthz", { token: null });
  expect([live.status, await live.json()]).toEqual([200, { status: "ok" }]);
  const ready = await until(async () => {
    const answer = await control.fetch("/readyz", { token: null });
    return answer.status === 200 ? answer : undefined;
  }, "the worker asks for work");
  expect(await ready.json()).toEqual({ status: "ready" });
});

test("metrics need a token, and no scrape loads the server anew", async () => {
  expect((await control.fetch("/metrics", { token: null })).status).toBe(401);
  expect((await control.fetch("/metrics", { token: "wrong" })).status).toBe(401);
  const first = await control.fetch("/metrics");
  expect(first.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const [a, b] = [parsed(await first.text()), await scrape()];
  const took = "navigator_metrics_read_seconds";
  expect(a.samples.get(took)).toBeGreaterThanOrEqual(0);
  expect(a.samples.get(took)).toBe(b.samples.get(took));
});

test("metrics tell the work of the project and of this process", async () => {
  const start = (name: string) =>
    control.client.startAgent({ agent: agent({ name, max_turns: 2 }), id: name, model: "scripted" });
  await (await start("writer")).result();
  const waiting = await start("waiter");
  await until(async () => (await waiting.status()).state === "waiting", "it waits");
  const { samples, types } = await until(async () => {
    const read = await scrapeAnew();
    const isThere = (name: string) => read.samples.get(name) !== undefined && read.samples.get(name) !== 0;
    return isThere("navigator_waiting") && isThere(COST) ? read : undefined;
  }, "the server tells of what waits, and of what was used");
  const value = (name: string) => samples.get(name);
  expect(value("navigator_server_up")).toBe(1);
  expect(value('navigator_missions{kind="agent",state="completed"}')).toBe(1);
  expect(value('navigator_missions{kind="agent",state="waiting"}')).toBe(1);
  expect(value('navigator_missions{kind="plan",state="failed"}')).toBe(0);
  expect(value('navigator_waiting_older_than{seconds="3600"}')).toBe(0);
  expect(value(COST)).toBe(0.5);
  expect(value('navigator_day_tokens{kind="agent",name="writer",type="input"}')).toBe(100);
  expect(value('navigator_day_effects{state="unknown"}')).toBe(0);
  expect(value(`navigator_task_queue_pollers{task_queue="${control.client.taskQueue}",type="workflow"}`)).toBe(1);
  expect(value("navigator_event_readers")).toBe(0);
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(types.get("navigator_http_request_seconds")).toBe("histogram");
  // The dashboards ask for what is there; the rest is what workers have (test/live/telemetry).
  const workers = new Set([
    ...Object.values(METRICS).map(prometheusName),
    "navigator_configuration_errors_total",
    "up",
    "navigator_metrics_unread",
  ]);
  const asked = dashboardMetrics().filter((name) => !workers.has(name) && !name.startsWith("temporal_"));
  expect(asked.length).toBeGreaterThan(10);
  const { types: served } = await scrape();
  expect(asked.filter((name) => !served.has(name))).toEqual([]);
  const labels = servedLabels(await (await control.fetch("/metrics")).text());
  expect(missingLabels(({ metric }) => (asked.includes(metric) ? labels.get(metric) : undefined))).toEqual([]);
});

test("requests are counted by their routes, and those that came too fast", async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 40; n++) statuses.push((await control.fetch(`/api/runs/agent%2F${n}/nothing`)).status);
  expect(statuses.at(-1)).toBe(429);
  const refused = statuses.filter((status) => status === 429).length;
  const { samples } = await scrape();
  expect(samples.get("navigator_http_rate_limited_total")).toBe(refused);
  const counted = [...samples.keys()].filter((key) => key.startsWith("navigator_http_requests_total"));
  expect(counted.length).toBeLessThan(10);
  expect(counted.some((key) => key.includes("agent%2F1"))).toBe(false);
});

test("what is missing is told in a word: no worker, no namespace, no server; metrics then tell only of the process", async () => {
  const { context, client } = control;
  const found = await context.backend();
  const { connection } = client.temporal;
  const other = (temporal: Client, queue: string) => async () => ({
    ...found,
    client: new NavigatorClient(temporal, queue),
  });
  const backends: [() => ReturnType<typeof context.backend>, string[]][] = [
    [other(client.temporal, "nobody-works-here"), ["no_workflow_poller", "no_activity_poller"]],
    [other(new Client({ connection, namespace: "nowhere" }), client.taskQueue), ["namespace_not_found"]],
    [() => Promise.reject(new Error("Nobody answers.")), ["server_unreachable"]],
  ];
  const before = context.backend;
  try {
    for (const [backend, reasons] of backends) {
      context.backend = backend;
      const answer = await until(async () => {
        const given = await control.fetch("/readyz", { token: null });
        const body = (await given.json()) as { reasons?: string[] };
        return String(body.reasons) === String(reasons) ? { status: given.status, body } : undefined;
      }, `${reasons} is told`);
      expect(answer).toEqual({ status: 503, body: { status: "not_ready", reasons } });
    }
    const { samples } = await scrapeAnew();
    expect(samples.get("navigator_server_up")).toBe(0);
    expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(0);
  } finally {
    context.backend = before;
  }
});

test("data that this process cannot read takes away the part that needs it, and not the server", async () => {
  const { temporal, taskQueue } = control.client;
  const workflowId = "agent/of-another-key";
  await temporal.workflow.workflowService.startWorkflowExecution({
    namespace: temporal.options.namespace,
    workflowId,
    workflowType: { name: "agentRun" },
    taskQueue: { name: `${taskQueue}-nobody` },
    requestId: workflowId,
    memo: { fields: { usage: { metadata: { encoding: Buffer.from("binary/other") }, data: Buffer.from("?") } } },
    searchAttributes: {
      indexedFields: {
        NavigatorKind: {
          metadata: { encoding: Buffer.from("json/plain"), type: Buffer.from("Keyword") },
          data: Buffer.from('"agent"'),
        },
      },
    },
  });
  const { samples } = await until(async () => {
    const read = await scrapeAnew();
    return read.samples.has('navigator_metrics_unread{part="used",code="payload_unreadable"}') ? read : undefined;
  }, "a part is told as unread");
  expect(samples.get("navigator_server_up")).toBe(1);
  expect(samples.has('navigator_missions{kind="agent",state="completed"}')).toBe(true);
  expect(samples.has(COST)).toBe(false);
  await temporal.workflow.getHandle(workflowId).terminate();
});
