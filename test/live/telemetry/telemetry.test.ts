import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { Client, Connection } from "@temporalio/client";
import { startWorkerProcess } from "../../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../../src/client/client";
import { missionHistories } from "../../../src/client/mission-tree";
import { exportedEvents } from "../../../src/core/history/read/decode-events";
import { missionSpans } from "../../../src/core/history/spans/mission-spans";
import { METRICS, prometheusName } from "../../../src/node/telemetry/metric-names";
import { startTelemetry } from "../../../src/node/telemetry/start-telemetry";
import { SEMCONV_ATTRIBUTES } from "../../core/history/spans/semconv";
import { runCli, temporaryFolder, testAddress } from "../../support/environment";
import { gate } from "../../support/gate";
import { connectClient } from "../../support/mcp/client";
import { BUILT } from "../../support/mcp/process";
import { agent } from "../../support/rig";
import { deepTest } from "../../support/run/deep";
import { type CollectedSpan, openCollector, outline } from "../../support/servers/collector";
import { dashboardMetrics, missingLabels, servedLabels } from "../../support/servers/dashboards";
import { freePort } from "../../support/servers/free-port";
import { until } from "../../support/until";

/** One mission from a caller's span to a tool's own one, with a worker that is killed in the middle of a tool call. */

/** The SDK tells of them once they have happened: `npm run soak` makes them happen. */
const ONLY_AFTER_FAILURES = ["temporal_long_request_failure_total", "temporal_workflow_task_execution_failed_total"];

const CONFIG = path.join(__dirname, "navigator.config.cjs");

afterAll(() => {
  for (const api of [trace, context, propagation, metrics]) api.disable();
});

test("a mission is one trace, whoever reports it, and its export has the same ids; metrics are those of the documents", async () => {
  const [collector, connection] = await Promise.all([openCollector(), Connection.connect({ address: testAddress() })]);
  const asked = gate();
  let charges = 0;
  const shop = createServer((request, response) => {
    request.resume();
    charges += 1;
    // The first worker never gets an answer.
    if (charges > 1) response.end(JSON.stringify({ tx: `tx_${request.headers.traceparent ?? "secret-word"}` }));
    asked.open();
  });
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  const taskQueue = `telemetry-${randomUUID()}`;
  const book = `book_${randomUUID().slice(0, 8)}`;
  const launch = (env: Record<string, string> = {}) =>
    startWorkerProcess({
      config: CONFIG,
      taskQueue,
      env: {
        TEMPORAL_ADDRESS: testAddress(),
        BOOK_TOOL: book,
        SHOP_URL: `http://127.0.0.1:${(shop.address() as AddressInfo).port}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b",
        OTEL_SERVICE_NAME: "shop-worker",
        OTEL_METRIC_EXPORT_INTERVAL: "500",
        ...env,
      },
    });
  const telemetry = await startTelemetry({ otlp: collector.url, serviceName: "shop-page" }, {});
  let worker = await launch();
  try {
    const client = new NavigatorClient(new Client({ connection }), taskQueue);
    const run = await trace.getTracer("page").startActiveSpan("order page", async (span) => {
      const helper = {
        name: "helper",
        agent: { name: "helper", prompt: "Help.", description: "Helps.", signature: "(order :int) -> :int" },
      };
      const started = await client.startAgent({
        agent: agent({ name: "clerk", prompt: "Sell the secret-word.", tools: ["stock", "charge", helper] }),
        model: "scripted",
        context: { word: "secret-word" },
      });
      span.end();
      return started;
    });
    const review = await until(async () => (await run.reviews())[0], "the approval is asked for");
    await run.decide({ review: review.id, choice: "approve", by: "anna" });
    await asked.opened;
    const has = (name: string) => async () => collector.spans.some((one) => one.name === name);
    await until(has("wait_for_person approval"), "the first worker has told what it did");
    await until(
      async () =>
        collector.requests.some(
          ({ path: to, body }) => to === "/v1/metrics" && body.includes(METRICS.modelSeconds.name),
        ),
      "metrics come as OTLP",
    );
    await worker.kill();
    const address = `127.0.0.1:${await freePort()}`;
    worker = await launch({ METRICS_ADDRESS: address });
    expect((await run.result()).return).toBe(7);
    await until(has("invoke_agent clerk"), "the second worker has told the end");
    // Two guests mean the same room: a person is asked about the second.
    const guest = () => client.startAgent({ agent: agent({ name: "guest", tools: [book] }), model: "scripted" });
    const first = await guest();
    await first.result();
    const second = await guest();
    await until(async () => (await second.reviews())[0], "the second booking is held");
    await second.workflow.terminate("the test has seen it");
    // Somebody resets the first guest to before its program ran.
    const { workflowId } = first.workflow;
    const reset = await connection.workflowService.resetWorkflowExecution({
      namespace: "default",
      workflowExecution: { workflowId },
      requestId: randomUUID(),
      // A number is taken as well as a Long.
      workflowTaskFinishEventId: (await taskThatAsked("callTool", client, workflowId)) as never,
    });
    // A person is asked whether the booking has happened.
    const resetRun = client.reviewed(workflowId);
    const doubt = await until(async () => (await resetRun.reviews())[0], "the call before the reset is asked about");
    await resetRun.decide({ review: doubt.id, choice: "try_again", by: "anna" });
    await client.temporal.workflow.getHandle(workflowId, reset.runId).result();
    // Calls of one stretch, and of one batch.
    const payer = await client.startAgent({ agent: agent({ name: "payer", tools: ["pay"] }), model: "scripted" });
    await payer.result();
    const scraped = await (await fetch(`http://${address}/metrics`)).text();
    await worker.stop();
    await telemetry.stop();

    // The live tree.
    const { traceId } = collector.spans.find(({ name }) => name === "order page") as CollectedSpan;
    const live = collector.spans.filter((one) => one.traceId === traceId);
    const [llm, tool] = ["chat scripted", (name: string) => `execute_tool ${name}`];
    const calls = [
      llm,
      tool("stock"),
      [tool("charge"), ["POST /charges"]],
      ["invoke_agent helper", [["turn 1", [llm]]]],
    ];
    const mission = ["invoke_agent clerk", [["turn 1", calls], "wait_for_person approval", ["turn 2", [llm]]]];
    expect(outline(live)).toEqual([["order page", [["StartWorkflow:agentRun", [mission]]]]]);
    expect(new Set(live.map(({ spanId }) => spanId)).size).toBe(live.length);
    const named = (name: string): CollectedSpan => live.find((one) => one.name === name) as CollectedSpan;
    expect([named("order page").service, named("invoke_agent clerk").service]).toEqual(["shop-page", "shop-worker"]);
    expect(named(llm)).toMatchObject({
      kind: 3,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "scripted",
        "gen_ai.agent.name": "clerk",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 40,
        "navigator.cost.usd": 0.5,
      },
    });
    expect(named("invoke_agent clerk").attributes).toMatchObject({
      "gen_ai.conversation.id": run.workflow.workflowId,
      "gen_ai.usage.input_tokens": 250,
      "navigator.cost.usd": 0.75,
    });
    expect(named(tool("charge")).attributes).toMatchObject({ "gen_ai.tool.name": "charge", "navigator.attempt": 2 });
    const names = new Set(live.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...names].filter((name) => !name.startsWith("navigator.") && !SEMCONV_ATTRIBUTES.has(name))).toEqual([]);
    expect(Buffer.concat(collector.requests.map(({ body }) => body)).toString("latin1")).not.toContain("secret-word");
    expect(collector.requests.filter(({ headers }) => headers["x-key"] === "a b").length).toBeGreaterThan(0);

    // The export, from the histories alone.
    const exported = missionSpans(await missionHistories(client, run.workflow.workflowId));
    const essence = (spans: { name: string; trace: string; id: string; parent: string | undefined }[]) =>
      spans.map(({ name, trace: of, id, parent }) => `${name} ${of} ${id} ${parent}`).sort();
    const own = live.filter(({ scope }) => scope === "navigator-agents");
    expect(
      essence(
        exported.map(({ name, trace_id, span_id, parent_span_id }) => ({
          name,
          trace: trace_id,
          id: span_id,
          parent: parent_span_id,
        })),
      ),
    ).toEqual(
      essence(
        own.map(({ name, traceId, spanId, parentSpanId }) => ({
          name,
          trace: traceId,
          id: spanId,
          parent: parentSpanId,
        })),
      ),
    );
    expect(missionSpans(await missionHistories(client, run.workflow.workflowId))).toEqual(exported);
    // After the reset calls have ids of their own in the same trace, and the export knows them.
    const again = missionSpans(await missionHistories(client, workflowId));
    const reported = collector.spans.map(({ traceId: of, spanId, parentSpanId, name: what }) =>
      [of, spanId, parentSpanId, what].join(" "),
    );
    expect(again.map(({ name: what }) => what)).toContain(tool(book));
    const unreported = (spans: typeof again) =>
      spans
        .map((one) => [one.trace_id, one.span_id, one.parent_span_id, one.name].join(" "))
        .filter((one) => !reported.includes(one));
    expect(unreported(again)).toEqual([]);

    // Each call of a stretch and of a batch is a span, with what its tool traces inside.
    const paid = missionSpans(await missionHistories(client, payer.workflow.workflowId));
    expect(unreported(paid)).toEqual([]);
    const inside = (n: number) => collector.spans.find(({ name }) => name === `transfer ${n}`)?.parentSpanId;
    expect(paid.filter(({ name }) => name === tool("pay")).map(({ span_id }) => span_id)).toEqual(
      [1, 2, 3, 4, 5].map(inside),
    );
    expect(scraped).toMatch(/tool_calls\S*\{[^}]*name="pay"[^}]*\} 5\n/);

    // What Prometheus is served is what the documents and the dashboards name.
    const types = new Map(
      [...scraped.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name as string, type]),
    );
    expect(Object.fromEntries(types)).toMatchObject({
      gen_ai_client_token_usage: "histogram",
      gen_ai_client_operation_duration: "histogram",
      gen_ai_execute_tool_duration: "histogram",
      navigator_model_cost_dollars: "histogram",
      navigator_tool_calls_total: "counter",
      navigator_runs_total: "counter",
      navigator_run_seconds: "histogram",
      navigator_worker_memory_bytes: "gauge",
      navigator_worker_memory_limit_bytes: "gauge",
    });
    expect(scraped).toMatch(/navigator_runs_total\{kind="agent",name="clerk",outcome="ok"\} 1/);
    expect(scraped).toMatch(/navigator_ledger_blocks_total\{state="done"\} 1/);
    expect(scraped).toMatch(/navigator_tool_calls_total\{gen_ai_tool_name="charge",outcome="ok"\} 1/);
    const asks = dashboardMetrics().filter((name) => name.startsWith("temporal_"));
    expect(asks.length).toBeGreaterThan(3);
    expect(asks.filter((name) => !types.has(name) && !ONLY_AFTER_FAILURES.includes(name))).toEqual([]);
    const labels = servedLabels(scraped);
    expect(missingLabels(({ metric }) => (asks.includes(metric) ? labels.get(metric) : undefined))).toEqual([]);
    // Ours have no other labels than the documents say.
    const said = new Set(
      Object.values(METRICS).flatMap((one) => one.labels.map((label) => label.replaceAll(".", "_"))),
    );
    const mine = [...labels].filter(([name]) => Object.values(METRICS).some((one) => prometheusName(one) === name));
    expect(mine.flatMap(([, found]) => [...found]).filter((label) => !said.has(label) && label !== "le")).toEqual([]);
  } finally {
    await worker.kill();
    await telemetry.stop();
    await connection.close();
    shop.closeAllConnections();
    await new Promise((resolve) => shop.close(resolve));
    await collector.close();
  }
});

/** The end of the workflow task that asked for the activity. */
async function taskThatAsked(activity: string, client: NavigatorClient, workflowId: string): Promise<number> {
  const { runs } = await missionHistories(client, workflowId);
  const asked = exportedEvents(runs[0]).find(
    ({ attributes }) => (attributes.activityType as { name?: string } | undefined)?.name === activity,
  );
  return Number(asked?.attributes.workflowTaskCompletedEventId);
}

deepTest("what a request or a command starts is a part of the trace that it comes from", async () => {
  const [collector, folder] = [await openCollector(), temporaryFolder("traced")];
  const env = {
    PATH: process.env.PATH,
    HOME: folder.path,
    NAVIGATOR_HOME: folder.path,
    TEMPORAL_ADDRESS: testAddress(),
    NAVIGATOR_TASK_QUEUE: `telemetry-${randomUUID()}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  };
  const caller = "c".repeat(16);
  const traceOf = (one: string) => one.repeat(32);
  const from = (one: string) => `00-${traceOf(one)}-${caller}-01`;
  const servers = spawn(
    process.execPath,
    [...BUILT, "--http", "--port", "0", "--page-port", "0", "--config", CONFIG, "--json"],
    { env, stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = once(servers, "close");
  try {
    const [line] = await once(createInterface({ input: servers.stdout }), "line");
    const { url, page } = JSON.parse(line as string);
    const [base, token] = page.split("/login#token=");
    const start = (traceparent: string) =>
      fetch(`${base}/api/agents/caller/runs`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", traceparent },
        body: "{}",
      });
    expect([(await start(from("1"))).status, (await start("no trace")).status]).toEqual([202, 202]);
    const headers = { traceparent: from("2") };
    const mcp = await connectClient(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const call = { name: "run_agent", arguments: { agent: "caller", waitSeconds: 0 } };
    // Nobody works on their queue: they wait until their client is gone.
    const waiting = [call, { ...call, _meta: { traceparent: from("3") } }].map((one) =>
      mcp.client.callTool(one).catch(() => {}),
    );
    const starts = () => collector.spans.filter(({ name }) => name === "StartWorkflow:agentRun");
    await until(async () => starts().length === 3, "the servers have told what they started");
    await mcp.close();
    await Promise.all(waiting);
    const own = { TRACEPARENT: from("4"), NAVIGATOR_TASK_QUEUE: `telemetry-${randomUUID()}` };
    const run = await runCli(["run", "caller", "--config", CONFIG], { ...env, ...own });
    expect(run).toMatchObject({ code: 0 });
    servers.kill();
    expect(await ended).toEqual([0, null]);

    // Nobody works for the servers: what is there is what they told themselves.
    const told = (one: string) =>
      outline(
        collector.spans.filter(({ traceId }) => traceId === traceOf(one)),
        caller,
      );
    const mission = ["invoke_agent caller", [["turn 1", ["chat scripted"]]]];
    expect(["1", "2", "3"].map(told)).toEqual(Array(3).fill(["StartWorkflow:agentRun"]));
    expect(told("4")).toEqual([["StartWorkflow:agentRun", [mission]]]);
    expect(collector.spans).toHaveLength(3 + 4);
  } finally {
    servers.kill();
    await ended;
    await collector.close();
    folder.remove();
  }
});
